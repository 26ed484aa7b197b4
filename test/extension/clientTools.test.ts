import './vscodeStub';
import assert from 'node:assert/strict';
import { ClientTools } from '../../extension/clientTools/clientTools';
import { createApi } from '../../extension/api';
import { createClientTools, type ClientTools as Registry } from '../../host/adapters/clientTools/registry';
import { looks } from '../../host/compose/looks';
import { RequestError } from '../../host/engine/errors';
import type { ParamsOf } from '../../protocol';
import { connected, type Connected } from './connected';
import { Refusal } from './fakeHost';

describe('the client tools of a window', () => {
  let one: Connected;
  let tools: ClientTools;
  let registry: Registry;
  let warned: string[];

  const tool = (name: string) => ({
    name,
    description: 'A tool.',
    schema: { type: 'object' },
    run: () => ({ text: name }),
  });
  /** What the host is told, by the host's own list of tools. */
  const register = (params: unknown): unknown => {
    const { client, tools: specs } = params as ParamsOf<'clientTool/register'>;
    try {
      return { tools: registry.register(client, specs, () => Promise.resolve({ text: '' })) };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return new Refusal(error.code, error.message);
    }
  };
  const names = (): string[] =>
    registry.registered().flatMap(({ tools: specs }) => specs.map(({ name }) => name));

  beforeEach(() => {
    warned = [];
    one = connected();
    one.host.answer('clientTool/register', register);
    registry = createClientTools({
      secrets: () => ({ names: [], values: [] }),
      clock: { now: () => 0, at: () => () => undefined } as never,
      graceMs: () => 1_000,
      reserved: (name) => name === 'shell',
      looks,
    });
    tools = new ClientTools(
      () => undefined,
      (text) => warned.push(text),
    );
    tools.follow(one.client);
  });
  afterEach(() => one.close());

  it('C1 one whose schema is no JSON is refused alone, and the others are told', async () => {
    const loop: Record<string, unknown> = { type: 'object' };
    loop['self'] = loop;
    const refused = assert.rejects(
      tools.add({ ...tool('loop'), schema: loop }),
      /loop cannot be written as JSON/,
    );
    const taken = tools.add(tool('word_count'));
    await one.client.start();
    await refused;
    await taken;
    assert.deepEqual(names(), ['word_count']);
  });

  it('C1 one that the host cannot use is refused alone, also when it came before the host ran', async () => {
    const registered = ['diagnostics', 'shell', 'word_count'].map((name) => tools.add(tool(name)));
    const settled = Promise.allSettled(registered);
    await one.client.start();
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(names(), ['diagnostics', 'word_count']);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', /shell belongs to another tool/);
    await tools.add(tool('later'));
    assert.deepEqual(names(), ['diagnostics', 'word_count', 'later']);
  });

  it('R9 C1 one that is refused later takes no other away, not even for a moment: calls of those go on', async () => {
    const lists: (readonly string[])[] = [];
    one.host.answer('clientTool/register', (params) => {
      const answer = register(params);
      if (!(answer instanceof Refusal)) lists.push(names());
      return answer;
    });
    await one.client.start();
    await Promise.all(['first', 'second'].map((name) => tools.add(tool(name))));
    await assert.rejects(tools.add(tool('shell')));
    await tools.add(tool('third'));
    assert.deepEqual(lists.at(-1), ['first', 'second', 'third']);
    for (const [n, list] of lists.entries()) {
      const before = lists[n - 1] ?? [];
      assert.deepEqual(
        before.filter((name) => !list.includes(name)),
        [],
      );
    }
  });

  it('C1 one that comes while the list is being told is told as well', async () => {
    await one.client.start();
    await Promise.all(['first', 'second', 'third'].map((name) => tools.add(tool(name))));
    assert.deepEqual(names(), ['first', 'second', 'third']);
  });

  it('C1 a second dispose leaves the tool alone that has its name since', async () => {
    const api = createApi(one.client, tools, 0);
    await one.client.start();
    const first = await api.registerTool(tool('word_count'));
    first.dispose();
    const second = await api.registerTool(tool('word_count'));
    first.dispose();
    await tools.add(tool('other'));
    assert.deepEqual(names(), ['word_count', 'other']);
    second.dispose();
    await tools.add(tool('last'));
    assert.deepEqual(names(), ['other', 'last']);
  });

  it('R9 one that is told to a host that goes is told to the next one', async () => {
    let asked = 0;
    one.host.answer('clientTool/register', (params) => {
      asked += 1;
      return asked === 1 ? new Refusal('host_failed', 'Gone.') : register(params);
    });
    await one.client.start();
    const first = tools.add(tool('first'));
    await one.host.next((frame) => frame.method === 'clientTool/register');
    const second = tools.add(tool('second'));
    await Promise.all([first, second]);
    assert.deepEqual(names(), ['first', 'second']);
  });
});
