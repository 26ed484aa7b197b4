import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { serveRelay } from '../../host/adapters/clientTools/relay';
import { systemClock } from '../../host/base/clock';
import type { Launch } from '../../host/base/launch';
import {
  acknowledgement,
  isRelayName,
  readAnswer,
  relayId,
  requestIdOf,
  settledAnswer,
  SHIM_ENV,
} from '../../protocol/relay';
import { acknowledged, answer, Bin, channels, HandCord, HandTools, log, SHIM, ShimProcess } from './support';

const bin = new Bin();
const cord = () => new HandCord();

/** The host's side alone, and the folder that a forger writes into. */
async function hostSide(tools = new HandTools(), dir = bin.folder(), hand = cord()) {
  const said: string[] = [];
  const relay = await serveRelay({
    tools,
    dir,
    nonce: 'secret',
    launch: hand.launch,
    clock: systemClock,
    log: (level, text) => said.push(`${level}: ${text}`),
    unique: () => 'u1',
  });
  bin.add(relay, (one) => one.close());
  const publish = (id: string, body: unknown): void => {
    writeFileSync(join(dir, `${id}.req.json.tmp.x`), typeof body === 'string' ? body : JSON.stringify(body));
    renameSync(join(dir, `${id}.req.json.tmp.x`), join(dir, `${id}.req.json`));
  };
  const request = (id: string, rest: object = {}) =>
    publish(id, {
      toolName: 'ask',
      toolCallId: id,
      args: { question: 'q' },
      turn: tools.turn,
      nonce: 'secret',
      ...rest,
    });
  return { relay, dir, tools, hand, said, publish, request };
}

/** The whole way: the host, the folder, and the shim as an agent has started it. */
async function bothSides(tools = new HandTools(), dir = bin.folder(), hand = cord()) {
  const place = { dir, shim: SHIM, node: process.execPath };
  const channel = bin.add(await channels().relay(tools, place, hand.launch), (one) => one.close());
  const shim = bin.add(new ShimProcess(channel), (one) => one.end());
  return { dir, tools, hand, channel, shim };
}

/** Resolves with the answer file's content as soon as it is there. */
function answerIn(dir: string, id: string): Promise<unknown> {
  return whenThere(dir, () => {
    try {
      return JSON.parse(readFileSync(join(dir, `${id}.res.json`), 'utf8')) as unknown;
    } catch {
      return undefined;
    }
  });
}

function whenThere<T>(dir: string, look: () => T | undefined): Promise<T> {
  return new Promise((resolve) => {
    const watcher = watch(dir, () => check());
    const check = () => {
      const found = look();
      if (found === undefined) return;
      watcher.close();
      resolve(found);
    };
    check();
  });
}

const relayFiles = (dir: string): string[] => readdirSync(dir).filter(isRelayName);

