import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods, type ContentBlock } from '@agentclientprotocol/sdk';
import { HostLink } from '../../acp/hostLink';
import { Editor } from '../support/acpEditor';
import { localModel } from '../support/hostClient';
import { gate, startModelServer, type ModelServer } from '../support/modelServer';
import { done, shell } from '../support/scene';

/** A prompt that came while another process's host went is refused, and sent again. */
async function promptedAfter(editor: Editor, session: string): Promise<unknown> {
  try {
    return await editor.prompt(session, 'go on');
  } catch (error) {
    if ((error as { data?: { code?: string } }).data?.code !== 'host_stopping') throw error;
    return promptedAfter(editor, session);
  }
}

/** A store's folder and settings, the model that answers, and a workspace for each test. */
class Place {
  base = '';
  folder = '';
  declare server: ModelServer;

  async open(): Promise<void> {
    this.base = mkdtempSync(join(tmpdir(), 'belay-acp-'));
    this.server = await startModelServer();
    const settings = localModel(this.server.url, { approvals: { holdMs: 0 } });
    writeFileSync(join(this.base, 's.json'), JSON.stringify(settings));
  }

  renew(): void {
    this.folder = mkdtempSync(join(this.base, 'workspace-'));
    this.server.forget();
  }

  async close(): Promise<void> {
    await this.server.stop();
    rmSync(this.base, { recursive: true, force: true });
  }
}

describe('a host of one’s own', function () {
  this.timeout(30_000);

  it('R5 H8 once it has ended, nothing waits for it any more, and nothing is asked of it', async () => {
    const base = mkdtempSync(join(tmpdir(), 'belay-acp-'));
    const bundle = join(__dirname, '../../dist/host.js');
    const link = await HostLink.start(
      { storeDir: join(base, 'store'), settings: {}, bundle },
      () => undefined,
    );
    const late = link.request('session/list', {}).catch((error: unknown) => error);
    await link.stop();
    await late;
    assert.match((await link.ended).message, /The host has ended/);
    await assert.rejects(link.request('session/list', {}), /The host has ended/);
    rmSync(base, { recursive: true, force: true });
  });
});

