/**
 * What is let happen while the cord is pulled at each place: one effect of each kind, from the person's act to the
 * effect, in a session of its own. The model's answer depends on what it was asked alone, so that a request that is
 * made again gets the same answer.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, ModelServer, Recorded } from '../support/modelServer';
import type { BelayEvent, SessionId } from '../../protocol';
import { agentScenes } from './agents';
import { clientScenes } from './clients';
import { allow, approvalOf, say, type Scene, type Stage } from './scene';
import { serverScenes } from './servers';

const lines = (path: string): number =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;

const out = (folder: string): string => join(folder, 'out.txt');
const append = (folder: string) => `echo ran >> '${out(folder)}'`;
const ran = ({ folder }: Stage) => lines(out(folder));

const command = (rest: object = {}) => ({
  calls: ({ folder }: Pick<Stage, 'folder'>) => [
    { tool: 'shell', args: { command: append(folder), ...rest }, id: 'c1' },
  ],
  act: say,
  happened: ran,
});

const waitFor = (path: string) => `while [ ! -e '${path}' ]; do sleep 0.01; done`;

const file = (name: string, text: string) => (stage: Stage) => {
  const path = join(stage.folder, name);
  return Number(existsSync(path) && readFileSync(path, 'utf8') === text);
};

const waits = async (stage: Stage): Promise<void> => {
  await stage.say('go');
  await approvalOf(stage);
  await stage.host.next('turn_waiting', 0, (event) => event.session === stage.session);
};

export const scenes: readonly Scene[] = [
  { name: 'a command', mode: 'full', ...command() },
  { name: 'a background command', mode: 'full', ...command({ background: true }) },
  { name: 'an allowed command whose turn is parked', mode: 'ask', ...command(), prepare: waits, act: allow },
  {
    name: 'an allowed command whose turn is held live',
    mode: 'ask',
    settings: { approvals: { holdMs: 60_000 } },
    ...command(),
    prepare: async (stage) => {
      await stage.say('go');
      await approvalOf(stage);
    },
    act: allow,
  },
  {
    name: 'an allowed command that was lifted',
    mode: 'ask',
    ...command(),
    prepare: async (stage) => {
      await waits(stage);
      const mark = stage.host.mark;
      await stage.say('wait');
      await stage.host.next('turn_ended', mark, (event) => event.session === stage.session);
    },
    act: allow,
  },
  {
    name: 'a new file',
    mode: 'edits',
    calls: () => [{ tool: 'write', args: { path: 'deep/new.txt', text: 'new\n' }, id: 'c1' }],
    act: say,
    happened: file('deep/new.txt', 'new\n'),
  },
  {
    name: 'an edit',
    mode: 'edits',
    prepare: async ({ folder }) => writeFileSync(join(folder, 'old.txt'), 'old\n'),
    calls: () => [{ tool: 'edit', args: { path: 'old.txt', old: 'old', new: 'new' }, id: 'c1' }],
    act: say,
    happened: file('old.txt', 'new\n'),
  },
  {
    name: 'a search',
    mode: 'ask',
    calls: () => [{ tool: 'search', args: { pattern: 'needle' }, id: 'c1' }],
    act: say,
    happened: ({ folder }) => lines(join(folder, 'searched.txt')),
  },
  {
    name: 'reads side by side',
    mode: 'ask',
    prepare: async ({ folder }) => writeFileSync(join(folder, 'a.txt'), 'a\n'),
    calls: () => [
      { tool: 'read', args: { path: 'a.txt' }, id: 'c1' },
      { tool: 'list', args: { path: '.' }, id: 'c2' },
    ],
    act: say,
    visible: false,
    happened: () => 0,
  },
  {
    name: 'a command that a script runs',
    mode: 'full',
    calls: ({ folder }) => [
      {
        tool: 'exec',
        args: { code: `await tools.shell({ command: ${JSON.stringify(append(folder))} })` },
        id: 'c1',
      },
    ],
    effect: 'c1.1',
    act: say,
    happened: ran,
  },
  {
    name: 'a program on a terminal',
    mode: 'full',
    calls: ({ folder }) => [
      { tool: 'terminal', args: { command: append(folder), yield_ms: 30_000 }, id: 'c1' },
    ],
    act: say,
    happened: ran,
  },
  ...serverScenes,
  ...clientScenes,
  ...agentScenes,
  {
    name: 'a request that is made again after a failure',
    mode: 'ask',
    settings: { limits: { backoffMs: 1, steerGraceMs: 1 } },
    fails: 1,
    act: say,
    happened: ({ server, session }) => asksOf(server, session).length,
  },
  {
    name: 'a look for the models that providers have',
    mode: 'ask',
    act: ({ host }) => host.request('model/list', { look: true }),
    over: () => Promise.resolve(),
    told: () => Promise.resolve(),
    happened: ({ server }) => server.looks.length,
  },
  {
    name: 'a request to a model of the editor',
    mode: 'ask',
    model: 'editor/m1',
    act: say,
    happened: ({ session, asked }) => asked('model/request', session),
  },
  {
    name: 'the wake of an idle session by the end of a handle',
    mode: 'full',
    calls: ({ folder }) => [
      { tool: 'shell', args: { command: waitFor(join(folder, 'gate')), background: true }, id: 'c1' },
    ],
    prepare: async (stage) => {
      await stage.say('go');
      await stage.host.next('turn_ended', 0, (event) => event.session === stage.session);
    },
    act: async ({ folder }) => writeFileSync(join(folder, 'gate'), ''),
    asks: true,
    happened: ({ server, session }) => asksOf(server, session).length,
  },
  {
    name: 'what comes behind a steer that lifts a running command',
    mode: 'full',
    calls: ({ folder }) => [
      { tool: 'shell', args: { command: waitFor(join(folder, 'gate')) }, id: 'c1' },
      { tool: 'shell', args: { command: append(folder) }, id: 'c2' },
    ],
    effect: 'c2',
    prepare: async (stage) => {
      await stage.say('go');
      await stage.host.next('tool_started', 0, (event) => event.session === stage.session);
    },
    act: async (stage) => {
      await stage.say('wait');
      const isOver = ({ session, type }: BelayEvent) =>
        session === stage.session && (type === 'call_lifted' || type === 'tool_completed');
      await stage.host.until(() => stage.host.events.find(isOver));
      writeFileSync(join(stage.folder, 'gate'), '');
    },
    happened: ran,
  },
  ...['local/m1', 'anthropic/m1', 'openai/m1'].map((model): Scene => ({
    name: `a request to ${model}`,
    mode: 'ask',
    model,
    ...(model === 'anthropic/m1' ? { cold: true as const } : {}),
    act: say,
    happened: ({ server, session }) => asksOf(server, session).length,
  })),
];

/** The requests of one session: its id is the person's first word. */
const asksOf = (server: ModelServer, session: SessionId): readonly Recorded[] =>
  server.requests.filter(({ items }) =>
    items.some(({ role, text }) => role === 'user' && text.startsWith(session)),
  );

/** The model: it plans the scene's calls once, and ends when it has their results. */
export function answers(scene: Scene, { folder }: Pick<Stage, 'folder'>): (request: Recorded) => Answer {
  let fails = scene.fails ?? 0;
  return ({ items }) => {
    if (fails-- > 0) return { status: 500 };
    const isFirst = items.every(({ role }) => role !== 'assistant');
    const calls = isFirst ? scene.calls?.({ folder }) : undefined;
    return calls === undefined ? { text: 'Done.' } : { calls };
  };
}

/** A ripgrep that leaves a line where it searched, for what is seen from outside. */
export function watchedRipgrep(folder: string, real: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'rg');
  writeFileSync(path, `#!/bin/sh\necho ran >> searched.txt\nexec '${real}' "$@"\n`, { mode: 0o755 });
  return path;
}
