/** Pictures of the person on the way to agents that cannot be given any (R10, T8). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { agentScenes } from '../support/agents/scene';

const PNG = {
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
} as const;
/** Far more than the removal of a folder takes. */
const SWEPT_MS = 5_000;
const LEFT_OUT = /\[A picture was attached that you cannot be given here\./;

describe('pictures for codex exec', () => {
  const scene = agentScenes('codex-exec');

  it('T8 go with its prompt as files that only this user can read, and are gone after its run', async () => {
    await scene.say('', { images: [PNG, PNG] });
    const puppet = await scene.stage.next();
    assert.equal(await puppet.input(), '');
    const paths = puppet.argv.filter((_one, at) => puppet.argv[at - 1] === '-i');
    assert.equal(paths.length, 2);
    for (const path of paths) {
      assert.equal(readFileSync(path).toString('base64'), PNG.data);
      assert.equal(statSync(path).mode & 0o077, 0);
      assert.equal(statSync(dirname(path)).mode & 0o077, 0);
    }
    assert.equal(puppet.argv.at(-1), '-', 'no flag takes the prompt');
    await puppet.exit(1);
    await scene.host.next('turn_ended');
    await scene.restart();
    assert.deepEqual(
      paths.filter((path) => existsSync(path)),
      [],
    );
  });

  it('T8 left behind by a host that was killed, they are gone after its next start', async () => {
    await scene.say('', { images: [PNG] });
    const puppet = await scene.stage.next();
    const path = puppet.argv[puppet.argv.indexOf('-i') + 1] ?? '';
    assert.ok(existsSync(path));
    await scene.crash();
    // Nothing in the host waits for it, so nothing tells of it.
    const until = Date.now() + SWEPT_MS;
    while (existsSync(dirname(path)) && Date.now() < until) await new Promise((again) => setImmediate(again));
    assert.ok(!existsSync(dirname(path)));
  });
});

describe('pictures for an agent of ACP', () => {
  const scene = agentScenes('acp:puppet');

  /** What a prompt with a picture becomes for an agent that says this of itself. */
  async function prompted(promptCapabilities: object): Promise<{ type: string; text?: string }[]> {
    await scene.say('look', { images: [PNG] });
    const puppet = await scene.stage.next();
    for (const [method, result] of [
      ['initialize', { protocolVersion: 1, agentCapabilities: { promptCapabilities } }],
      ['session/new', { sessionId: 'acp-1' }],
    ] as const) {
      const asked = await puppet.messageLike((message) => message['method'] === method);
      await puppet.say({ jsonrpc: '2.0', id: asked['id'], result });
    }
    const sent = await puppet.messageLike((message) => message['method'] === 'session/prompt');
    return (sent['params'] as { prompt: { type: string; text?: string }[] }).prompt;
  }

  it('R10 T8 one that takes none is told of them', async () => {
    const prompt = await prompted({});
    assert.deepEqual(
      prompt.map((part) => part.type),
      ['text'],
    );
    assert.match(prompt[0]?.text ?? '', LEFT_OUT);
  });

  it('T8 one that takes them gets them, and no such line', async () => {
    const prompt = await prompted({ image: true });
    assert.deepEqual(
      prompt.map((part) => part.type),
      ['image', 'text'],
    );
    assert.equal(prompt[1]?.text, 'look');
  });
});
