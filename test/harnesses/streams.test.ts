/**
 * Every recorded stream of the real agents through the mapper of its protocol. What each maps to is kept beside it and
 * was read by eye; `UPDATE_STREAMS=1` writes it anew.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { acpState, flush, mapUpdate } from '../../host/adapters/harnesses/acp/mapEvents';
import { claudeState, mapLine as mapClaude } from '../../host/adapters/harnesses/claude/mapEvents';
import { mapTold, serverState } from '../../host/adapters/harnesses/codexAppServer/mapEvents';
import { execState, killedWork, mapLine as mapExec } from '../../host/adapters/harnesses/codexExec/mapEvents';

const FOLDER = join(__dirname, '../fixtures/streams');
const UNUSED = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));

interface Recorded {
  readonly dir?: string;
  readonly msg?: Record<string, unknown>;
}

const linesOf = (name: string): Recorded[] =>
  readFileSync(join(FOLDER, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Recorded);

/** What a stream maps to, one thing a line. */
function mapped(name: string): string[] {
  if (name.startsWith('claude-')) return claude(linesOf(name));
  if (name.startsWith('codex-appserver-')) return appServer(linesOf(name));
  if (name.startsWith('acp-')) return acp(linesOf(name));
  return exec(linesOf(name));
}

function exec(lines: readonly object[]): string[] {
  let state = execState(UNUSED);
  const said = lines.flatMap((line) => {
    const next = mapExec(state, line);
    state = next.state;
    return next.events.map((event) => JSON.stringify(event));
  });
  return [...said, `end ${JSON.stringify(state.end ?? null)} killed ${JSON.stringify(killedWork(state))}`];
}

function claude(lines: readonly Recorded[]): string[] {
  let state = claudeState;
  return lines
    .filter((line) => line.dir === 'stdout')
    .flatMap(({ msg }) => {
      const next = mapClaude(state, msg);
      state = next.state;
      const rest = { result: next.result, replayed: next.replayed };
      return [
        ...next.events.map((event) => JSON.stringify(event)),
        ...(next.result === undefined && next.replayed === undefined ? [] : [JSON.stringify(rest)]),
      ];
    })
    .concat(`left ${JSON.stringify([...state.tasks.values()].map((task) => task.title))}`);
}

function appServer(lines: readonly Recorded[]): string[] {
  let state = serverState;
  return lines
    .filter((line) => line.dir === 'server')
    .flatMap(({ msg = {} }) => {
      const thread = (msg['result'] as { thread?: { id: string } } | undefined)?.thread?.id;
      if (thread !== undefined) state = { ...state, thread };
      if (typeof msg['method'] !== 'string' || 'id' in msg) return [];
      const { state: after, events, ...rest } = mapTold(state, msg['method'], msg['params']);
      state = after;
      return [
        ...events.map((event) => JSON.stringify(event)),
        ...(Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)]),
      ];
    })
    .concat(`open ${JSON.stringify([...state.open.values()])} children ${String(state.children.size)}`);
}

function acp(lines: readonly Recorded[]): string[] {
  let state = acpState;
  const said = lines
    .filter(({ dir, msg }) => dir === 'agent' && msg?.['method'] === 'session/update')
    .flatMap(({ msg }) => {
      const next = mapUpdate(state, (msg?.['params'] as { update: unknown }).update);
      state = next.state;
      return next.events;
    });
  return [...said, ...flush(state).events].map((event) => JSON.stringify(event));
}

describe('recorded streams', () => {
  it('H1 there is one for each agent', () => {
    for (const prefix of ['codex-appserver-', 'codex-s', 'claude-', 'acp-'])
      assert.ok(
        names.some((name) => name.startsWith(prefix)),
        prefix,
      );
    assert.ok(names.length > 140, String(names.length));
  });

  for (const name of names)
    it(`H1 ${name}`, () => {
      const path = join(FOLDER, name.replace(/jsonl$/, 'mapped.txt'));
      const text = `${mapped(name).join('\n')}\n`;
      if (process.env['UPDATE_STREAMS'] === '1') writeFileSync(path, text);
      assert.equal(text, readFileSync(path, 'utf8'));
    });

  it('H3 what was left running at the end of a turn is killed work; a waited-for sub-agent is none', () => {
    const last = (name: string) => mapped(name).at(-1) ?? '';
    assert.match(last('codex-background-at-turn-end.jsonl'), /killed \["echo up; sleep 300"\]/);
    assert.match(
      last('codex-subagent-running-at-turn-end.jsonl'),
      /killed \["agent spawn_agent: SUBTASK: count files"\]/,
    );
    assert.match(last('codex-subagent-waited.jsonl'), /killed \[\]/);
    assert.match(last('codex-background-finishes-before-turn-end.jsonl'), /killed \[\]/);
    assert.match(last('codex-shell-command.jsonl'), /killed \[\]/);
  });
});