describe('the file relay', () => {
  afterEach(() => bin.empty());

  it('C3 C4 a call goes through the folder and back, byte for byte, and leaves no file behind', async () => {
    const { shim, tools, dir } = await bothSides();
    const text = 'yes, "quoted"\n\tüñí 🙂 \u2028 end';
    const called = shim.call('ask', { question: 'Which?' }, { callId: 'toolu_1' });
    const made = await tools.nth(0);
    assert.deepEqual([made.name, made.args, made.from.callId], ['ask', { question: 'Which?' }, 'toolu_1']);
    made.reply(answer(text));
    assert.deepEqual(await called, { text, isError: false });
    assert.deepEqual(relayFiles(dir), []);
  });

  it('C4 the request is deleted when it is picked up, while its call is still held', async () => {
    const { request, tools, dir } = await hostSide();
    request('c1');
    await tools.nth(0);
    assert.ok(!existsSync(join(dir, 'c1.req.json')));
    assert.ok(!existsSync(join(dir, 'c1.res.json')));
  });

  it('C4 C5 the shim makes the neutral text of a pause, and deletes both files', async () => {
    const { shim, tools, dir } = await bothSides();
    const called = shim.call('ask', { question: 'q' });
    (await tools.nth(0)).reply(acknowledged);
    const said = await called;
    assert.deepEqual(said, { text: acknowledgement('ask'), isError: false });
    assert.match(said.text, /ask/);
    assert.match(said.text, /do not retry/i);
    assert.deepEqual(relayFiles(dir), []);
  });

  it('C4 exactly one kind of reply writes a pause, and two write nothing', async () => {
    const { request, tools, dir, relay } = await hostSide();
    request('paused');
    (await tools.nth(0)).reply(acknowledged);
    assert.deepEqual(await answerIn(dir, 'paused'), { ok: true, paused: true });
    request('parked');
    (await tools.nth(1)).reply({ kind: 'parked' });
    request('dropped');
    (await tools.nth(2)).reply({ kind: 'dropped' });
    request('last');
    (await tools.nth(3)).reply(answer('x'));
    assert.deepEqual(await answerIn(dir, 'last'), { ok: true, text: 'x' });
    await relay.close();
    assert.deepEqual(readdirSync(dir).sort(), ['last.res.json', 'paused.res.json']);
  });

  it('C4 a refusal is ok:false, never an empty success', async () => {
    const { request, tools, dir } = await hostSide();
    request('c1');
    (await tools.nth(0)).reply({
      kind: 'answered',
      result: { output: { error: 'approval_denied', detail: 'no' }, failed: true },
    });
    assert.deepEqual(await answerIn(dir, 'c1'), {
      ok: false,
      error: '{"error":"approval_denied","detail":"no"}',
    });
  });

  it('C4 forged: a wrong nonce, another turn, a name that is not its call’s are refused and call nothing', async () => {
    const { request, tools, dir } = await hostSide();
    request('f1', { nonce: 'guessed' });
    assert.deepEqual(await answerIn(dir, 'f1'), { ok: false, error: 'it does not come from this agent' });
    request('f2', { turn: 't6' });
    assert.deepEqual(await answerIn(dir, 'f2'), { ok: false, error: 'it belongs to another turn' });
    request('f3', { toolCallId: 'other' });
    assert.deepEqual(await answerIn(dir, 'f3'), { ok: false, error: 'its name is not that of its call' });
    assert.equal(tools.made.length, 0);
  });

  it('C4 torn: a request that is no JSON or lacks a member is answered as an error, so that nobody waits', async () => {
    const { publish, tools, dir } = await hostSide();
    for (const [id, body] of [
      ['t1', '{"toolName":"ask","toolCall'],
      ['t2', '[]'],
      ['t3', { toolName: 'ask', turn: 't7', nonce: 'secret' }],
    ] as const) {
      publish(id, body);
      assert.deepEqual(await answerIn(dir, id), { ok: false, error: 'the request could not be read' });
    }
    assert.equal(tools.made.length, 0);
  });

  it('C4 R10 a pipe, a link and a huge file are no requests: each is refused, and nothing waits for them', async () => {
    const { dir, tools, relay, publish } = await hostSide();
    const refused = { ok: false, error: 'the request could not be read' };
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [join(dir, 'pipe.req.json')]);
      assert.deepEqual(await answerIn(dir, 'pipe'), refused);
      symlinkSync('/dev/zero', join(dir, 'link.req.json'));
      assert.deepEqual(await answerIn(dir, 'link'), refused);
    }
    publish('huge', 'x'.repeat(1024 * 1024 + 1));
    assert.deepEqual(await answerIn(dir, 'huge'), refused);
    assert.equal(tools.made.length, 0);
    await relay.close();
  });

  it('C4 a half-written request under its temporary name is not read', async () => {
    const { request, tools, dir } = await hostSide();
    writeFileSync(join(dir, 'half.req.json.tmp.1'), '{"toolName":');
    request('whole');
    assert.equal((await tools.nth(0)).from.callId, 'whole');
    assert.ok(existsSync(join(dir, 'half.req.json.tmp.1')));
  });

  it('C4 doubled: a request published again while its call is held makes no second call', async () => {
    const { request, tools, dir } = await hostSide();
    request('c1');
    const first = await tools.nth(0);
    request('c1');
    request('c2');
    await tools.nth(1);
    assert.deepEqual(
      tools.made.map((made) => made.from.callId),
      ['c1', 'c2'],
    );
    first.reply(answer('once'));
    assert.deepEqual(await answerIn(dir, 'c1'), { ok: true, text: 'once' });
  });

  it('C4 swept: leftovers of an earlier turn go before it is ready, and nothing else is touched', async () => {
    const dir = bin.folder();
    const left = ['a.req.json', 'a.res.json', 'b.req.json.tmp.9', 'b.res.json.tmp.9'];
    const others = ['usage.json', 'tools.json', 'x.req.json.bak', 'notes.req.txt'];
    for (const name of [...left, ...others]) writeFileSync(join(dir, name), '{}');
    mkdirSync(join(dir, 'sub'));
    const { tools } = await hostSide(new HandTools(), dir);
    assert.deepEqual(readdirSync(dir).sort(), [...others, 'sub'].sort());
    assert.equal(tools.made.length, 0);
  });

  it('C4 stale: a paused pair of an earlier call cannot answer a new one', async () => {
    const dir = bin.folder();
    writeFileSync(join(dir, 'call_1.req.json'), '{}');
    writeFileSync(join(dir, 'call_1.res.json'), '{"ok":true,"paused":true}');
    const { shim, tools } = await bothSides(new HandTools(), dir);
    const called = shim.call('ask', { question: 'q' }, { callId: 'call_1' });
    (await tools.nth(0)).reply(answer('fresh'));
    assert.deepEqual(await called, { text: 'fresh', isError: false });
  });

  it('R10 C4 any number of forged requests is refused, a few files at a time, and a real one is served', async () => {
    const dir = bin.folder();
    const tools = new HandTools();
    let open = 0;
    let most = 0;
    class CountingCord extends HandCord {
      override readonly launch: Launch = (effect) => {
        const value = effect();
        if (value instanceof Promise) {
          most = Math.max(most, ++open);
          value.finally(() => (open -= 1)).catch(() => undefined);
        }
        return value;
      };
    }
    const side = await hostSide(tools, dir, new CountingCord());
    for (let n = 0; n < 500; n += 1) side.publish(`f${String(n)}`, '{"forged":true}');
    side.request(relayId('real'), { toolCallId: 'real' });
    const made = await tools.nth(0);
    made.reply(answer('here'));
    assert.deepEqual(await answerIn(dir, relayId('real')), { ok: true, text: 'here' });
    assert.match(JSON.stringify(await answerIn(dir, 'f499')), /could not be read/);
    assert.ok(most <= 34, `${String(most)} at once`);
  });

  it('C4 late: an answer that comes after the shim has gone is written whole, and the next sweep takes it', async () => {
    const { shim, tools, dir, channel } = await bothSides();
    void shim.call('ask', { question: 'q' }, { callId: 'late' });
    const made = await tools.nth(0);
    await shim.kill();
    made.reply(answer('too late'));
    assert.deepEqual(await answerIn(dir, 'late'), { ok: true, text: 'too late' });
    await channel.close();
    await hostSide(new HandTools(), dir);
    assert.deepEqual(relayFiles(dir), []);
  });

  it('C8 stopping writes what is being written and nothing later: no late error frame', async () => {
    const { request, tools, dir, relay } = await hostSide();
    request('done');
    request('held');
    const [one, other] = [await tools.nth(0), await tools.nth(1)];
    const done = one.from.callId === 'done' ? one : other;
    done.reply(answer('whole'));
    await Promise.resolve();
    await relay.close();
    assert.deepEqual(JSON.parse(readFileSync(join(dir, 'done.res.json'), 'utf8')), {
      ok: true,
      text: 'whole',
    });
    assert.deepEqual(readdirSync(dir), ['done.res.json']);
    assert.ok(tools.made.every((made) => made === done || made.from.signal.aborted));
  });

  it('P1 C8 a pulled cord: no answer is written, and no request is picked up any more', async () => {
    const { request, tools, dir, hand, relay } = await hostSide();
    request('c1');
    const made = await tools.nth(0);
    hand.pulled = true;
    made.reply(answer('x'));
    await relay.close();
    assert.deepEqual(readdirSync(dir), []);
  });

  it('C4 a paused answer that reaches any other reader fails loudly', () => {
    assert.throws(
      () => settledAnswer({ ok: true, paused: true }, 'ask'),
      /^Error: unexpected paused relay answer for tool 'ask'$/,
    );
    assert.deepEqual(readAnswer({ ok: true, paused: true, text: 'x' }), { ok: true, paused: true });
    assert.equal(readAnswer({ ok: false, paused: true }), undefined);
    assert.equal(readAnswer({ ok: true }), undefined);
  });

  it('C4 names cannot lead out of the folder', () => {
    assert.equal(relayId('../../etc/passwd'), '______etc_passwd');
    assert.equal(relayId(''), 'tool');
    assert.equal(relayId('x'.repeat(200)).length, 120);
    assert.equal(requestIdOf('../a.req.json'), undefined);
    assert.equal(requestIdOf('a.req.json.tmp.1'), undefined);
    assert.ok(!isRelayName('a.req.json.bak'));
  });

  it('C7 the shim’s calls side by side each get their own answer, in any order', async () => {
    const { shim, tools } = await bothSides();
    const calls = [1, 2, 3].map((n) =>
      shim.call('ask', { question: 'same' }, { callId: `call_${String(n)}` }),
    );
    await tools.nth(2);
    for (const made of [...tools.made].reverse()) made.reply(answer(`answer of ${made.from.callId ?? ''}`));
    assert.deepEqual(
      (await Promise.all(calls)).map((said) => said.text),
      ['answer of call_1', 'answer of call_2', 'answer of call_3'],
    );
  });

  it('C4 a shim without its variables says which one, and ends with 1', async () => {
    const shim = new ShimProcess({
      command: process.execPath,
      args: [SHIM],
      env: { [SHIM_ENV.tools]: '/none' },
    });
    assert.equal(await shim.exited, 1);
    assert.match(shim.stderr, /BELAY_TOOLS_FILE cannot be read/);
  });

  it('R9 a cancelled call gets no reply, and its request’s call is no longer waited for', async () => {
    const { shim, tools, dir } = await bothSides();
    void shim.call('ask', { question: 'q' }, { callId: 'gone' });
    await tools.nth(0);
    shim.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    const pong = await shim.request('ping');
    assert.deepEqual(pong.result, {});
    assert.ok(!shim.received.some((one) => one['id'] === 1));
    assert.ok(!log.some((line) => line.startsWith('error')));
    await whenThere(dir, () => (relayFiles(dir).length === 0 ? true : undefined));
  });
});
