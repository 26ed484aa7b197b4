import { editor, stub } from './vscodeStub';
import assert from 'node:assert/strict';
import type { Context } from '../../protocol';
import type { Belay } from '../../extension/belay';
import { answer } from '../../extension/commands/answer';
import { guarded } from '../../extension/commands/guarded';
import { attachSelection, attachTerminalText, findFiles } from '../../extension/commands/attach';
import { nextRequest } from '../../extension/commands/nextRequest';
import { restartHost } from '../../extension/commands/restartHost';
import { steer } from '../../extension/commands/sendMessage';
import { archiveSession, deleteSession, forkSession, renameSession } from '../../extension/commands/sessions';
import { AgentTerminal } from '../../extension/terminals/agentTerminal';
import { enterSecret } from '../../extension/clientTools/answers';
import { followHostNotices } from '../../extension/notices/hostNotice';
import { by, COMMANDS, SCHEMES } from '../../extension/ids';
import { approvalOf } from '../../extension/subjects';
import { SnapshotStore } from '../../extension/state';
import { connected, type Connected } from './connected';
import { FakeClock } from './fakeClock';
import { Refusal } from './fakeHost';
import { asks, handle, question, session, snapshot } from './samples';

describe('a command', () => {
  let one: Connected;
  let state: SnapshotStore;

  const begin = async (...parts: Parameters<typeof snapshot>): Promise<void> => {
    one.host.snapshot = snapshot(...parts);
    await one.client.start();
    await state.known();
  };

  beforeEach(() => {
    one = connected();
    state = new SnapshotStore(one.client, () => undefined, new FakeClock());
    editor.messages = [];
    editor.ran = [];
    editor.answers = [];
  });
  afterEach(() => one.close());

  it('that goes to the next request goes on from the row that has the focus, and goes to the one that is named', async () => {
    await begin({ needs: [asks(), asks({ id: 'a2' })] });
    const asked: (readonly [unknown, unknown])[] = [];
    const needs = {
      reveal: (id: unknown, last: unknown) => {
        asked.push([id, last]);
        return Promise.resolve(`after ${String(last)}`);
      },
    };
    const belay = { host: one.client, state, needs } as unknown as Belay;
    await nextRequest(belay, { approval: 'a2' });
    const row = { subject: { approval: 'a1' }, row: { id: 'need/a1' }, children: [] };
    await nextRequest(belay, row);
    await nextRequest(belay, row);
    const [[named] = [], [first, from] = [], [second, next] = []] = asked;
    assert.deepEqual([named, first, second], ['a2', undefined, undefined]);
    assert.equal(next, `after ${String(from)}`);
  });

  it('R5 that restarts the host asks first when a turn is at work, also beside a request that was lifted', async () => {
    await begin({
      sessions: [session({ state: 'running' })],
      needs: [asks({ handle: 'proc:7' })],
    });
    await restartHost({ host: one.client, state } as unknown as Belay);
    assert.match(editor.messages[0]?.detail ?? '', /Fix login/);
    assert.equal(one.client.status.kind, 'ready');
    assert.equal(one.host.terminated, false);
  });

  it('R5 that restarts the host does not ask for a turn that waits for the person, held live or not', async () => {
    await begin({ sessions: [session({ state: 'running' })], needs: [asks()] });
    const restarting = restartHost({ host: one.client, state } as unknown as Belay);
    await new Promise(setImmediate);
    assert.deepEqual(editor.messages, []);
    void restarting.catch(() => undefined);
  });

  it('R5 of an old notification asks as well: it is the command itself that its button runs', async () => {
    editor.answers = ['Restart'];
    const following = followHostNotices({ host: one.client, state } as unknown as Belay, new FakeClock());
    await begin({ sessions: [session({ state: 'running' })] });
    one.host.crash('It fell over.');
    await editor.run(COMMANDS.restartHost);
    following.dispose();
  });

  it('T1 that steers sends once more under the same id when the host went before it answered', async () => {
    await begin();
    const answers = [new Refusal('host_failed', 'Gone.'), { message: 'm1', state: 'steering' }];
    one.host.answer('message/send', () => answers.shift());
    editor.answers = ['and then the tests'];
    await steer({ host: one.client, state, chat: { shows: () => true } } as unknown as Belay);
    const sent = one.host.heard.filter(({ method }) => method === 'message/send');
    assert.equal(sent.length, 2);
    assert.deepEqual(sent[0]?.params, sent[1]?.params);
    assert.match(editor.messages[0]?.text ?? '', /reads your message/);
  });

  it('R9 that steers leaves what was written in the chat when it could not be sent', async () => {
    await begin();
    one.host.answer('message/send', () => new Refusal('host_failed', 'Gone.'));
    editor.answers = ['and then the tests'];
    const told: unknown[] = [];
    const chat = { shows: () => true, show: (...what: unknown[]) => Promise.resolve(told.push(...what)) };
    await assert.rejects(steer({ host: one.client, state, chat } as unknown as Belay), /Gone/);
    assert.deepEqual(told, ['s1', { type: 'draft', text: 'and then the tests' }]);
  });

  it('R9 that answers asks nothing for a question that has ended, and stores no secret for it', async () => {
    const secret = question({ tool: 'request_secret', args: { name: 'token' } });
    const kept: string[] = [];
    const secrets = { set: (name: string) => Promise.resolve(kept.push(name)) };
    const belay = { host: one.client, state, secrets } as unknown as Belay;
    await begin();
    editor.answers = ['very secret'];
    await answer(belay, secret, by.notification);
    assert.deepEqual(editor.answers, ['very secret'], 'nobody was asked');
    assert.equal(editor.messages[0]?.text, 'This request no longer waits.');
    // It ends while the value is being entered.
    let looks = 0;
    assert.equal(await enterSecret(secret, belay.secrets, () => Promise.resolve(++looks > 1)), undefined);
    assert.deepEqual([looks, kept], [1, []]);
  });

  it('A4 on a diff that was announced again since is for no request', () => {
    const again = snapshot({ needs: [asks({ request: 2 })] });
    const shown = (request: number) => ({
      scheme: SCHEMES.diff,
      query: `approval=a1&request=${request}&side=after`,
    });
    assert.equal(approvalOf(again, shown(1)), undefined);
    assert.equal(approvalOf(again, shown(2))?.id, 'a1');
    assert.equal(approvalOf(again, { approval: 'a1' })?.id, 'a1');
  });

  it('R11 of the page that fails says why, and shows the way to the log', async () => {
    const log = { error: () => undefined, show: () => undefined };
    await guarded({ log } as unknown as Belay, () => Promise.reject(new Error('No such file.')));
    assert.deepEqual(editor.messages, [{ text: 'No such file.', detail: '', buttons: ['Show log'] }]);
  });

  it('that archives, restores or deletes sessions is about all that are selected with the one clicked', async () => {
    const ids = ['s1', 's2', 's3'];
    await begin({ sessions: ids.map((id) => session({ id })) });
    const asked: unknown[] = [];
    const note = (params: unknown) => {
      asked.push(params);
      return {};
    };
    one.host.answer('session/update', note).answer('session/delete', note);
    const rows = ids.map((id) => ({ subject: { session: id } }));
    const belay = { host: one.client, state } as unknown as Belay;
    await archiveSession(belay, rows[0], rows.slice(0, 2));
    await archiveSession(belay, rows[2], rows.slice(0, 2));
    editor.answers = ['Delete'];
    await deleteSession(belay, rows[1], rows);
    assert.match(editor.messages[0]?.text ?? '', /^Delete 3 sessions/);
    assert.deepEqual(asked, [
      { session: 's1', archived: true },
      { session: 's2', archived: true },
      { session: 's3', archived: true },
      ...ids.map((id) => ({ session: id })),
    ]);
  });

  it('from the palette is about the session in the chat: renamed, archived, forked and deleted', async () => {
    await begin({ sessions: [session({ id: 's1' }), session({ id: 's2' })] });
    const asked: unknown[] = [];
    const note = (params: unknown) => {
      asked.push(params);
      return {};
    };
    one.host.answer('session/update', note).answer('session/delete', note);
    one.host.answer('session/fork', (params) => ({ ...note(params), session: session(), warnings: [] }));
    const chat = { shows: (id: string) => id === 's2', show: () => Promise.resolve() };
    const belay = { host: one.client, state, chat } as unknown as Belay;
    editor.answers = ['Better name', 'Delete'];
    await renameSession(belay, undefined);
    await archiveSession(belay, undefined, undefined);
    await forkSession(belay, undefined);
    await deleteSession(belay, undefined, undefined);
    assert.deepEqual(asked, [
      { session: 's2', title: 'Better name' },
      { session: 's2', archived: true },
      { session: 's2' },
      { session: 's2' },
    ]);
  });

  it('R5 to attach shows a terminal that ends with its host, and the next key closes it', async () => {
    await begin();
    one.host.answer('handle/attach', () => ({ view: 'v1', handle: handle(), cols: 80, rows: 24 }));
    const terminal = new AgentTerminal({
      host: one.client,
      handle: handle().id,
      words: () => 'exited',
      lost: () => 'ended with the host',
      closed: () => undefined,
    });
    const written = new Promise<string>((resolve) => terminal.onDidWrite(resolve));
    terminal.open(undefined);
    await one.host.next(({ method }) => method === 'handle/attach');
    await one.client.request('host/status', {}).catch(() => undefined);
    one.host.crash('It fell over.');
    assert.match(await written, /ended with the host/);
    const closed = new Promise<void>((resolve) => terminal.onDidClose(() => resolve()));
    terminal.handleInput('x');
    await closed;
    terminal.close();
  });

  it('R10 that attaches a long selection says that it was cut, and what is there', async () => {
    const told: { context: Context[] }[] = [];
    const chat = {
      show: (_session: unknown, then: { context: Context[] }) => Promise.resolve(told.push(then)),
    };
    const uri = { scheme: 'file', fsPath: '/w/a.ts' };
    const selection = { isEmpty: false, start: { line: 0 }, end: { line: 9 } };
    stub.window.activeTextEditor = { document: { uri, getText: () => 'x'.repeat(70_000) }, selection };
    await attachSelection({ chat } as unknown as Belay);
    stub.window.activeTextEditor = undefined;
    const text = told[0]?.context[0]?.text ?? '';
    assert.match(text, /x\n\[Cut here: 65536 of 70000 characters were added\.\]$/);
  });

  it('that attaches from a terminal without a selection leaves the clipboard alone, a picture as well', async () => {
    editor.clipboard = [];
    await attachTerminalText({} as Belay);
    assert.deepEqual(editor.clipboard, []);
    editor.clipboard = ['kept'];
    await attachTerminalText({} as Belay);
    assert.equal(editor.clipboard.at(-1), 'kept');
    assert.deepEqual(
      editor.messages.map(({ text }) => text),
      Array(2).fill('Select text in the terminal first.'),
    );
  });

  it('that finds folders gives their real paths, whatever the workspace calls its own', async () => {
    const told: { items: { path: string; folder: boolean }[] }[] = [];
    const chat = { tell: (found: { items: { path: string; folder: boolean }[] }) => void told.push(found) };
    for (const query of ['cart', 'docs']) await findFiles({ chat } as unknown as Belay, query);
    const folders = told.map(({ items }) => items.filter(({ folder }) => folder).map(({ path }) => path));
    assert.deepEqual(folders, [['/w/docs-v2/src/cart'], ['/w/docs-v2']]);
  });
});