describe('served over ACP', function () {
  this.timeout(30_000);
  const place = new Place();
  let editor: Editor;
  before(async () => {
    await place.open();
    editor = new Editor(place.base);
  });
  beforeEach(() => {
    place.renew();
    editor.forget();
  });
  after(async () => {
    await editor.end();
    await place.close();
  });

  it('H8 a prompt is a turn: words as they come, calls by turn and call, a permission request for each approval', async () => {
    place.server.script([{ text: 'Look.', calls: [shell('touch a.txt', {}, 'c1')] }, done('Written.')]);
    const { agentCapabilities } = await editor.initialize();
    assert.equal(agentCapabilities?.loadSession, true);
    const session = await editor.open(place.folder);
    const prompted = editor.prompt(session, 'write');
    const { request, choose } = await editor.nth(0);
    assert.equal(request.toolCall.toolCallId, 't1/c1');
    assert.deepEqual(
      request.options.map((option) => option.kind),
      ['allow_once', 'allow_always', 'allow_always', 'reject_once'],
    );
    assert.match(request.options[1]!.name, /^Allow for this session: .*touch a.txt/);
    assert.ok(!existsSync(join(place.folder, 'a.txt')));
    choose('once');
    assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    assert.ok(existsSync(join(place.folder, 'a.txt')));
    assert.equal(editor.status('t1/c1'), 'completed');
    assert.match(editor.said(), /Look\..*Written\./s);
  });

  it('A3 H8 a denial is told to the model, and the turn goes on', async () => {
    place.server.script([{ calls: [shell('rm -rf x', {}, 'c1')] }, done('Fine.')]);
    const session = await editor.open(place.folder);
    const prompted = editor.prompt(session, 'go');
    const { request, choose } = await editor.nth(0);
    choose('deny');
    assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    assert.equal(editor.status(request.toolCall.toolCallId), 'failed');
  });

  it('H8 cancel interrupts the turn, and what was asked is taken off the screen', async () => {
    place.server.script([{ calls: [shell('sleep 1', {}, 'c1')] }]);
    const session = await editor.open(place.folder);
    const prompted = editor.prompt(session, 'go');
    const { signal } = await editor.nth(0);
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    assert.deepEqual(await prompted, { stopReason: 'cancelled' });
    await editor.until(() => (signal.aborted ? true : undefined));
  });

  it('H8 L13 a later turn’s call under the same id is another call', async () => {
    place.server.script([
      { calls: [shell('true', {}, 'same')] },
      done('One.'),
      { calls: [shell('true', {}, 'same')] },
      done('Two.'),
    ]);
    const session = await editor.open(place.folder);
    const ids: string[] = [];
    for (const n of [0, 1]) {
      const prompted = editor.prompt(session, `go ${String(n)}`);
      const { request, choose } = await editor.nth(n);
      ids.push(request.toolCall.toolCallId);
      choose('once');
      assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    }
    assert.match(ids.join(' '), /^t(\d+)\/same t(?!\1\/)\d+\/same$/);
  });

  it('C1 H8 a question with choices is put as such; one that wants words takes the next prompt', async () => {
    place.server.script([
      {
        calls: [{ tool: 'ask', args: { question: 'Which?', choices: ['red', { label: 'blue' }] }, id: 'q1' }],
      },
      { calls: [{ tool: 'ask', args: { question: 'Why?' }, id: 'q2' }] },
      done('Thanks.'),
    ]);
    const session = await editor.open(place.folder);
    const prompted = editor.prompt(session, 'go');
    const { request, choose } = await editor.nth(0);
    assert.deepEqual(
      request.options.map((option) => option.name),
      ['red', 'blue'],
    );
    choose('1');
    assert.deepEqual(await prompted, { stopReason: 'end_turn' });
    assert.match(editor.said(), /Why\?/);
    assert.deepEqual(await editor.prompt(session, 'because'), { stopReason: 'end_turn' });
    assert.match(editor.said(), /Thanks\./);
    const told = place.server.requests.at(-1)?.items.filter((item) => item.role === 'tool') ?? [];
    assert.deepEqual(
      told.map((item) => item.text),
      ['{"answer":"blue"}', '{"answer":"because"}'],
    );
  });

  describe('a prompt that answers a question of a call that has left its turn', () => {
    const code = `await tools.shell({ command: 'true' });
return tools.ask({ question: 'Which name?' });`;
    const asks = async () => {
      place.server.script([
        { calls: [{ tool: 'exec', args: { code }, id: 'c1' }] },
        done('Read.'),
        done('Woken.'),
      ]);
      const session = await editor.open(place.folder);
      const first = editor.prompt(session, 'go');
      const { choose } = await editor.nth(0);
      const second = editor.prompt(session, 'by the way');
      assert.deepEqual([await first, await second], [{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
      choose('once');
      await editor.until(() => (editor.said().includes('Which name?') ? true : undefined));
      return session;
    };

    it('R5 C2 H8 the question is said although no prompt runs, and the prompt that answers it ends', async () => {
      const session = await asks();
      assert.deepEqual(await editor.prompt(session, 'Anna'), { stopReason: 'end_turn' });
      await editor.until(() => (editor.said().includes('Woken.') ? true : undefined));
      assert.match(JSON.stringify(place.server.requests.at(-1)?.items), /Anna/);
    });
  });

  it('R10 H8 what it cannot take is refused with words, and files that come with an answer are read', async () => {
    place.server.script([
      { calls: [{ tool: 'ask', args: { question: 'Why?' }, id: 'q1' }] },
      done('Thanks.'),
    ]);
    const session = await editor.open(place.folder);
    const send = (prompt: ContentBlock[]) =>
      editor.agent.request(methods.agent.session.prompt, { sessionId: session, prompt });
    const unsupported: ContentBlock[] = [
      { type: 'audio', mimeType: 'audio/wav', data: '' },
      { type: 'image', mimeType: 'image/tiff', data: '' },
      { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AA==' } },
    ];
    for (const block of unsupported)
      await assert.rejects(send([{ type: 'text', text: 'go' }, block]), /Nothing was sent/);
    assert.equal(place.server.requests.length, 0);
    assert.deepEqual(await editor.prompt(session, 'go'), { stopReason: 'end_turn' });
    await send([
      { type: 'text', text: 'because' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'of this' } },
    ]);
    const told = place.server.requests.at(-1)?.items.filter((item) => item.role === 'tool') ?? [];
    assert.equal(told[0]?.text, JSON.stringify({ answer: 'because\n[/a.txt]\nof this' }));
  });

  it('R11 a refusal of the host has its code and its words', async () => {
    await editor.initialize();
    await assert.rejects(editor.prompt('s99', 'go'), (error: Error & { data?: { code?: string } }) => {
      assert.equal(error.data?.code, 'session_unknown');
      assert.match(error.message, /does not exist/);
      return true;
    });
  });
});

describe('processes served over ACP that come and go', function () {
  this.timeout(30_000);
  const place = new Place();
  let editor: Editor;
  beforeEach(async () => {
    await place.open();
    place.renew();
    editor = new Editor(place.base);
  });
  afterEach(async () => {
    await editor.end();
    await place.close();
  });

  it('H8 L6 a lifted call is kept until it ends, and a thread that comes back puts it again with no turn running', async () => {
    place.server.script([
      { calls: [shell('echo hi > a.txt', {}, 'c1')] },
      done('It writes.'),
      done('It ran.'),
    ]);
    const session = await editor.open(place.folder);
    const first = editor.prompt(session, 'go');
    await editor.nth(0);
    const second = editor.prompt(session, 'what does it do?');
    assert.deepEqual(await first, { stopReason: 'end_turn' });
    assert.deepEqual(await second, { stopReason: 'end_turn' });
    assert.equal(editor.status('t1/c1'), 'in_progress');
    await editor.end();

    editor = new Editor(place.base);
    await editor.initialize();
    const { sessions } = await editor.agent.request(methods.agent.session.list, {});
    assert.deepEqual(
      sessions.map((one) => [one.sessionId, one.cwd]),
      [[session, place.folder]],
    );
    await editor.agent.request(methods.agent.session.load, {
      sessionId: session,
      cwd: place.folder,
      mcpServers: [],
    });
    assert.match(editor.said(), /It writes\./);
    const again = await editor.nth(0);
    assert.equal(again.request.toolCall.toolCallId, 't1/c1');
    again.choose('once');
    await editor.until(() => (editor.status('t1/c1') === 'completed' ? true : undefined));
    assert.ok(existsSync(join(place.folder, 'a.txt')));
  });

  it('D4 a second process of the same store works as well, sees nothing of threads of others, and goes on alone', async () => {
    place.server.reply(() => done('Well.'));
    const first = await editor.open(place.folder);
    const other = new Editor(place.base);
    try {
      const second = await other.open(place.folder);
      assert.notEqual(first, second);
      assert.deepEqual(await other.prompt(second, 'go'), { stopReason: 'end_turn' });
      assert.deepEqual(await editor.prompt(first, 'go'), { stopReason: 'end_turn' });
      assert.deepEqual([editor.said(), other.said()], ['Well.', 'Well.']);
      const key = join(place.base, 'store', 'acp.key');
      assert.equal(statSync(key).mode & 0o777, 0o600);
      assert.ok(![editor.stderr, other.stderr].join().includes(readFileSync(key, 'utf8')));
      await editor.end();
      assert.deepEqual(await promptedAfter(other, second), { stopReason: 'end_turn' });
    } finally {
      await other.end();
    }
  });

  // The request of a prompt that comes in the moment of the cancel may arrive after it, in no other test.
  it('R5 H8 cancel ends each prompt of its session: what is not read yet is taken back', async () => {
    const held = gate();
    place.server.script([{ ...done('Late.'), gate: held }]);
    const session = await editor.open(place.folder);
    const first = editor.prompt(session, 'go');
    await held.reached;
    const second = editor.prompt(session, 'and then');
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    assert.deepEqual([await first, await second], [{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
    assert.equal(place.server.requests.length, 1);
  });
});
