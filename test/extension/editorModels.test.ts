import { editor, stub } from './vscodeStub';
import assert from 'node:assert/strict';
import { CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { askEditorModel, offeredModels, toMessages, type Cord } from '../../extension/editorModels';
import type { ModelPart } from '../../protocol';

type Request = Parameters<typeof askEditorModel>[0];

const request = (part: Partial<Request> = {}): Request => ({
  request: 'r1',
  model: 'editor/m',
  system: 'You are careful.',
  items: [{ kind: 'user', text: 'hello' }],
  tools: [{ name: 'shell', description: 'runs', schema: { type: 'object' } }],
  epoch: 3,
  ...part,
});

describe("the editor's models", () => {
  let sent: { messages: unknown; options: unknown }[];
  let answer: () => unknown;
  let parts: ModelPart[];
  let cord: Cord | undefined;

  beforeEach(() => {
    sent = [];
    parts = [];
    cord = { paused: false, epoch: 3 };
    answer = () => [];
    const sendRequest = (messages: unknown, options: unknown): Promise<unknown> => {
      sent.push({ messages, options });
      const pieces = answer();
      return Promise.resolve({ stream: pieces });
    };
    editor.models = [{ id: 'm', name: 'M', vendor: 'v', maxInputTokens: 1000, sendRequest }];
  });

  const ask = (part: Partial<Request> = {}, token: CancellationToken = CancellationToken.None) =>
    askEditorModel(
      request(part),
      (one) => parts.push(one),
      token,
      () => cord,
    );

  it('are offered with their windows', async () => {
    assert.deepEqual(await offeredModels(), { models: [{ id: 'm', name: 'M (v)', contextWindow: 1000 }] });
  });

  it('answer in pieces, with calls', async () => {
    answer = () => [
      new stub.LanguageModelTextPart('I look.'),
      new stub.LanguageModelToolCallPart('c1', 'shell', { command: 'ls' }),
    ];
    assert.deepEqual(await ask(), { stop: 'calls' });
    assert.deepEqual(
      parts.map(({ part }) => part),
      [
        { kind: 'text', text: 'I look.' },
        { kind: 'call', call: { callId: 'c1', tool: 'shell', args: '{"command":"ls"}' } },
      ],
    );
    assert.deepEqual(sent[0]?.options, {
      tools: [{ name: 'shell', description: 'runs', inputSchema: { type: 'object' } }],
    });
  });

  it('are told the conversation with the results of one answer together', () => {
    const call = (callId: string) => ({ callId, tool: 'shell', args: '{"command":"ls"}' });
    const result = (callId: string) =>
      ({ kind: 'result', callId, tool: 'shell', output: '{}', failed: false }) as const;
    const messages = toMessages(
      request({
        items: [
          { kind: 'user', text: 'go' },
          { kind: 'assistant', text: '', calls: [call('a'), call('b')] },
          result('a'),
          result('b'),
          { kind: 'user', text: 'and?', images: [{ mediaType: 'image/png', data: 'AA==' }] },
        ],
      }),
    );
    assert.deepEqual(JSON.parse(JSON.stringify(messages)), [
      { role: 'user', content: 'You are careful.' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: ['a', 'b'].map((callId) => ({ callId, name: 'shell', input: { command: 'ls' } })),
      },
      { role: 'user', content: ['a', 'b'].map((callId) => ({ callId, content: [{ value: '{}' }] })) },
      { role: 'user', content: 'and?\n[1 picture(s) left out: this model takes text only]' },
    ]);
  });

  it('are not asked once the cord was pulled, or pulled and released since, or the request cancelled', async () => {
    cord = { paused: true, epoch: 4 };
    await assert.rejects(ask(), /Paused/);
    cord = { paused: false, epoch: 5 };
    await assert.rejects(ask(), /Paused/);
    cord = { paused: false, epoch: 3 };
    const source = new CancellationTokenSource();
    source.cancel();
    await assert.rejects(ask({}, source.token), /Paused/);
    assert.deepEqual(sent, []);
  });

  it('say why they do not answer, in words that tell whether another attempt can help', async () => {
    const because = async (code: string): Promise<string> => {
      answer = () => {
        throw new stub.LanguageModelError(code, 'the editor says no');
      };
      return ask().then(
        () => 'answered',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
    };
    assert.match(await because('NoPermissions'), /not allowed.*\[no permission\]/);
    assert.match(await because('Blocked'), /quota.*\[blocked\]/);
    assert.match(await because('NotFound'), /\[model not found\]/);
    assert.match(await because('Unknown'), /the editor says no/);
    await assert.rejects(ask({ model: 'editor/other' }), /no longer offers other.*\[model not found\]/);
  });
});
