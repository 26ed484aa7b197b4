import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { acknowledgement, SHIM_ENV } from '../../protocol/relay';
import { acknowledged, answer, Bin, channels, HandCord, HandTools, ShimProcess } from './support';

const bin = new Bin();

async function opened(tools = new HandTools(), cord = new HandCord()) {
  const channel = bin.add(await channels().shim(tools, cord.launch), (one) => one.close());
  const shim = bin.add(new ShimProcess(channel), (one) => one.end());
  const socket = channel.env[SHIM_ENV.socket] ?? '';
  return { tools, cord, channel, shim, socket };
}

describe('the stdio shim over a local socket', () => {
  afterEach(() => bin.empty());

  it('C3 answers initialize at once, from what it has: no host is asked', async () => {
    const { shim, channel } = await opened();
    await shim.request('ping');
    await channel.close();
    const { result } = await shim.request('initialize', { protocolVersion: '2025-03-26', capabilities: {} });
    assert.equal(result?.['protocolVersion'], '2025-03-26');
    assert.deepEqual(result?.['capabilities'], { tools: {} });
    const newest = await shim.request('initialize', { protocolVersion: '2099-01-01' });
    assert.equal(newest.result?.['protocolVersion'], '2025-06-18');
  });

  it('C2 lists every tool with its name, description and schema, and nothing of how it is served', async () => {
    const { shim, tools } = await opened();
    const { result } = await shim.request('tools/list');
    assert.deepEqual(
      result?.['tools'],
      tools.specs.map(({ name, description, schema }) => ({ name, description, inputSchema: schema })),
    );
  });

  it('C3 carries calls, pictures and progress both ways, several at once', async () => {
    const { shim, tools } = await opened();
    const first = shim.request('tools/call', {
      name: 'ask',
      arguments: { question: 'a' },
      _meta: { progressToken: 'p1', 'claudecode/toolUseId': 'toolu_9' },
    });
    const second = shim.call('pick_files', {});
    const one = await tools.nth(0);
    assert.equal(one.from.callId, 'toolu_9');
    one.from.onProgress?.('Waiting for the person');
    const told = await shim.until(() =>
      shim.received.find((line) => line['method'] === 'notifications/progress'),
    );
    assert.deepEqual(told['params'], { progressToken: 'p1', progress: 1, message: 'Waiting for the person' });
    (await tools.nth(1)).reply(answer('/w/a.ts'));
    assert.deepEqual(await second, { text: '/w/a.ts', isError: false });
    const picture = { mediaType: 'image/png' as const, data: 'AAAA' };
    one.reply({
      kind: 'answered',
      result: { output: { answer: 'this' }, failed: false, images: [picture] },
    });
    assert.deepEqual((await first).result?.['content'], [
      { type: 'text', text: 'this' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ]);
  });

  it('C5 an acknowledged call is the neutral text and no error', async () => {
    const { shim, tools } = await opened();
    const called = shim.call('ask', { question: 'q' });
    (await tools.nth(0)).reply(acknowledged);
    assert.deepEqual(await called, { text: acknowledgement('ask'), isError: false });
  });

  it('R5 a failed call is an error with its words; an unknown tool and an unknown method are refused', async () => {
    const { shim, tools } = await opened();
    const called = shim.call('ask', { question: 'q' });
    (await tools.nth(0)).reply({
      kind: 'answered',
      result: { output: { error: 'tool_failed', detail: 'no' }, failed: true },
    });
    assert.deepEqual(await called, { text: '{"error":"tool_failed","detail":"no"}', isError: true });
    assert.equal((await shim.request('tools/call', { name: 'rm' })).error?.code, -32602);
    assert.equal((await shim.request('resources/list')).error?.code, -32601);
    shim.raw('{"jsonrpc":');
    shim.raw('[{"jsonrpc":"2.0","id":9,"method":"tools/call"}]');
    const refused = await shim.until(() => {
      const codes = shim.received.flatMap((one) => (one['id'] === null ? [one['error']] : []));
      return codes.length === 2 ? codes : undefined;
    });
    assert.deepEqual(
      refused.map((error) => (error as { code: number }).code),
      [-32700, -32600],
    );
  });

  it('C6 a call whose host goes away ends with a sentence, and the calls after it as well', async () => {
    const { shim, tools, channel } = await opened();
    const called = shim.call('ask', { question: 'q' });
    await tools.nth(0);
    await channel.close();
    const said = await called;
    assert.ok(said.isError);
    assert.match(said.text, /^The editor is gone/);
    assert.match((await shim.call('ask', { question: 'again' })).text, /^The editor is gone/);
  });

  it('C6 when the agent ends its shim, its calls are no longer waited for', async () => {
    const { shim, tools } = await opened();
    void shim.call('ask', { question: 'q' });
    const { from } = await tools.nth(0);
    const aborted = new Promise<void>((resolve) => from.signal.addEventListener('abort', () => resolve()));
    await shim.end();
    await aborted;
  });

  it('C8 P1 after a pull nothing is written any more', async () => {
    const { shim, tools, cord } = await opened();
    void shim.call('ask', { question: 'q' });
    const made = await tools.nth(0);
    cord.pulled = true;
    made.reply(answer('too late'));
    made.from.onProgress?.('too late');
    assert.deepEqual((await shim.request('ping')).result, {});
    assert.deepEqual(
      shim.received.map((one) => one['id']),
      [2],
    );
  });

  it('C3 a stranger without the nonce is cut off, and the folder is this user’s alone', async () => {
    const { socket, tools, channel } = await opened();
    const closed = (line: string) =>
      new Promise<void>((resolve) => {
        const stranger = createConnection(socket, () => stranger.write(`${line}\n`));
        stranger.on('close', () => resolve());
        stranger.resume();
      });
    await closed('{"nonce":"guessed","turn":"t7"}');
    await closed('{"id":1,"toolName":"ask","args":{}}');
    const nonce = channel.env[SHIM_ENV.nonce] ?? '';
    await closed(JSON.stringify({ nonce, turn: 't6' }));
    assert.equal(tools.made.length, 0);
    assert.equal(statSync(dirname(socket)).mode & 0o077, 0);
    await channel.close();
    assert.ok(!existsSync(dirname(socket)));
  });

  it('P2 a pulled cord opens no channel', async () => {
    const cord = new HandCord();
    cord.pulled = true;
    await assert.rejects(async () => channels().shim(new HandTools(), cord.launch), { code: 'host_paused' });
    await assert.rejects(async () => channels().http(new HandTools(), cord.launch), { code: 'host_paused' });
  });
});
