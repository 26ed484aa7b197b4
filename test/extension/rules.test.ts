/** Manage rules: a rule is added step by step, and what it will cover is said by the host before it is written. */
import { editor, OpenInput, OpenPick } from './vscodeStub';
import assert from 'node:assert/strict';
import type { Belay } from '../../extension/belay';
import { manageRules } from '../../extension/commands/manageRules';
import { SnapshotStore } from '../../extension/state';
import type { RuleDraft, Snapshot } from '../../protocol';
import { connected, type Connected } from './connected';
import { FakeClock } from './fakeClock';
import { Refusal } from './fakeHost';
import { NOW, session, snapshot } from './samples';
import { addRule } from '../../extension/commands/addRule';

const NEVER_HOLDS = 'No rule can allow this. `node`: the interpreter `node` always asks.';

describe('a rule that a person adds', () => {
  let one: Connected;
  let belay: Belay;
  let clock: FakeClock;
  let written: unknown[];

  const begin = (lists: Partial<Omit<Snapshot, 'host'>> & { host?: Partial<Snapshot['host']> } = {}) => {
    one = connected();
    one.host.snapshot = snapshot(lists);
    const rules: object[] = [];
    const label = ({ match }: RuleDraft): string => `rule of ${JSON.stringify(match)}`;
    const judged = (asked: unknown): RuleDraft | Refusal => {
      const draft = asked as RuleDraft;
      const isIdle =
        draft.effect === 'allow' && draft.match.kind === 'command' && draft.match.command === 'node *';
      return isIdle ? new Refusal('invalid_params', NEVER_HOLDS) : draft;
    };
    one.host.answer('rule/list', () => ({ items: [...rules] }));
    one.host.answer('rule/preview', (asked) => {
      const draft = judged(asked);
      return draft instanceof Refusal ? draft : { label: label(draft) };
    });
    one.host.answer('rule/add', (asked) => {
      written.push(asked);
      const draft = asked as RuleDraft;
      const rule = { ...draft, id: `r${rules.length + 1}`, label: label(draft), createdAt: NOW, by: 'you' };
      rules.push(rule);
      return { rule };
    });
    const state = new SnapshotStore(one.client, () => undefined, new FakeClock());
    belay = { host: one.client, state, chat: { shows: () => false } } as unknown as Belay;
  };

  beforeEach(() => {
    written = [];
    clock = new FakeClock();
    Object.assign(editor, {
      pick: new OpenPick(),
      input: new OpenInput(),
      lists: [],
      chooses: [],
      messages: [],
    });
  });
  afterEach(() => one.close());

  const until = async (what: () => boolean): Promise<void> => {
    while (!what()) await new Promise(setImmediate);
  };
  const labels = (): string[] => editor.pick.items.map((item) => (item as { label: string }).label);
  const at = (step: number): Promise<void> => until(() => editor.pick.step === step);
  /** Chooses in the quick pick of this step. */
  const choose = async (step: number, label: string): Promise<void> => {
    await at(step);
    editor.pick.activeItems = editor.pick.items.filter((item) => (item as { label: string }).label === label);
    assert.equal(editor.pick.activeItems.length, 1, `${label} of ${labels().join()}`);
    editor.pick.enter();
  };
  const input = (step: number): Promise<void> => until(() => editor.input.step === step);
  const severity = (): number | undefined => editor.input.validationMessage?.severity;
  const said = async (): Promise<string> => {
    await until(() => editor.input.validationMessage !== undefined);
    return editor.input.validationMessage?.message ?? '';
  };

  it('A10 goes through numbered steps to the words of the host, is written by Enter, and stands in the list', async () => {
    begin({ sessions: [] });
    editor.chooses = [0];
    const managing = manageRules(belay);
    await choose(1, 'Deny');
    await at(2);
    assert.deepEqual(labels(), ['This workspace', 'All workspaces'], 'a window without a session');
    await choose(2, 'This workspace');
    await choose(3, 'A command');
    await input(4);
    assert.deepEqual([editor.input.title, editor.input.totalSteps], ['Add a rule', 5]);
    assert.match(editor.input.prompt, /\* as the last one stands for any further words/);
    editor.input.type(' touch never ');
    editor.input.enter();
    await at(5);
    const match = { kind: 'command', command: 'touch never', folder: '/w/docs' };
    assert.deepEqual(labels(), [`rule of ${JSON.stringify(match)}`]);
    assert.deepEqual(written, []);
    editor.pick.enter();
    await managing;
    assert.deepEqual(written, [{ effect: 'deny', scope: 'workspace', match, by: 'you from the palette' }]);
    const [before, after] = editor.lists;
    assert.deepEqual([before?.items.length, after?.items.length], [1, 2]);
    assert.match(after?.placeHolder ?? '', /^Added: rule of /);
    assert.deepEqual(
      after?.items.map((item) => (item as { label: string }).label),
      ['Add a rule…', `rule of ${JSON.stringify(match)}`],
    );
  });

  it('A10 R11 that could never hold says why under what was typed, which stays', async () => {
    begin();
    const adding = addRule(belay, clock);
    await choose(1, 'Allow');
    await choose(2, 'This workspace');
    await choose(3, 'A command');
    await input(4);
    editor.input.type('node *');
    clock.turn(200);
    assert.equal(await said(), NEVER_HOLDS);
    editor.input.enter();
    await until(() => !editor.input.busy);
    assert.deepEqual([severity(), editor.input.value], [3, 'node *']);
    editor.input.type('node x');
    assert.ok(!editor.input.validationMessage, 'nothing is said of what no longer stands there');
    clock.turn(200);
    assert.match(await said(), /^rule of .*node x/);
    assert.equal(severity(), 1);
    editor.input.enter();
    await at(5);
    editor.pick.escape();
    assert.equal(await adding, undefined);
    assert.deepEqual(written, []);
  });

  it('keeps each answer on the way back, and numbers the steps anew', async () => {
    begin({ sessions: [session({ title: 'Fix login', folder: '/w/app' })] });
    const adding = addRule(belay, clock);
    await choose(1, 'Ask');
    await choose(2, 'Fix login');
    await choose(3, 'A command');
    await input(4);
    editor.input.type('git push *');
    const [first, last] = [editor.input, editor.pick];
    first.back();
    await until(() => editor.pick !== last);
    assert.equal(editor.pick.step, 3);
    editor.pick.back();
    await at(2);
    assert.deepEqual(
      editor.pick.activeItems.map((item) => (item as { label: string }).label),
      ['Fix login'],
    );
    await choose(2, 'Fix login');
    await choose(3, 'A command');
    await until(() => editor.input !== first);
    assert.equal(editor.input.value, 'git push *');
    editor.input.enter();
    await at(5);
    editor.pick.enter();
    await adding;
    const match = { kind: 'command', command: 'git push *', folder: '/w/app' };
    assert.deepEqual(written, [
      { effect: 'ask', scope: 'session', session: 's1', match, by: 'you from the palette' },
    ]);
  });

  it('may be for the edits of a file, from the folder on, or for a tool, which may be typed', async () => {
    begin();
    const one = addRule(belay, clock);
    await choose(1, 'Allow');
    await choose(2, 'This workspace');
    await choose(3, 'Edits of files');
    await input(4);
    editor.input.enter();
    assert.equal(await said(), 'There is nothing here yet.');
    editor.input.type('src/a.ts');
    editor.input.enter();
    await at(5);
    editor.pick.enter();
    await one;
    const other = addRule(belay, clock);
    await choose(1, 'Deny');
    await choose(2, 'This workspace');
    await choose(3, 'A tool');
    await at(4);
    editor.pick.type('files__remove');
    await choose(4, 'files__remove');
    await at(5);
    editor.pick.enter();
    await other;
    assert.deepEqual(
      written.map((asked) => (asked as RuleDraft).match),
      [
        { kind: 'path', path: '/w/docs/src/a.ts' },
        { kind: 'tool', tool: 'files__remove' },
      ],
    );
  });

  it('A12 may be for all workspaces, in every folder, and for the reading of files by path, folder or names', async () => {
    begin();
    for (const [place, kind, text] of [
      ['All workspaces', 'A command', 'git push *'],
      ['All workspaces', 'Reads of files', '.env'],
      ['This workspace', 'Reads of files', '*.pem'],
      ['This workspace', 'Reads of files', 'keys/'],
      ['This workspace', 'Reads of files', 'a.txt'],
      ['All workspaces', 'Edits of files', '/w/docs/a.txt'],
    ] as const) {
      const adding = addRule(belay, clock);
      await choose(1, 'Deny');
      await choose(2, place);
      await choose(3, kind);
      await input(4);
      editor.input.type(text);
      editor.input.enter();
      await at(5);
      editor.pick.enter();
      await adding;
    }
    assert.deepEqual(
      written.map((asked) => [(asked as RuleDraft).scope, (asked as RuleDraft).match]),
      [
        ['user', { kind: 'command', command: 'git push *' }],
        ['user', { kind: 'pattern', pattern: '.env', access: 'read' }],
        ['workspace', { kind: 'pattern', pattern: '*.pem', access: 'read' }],
        ['workspace', { kind: 'folder', path: '/w/docs/keys', access: 'read' }],
        ['workspace', { kind: 'path', path: '/w/docs/a.txt', access: 'read' }],
        ['user', { kind: 'path', path: '/w/docs/a.txt' }],
      ],
    );
  });

  it('A11 cannot allow in an untrusted workspace, which is said', async () => {
    begin({ host: { trusted: false } });
    const adding = addRule(belay, clock);
    await at(1);
    assert.deepEqual(labels(), ['Ask', 'Deny']);
    assert.match(editor.pick.placeholder, /not trusted/);
    editor.pick.escape();
    await adding;
  });

  it('R11 that the host refuses when it is to be written goes back to what was typed', async () => {
    begin();
    one.host.answer('rule/add', () => new Refusal('session_unknown', 'There is no such session.'));
    const adding = addRule(belay, clock);
    await choose(1, 'Deny');
    await choose(2, 'Fix login');
    await choose(3, 'A command');
    await input(4);
    editor.input.type('git push');
    const first = editor.input;
    editor.input.enter();
    await at(5);
    editor.pick.enter();
    await until(() => editor.input !== first);
    assert.equal(editor.messages[0]?.text, 'There is no such session.');
    assert.equal(editor.input.value, 'git push');
    editor.input.back();
    await at(3);
    editor.pick.escape();
    await adding;
  });
});
