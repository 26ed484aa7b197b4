/** Explain a command: each part with its mark and its reason, and nothing said twice. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import type { Belay } from '../../extension/belay';
import { explain } from '../../extension/commands/explain';
import { SnapshotStore } from '../../extension/state';
import { connected, type Connected } from './connected';
import { FakeClock } from './fakeClock';

describe('a command that is explained', () => {
  let one: Connected;
  let belay: Belay;

  beforeEach(() => {
    one = connected();
    const state = new SnapshotStore(one.client, () => undefined, new FakeClock());
    belay = { host: one.client, state, chat: { shows: () => false } } as unknown as Belay;
    editor.messages = [];
  });
  afterEach(() => one.close());

  const told = async (command: string, explained: object): Promise<string[]> => {
    one.host.answer('rule/explain', () => explained);
    editor.answers = [command];
    await explain(belay);
    assert.equal(editor.messages[0]?.text, command);
    return (editor.messages[0]?.detail ?? '').split('\n');
  };
  const part = (command: string, decision: string, why: string) => ({ command, decision, why });
  const NO_RULE = '`b`: no rule allows this command.';

  it('A10 tells of each part what becomes of it, with the reason below, which is told once', async () => {
    const parts = [
      part('a', 'allow', 'A rule allows it: `a` exactly, in /w.'),
      part('b', 'ask', NO_RULE),
      part('c', 'ask', '`c`: the interpreter `c` always asks.'),
    ];
    const lines = await told('a && b | c', { decision: 'ask', why: NO_RULE, offers: [], parts });
    assert.deepEqual(lines, [
      'It would wait for you.',
      '',
      '✓ `a`',
      'A rule allows it: `a` exactly, in /w.',
      '',
      '? `b`',
      'No rule allows this command.',
      '',
      '? `c`',
      'The interpreter `c` always asks.',
    ]);
  });

  it('A10 of a line that a rule denies as a whole that rule is told beside its parts', async () => {
    const parts = [part('b', 'ask', NO_RULE), part('c', 'ask', '`c`: no rule allows this command.')];
    const why = 'A rule denies it: `b && c` exactly, in /w.';
    const [first, second] = await told('b && c', { decision: 'deny', why, offers: [], parts });
    assert.deepEqual([first, second], ['It would be denied.', why]);
  });

  it('A3 A10 one part alone is told as its line, with what an allow could cover, each once', async () => {
    const label = '`b` exactly, in /w';
    const why = 'No rule allows this command.';
    const parts = [part('b', 'ask', NO_RULE)];
    const lines = await told('b', { decision: 'ask', why, offers: [label, label], parts });
    assert.deepEqual(lines, ['It would wait for you.', why, '', 'An allow could cover:', `• ${label}`]);
  });

  it('A10 tells how many parts there are beyond those that it shows', async () => {
    const parts = Array.from({ length: 14 }, (_, at) =>
      part(`c${at}`, 'ask', `\`c${at}\`: no rule allows this command.`),
    );
    const lines = await told('many', { decision: 'ask', why: parts[0]?.why, offers: [], parts });
    assert.deepEqual([lines.filter((text) => text.startsWith('?')).length, lines.at(-1)], [12, 'and 2 more']);
  });
});
