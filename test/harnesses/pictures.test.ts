/** Pictures of the person on the way to agents that cannot be given any (R10, T8). */
import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';

const PNG = {
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
} as const;
const LEFT_OUT = /\[A picture was attached that you cannot be given here\./;

describe('pictures for codex exec', () => {
  const scene = agentScenes('codex-exec');

  it('R10 T8 it is told of those that it cannot be given, also when there is nothing else', async () => {
    await scene.say('', { images: [PNG] });
    const puppet = await scene.stage.next();
    assert.match(await puppet.input(), LEFT_OUT);
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
