import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { acknowledgement } from '../../protocol/relay';
import { answer, Bin, channels, HandCord, HandTools } from './support';
import { HandleId } from '../../protocol';

const bin = new Bin();

async function opened() {
  const tools = new HandTools();
  const channel = bin.add(await channels().http(tools, new HandCord().launch), (one) => one.close());
  const connect = async () => {
    const client = new Client({ name: 'agent', version: '0' });
    const headers = { authorization: `Bearer ${channel.token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(channel.url), { requestInit: { headers } }),
    );
    return bin.add(client, (one) => one.close());
  };
  return { tools, channel, connect };
}

/** The status of a plain request with these headers. */
function status(url: string, headers: Record<string, string>, method = 'POST'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      { method, headers: { 'content-type': 'application/json', ...headers } },
      (reply) => {
        reply.resume();
        reply.on('end', () => resolve(reply.statusCode));
      },
    );
    sent.on('error', reject);
    sent.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  });
}

const text = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe('the MCP server over HTTP', () => {
  afterEach(() => bin.empty());

  it('R10 an agent that comes back again and again without closing its sessions keeps its tools', async () => {
    const { tools, connect } = await opened();
    // The first one has a call open, and so keeps its place.
    const first = await connect();
    const held = first.callTool({ name: 'ask', arguments: { question: 'a' } });
    await tools.nth(0);
    const clients = [];
    for (let n = 0; n < 70; n += 1) {
      const client = await connect();
      await (client.transport as StreamableHTTPClientTransport).close();
      clients.push(client);
    }
    const last = await connect();
    assert.equal((await last.listTools()).tools.length, tools.specs.length);
    tools.made[0]?.reply(answer('kept'));
    assert.equal(text(await held), 'kept');
  });

  it('C3 the SDK’s own client lists the tools and calls them, side by side', async () => {
    const { tools, connect } = await opened();
    const client = await connect();
    const listed = await client.listTools();
    assert.deepEqual(
      listed.tools.map((tool) => [tool.name, tool.description, tool.inputSchema]),
      tools.specs.map((spec) => [spec.name, spec.description, spec.schema]),
    );
    const one = client.callTool({ name: 'ask', arguments: { question: 'a' }, _meta: { callId: 'call_1' } });
    const two = client.callTool({ name: 'ask', arguments: { question: 'a' }, _meta: { callId: 'call_2' } });
    await tools.nth(1);
    for (const made of [...tools.made].reverse()) made.reply(answer(`to ${made.from.callId ?? ''} 🙂`));
    assert.equal(text(await one), 'to call_1 🙂');
    assert.equal(text(await two), 'to call_2 🙂');
  });

  it('C5 a held call gets progress; an acknowledged one is the neutral text and no error', async () => {
    const { tools, connect } = await opened();
    const client = await connect();
    const told = new Promise<unknown>((resolve) => {
      void client
        .callTool({ name: 'ask', arguments: { question: 'a' } }, undefined, { onprogress: resolve })
        .then(() => undefined);
    });
    const held = await tools.nth(0);
    held.from.onProgress?.('Waiting for the person: a');
    assert.deepEqual(await told, { progress: 1, message: 'Waiting for the person: a' });
    held.reply(answer('x'));
    const called = client.callTool({ name: 'ask', arguments: { question: 'b' } });
    const handle = HandleId.parse('proc:3');
    (await tools.nth(1)).reply({ kind: 'acknowledged', text: acknowledgement('ask'), handle });
    const result = await called;
    assert.equal(text(result), acknowledgement('ask'));
    assert.notEqual(result.isError, true);
  });

  it('R9 a call that the agent cancels is no longer waited for', async () => {
    const { tools, connect } = await opened();
    const client = await connect();
    const abort = new AbortController();
    const called = client.callTool({ name: 'ask', arguments: { question: 'a' } }, undefined, {
      signal: abort.signal,
    });
    const { from } = await tools.nth(0);
    const ended = new Promise<void>((resolve) => from.signal.addEventListener('abort', () => resolve()));
    abort.abort();
    await assert.rejects(called);
    await ended;
  });

  it('C8 closing it ends what is held without a frame', async () => {
    const { tools, connect, channel } = await opened();
    const client = await connect();
    const called = client.callTool({ name: 'ask', arguments: { question: 'a' } });
    called.catch(() => undefined);
    const { from } = await tools.nth(0);
    await channel.close();
    assert.ok(from.signal.aborted);
    const settled = await Promise.race([
      called.then(
        () => 'answered',
        () => 'no answer',
      ),
      Promise.resolve('open'),
    ]);
    assert.equal(settled, 'open');
    await client.close();
    await assert.rejects(called);
  });

  it('R5 an unknown tool is refused by MCP’s own error', async () => {
    const { connect } = await opened();
    const client = await connect();
    await assert.rejects(client.callTool({ name: 'rm', arguments: {} }), /Unknown tool: rm/);
  });

  it('C3 without the token, by another host’s name or from a page it is refused', async () => {
    const { channel, tools } = await opened();
    const good = { authorization: `Bearer ${channel.token}` };
    assert.equal(await status(channel.url, {}), 401);
    assert.equal(await status(channel.url, { authorization: 'Bearer guessed' }), 401);
    assert.equal(await status(channel.url, { ...good, host: 'evil.example' }), 403);
    assert.equal(await status(channel.url, { ...good, origin: 'https://evil.example' }), 403);
    assert.equal(await status(channel.url.replace('/mcp', '/other'), good), 404);
    assert.equal(await status(channel.url, { ...good, 'mcp-session-id': 'guessed' }), 404);
    assert.equal(new URL(channel.url).hostname, '127.0.0.1');
    assert.equal(tools.made.length, 0);
  });
});
