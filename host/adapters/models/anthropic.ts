/** Anthropic's Messages, streamed: through the SDK out, checked on the way in. */
import { z } from 'zod';
import { ModelFailure, type ModelAnswer } from '../../engine/ports';
import { ANTHROPIC_FAMILY, anthropicBody } from './anthropicBody';
import { Collector, type Counted } from './collector';
import { errorIn, exchange, type Reading } from './exchange';
import { malformed, refused } from './failures';
import { NO_TIMEOUT_MS, type Attempt } from './wire';
import { say } from '../../../protocol';

/** Lets a request say that reasoning which no longer fits its conversation is dropped and not refused. */
const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/** The SDK is loaded with the first request, and asked for once: a repeated `import` is not free. */
const load = () => import('@anthropic-ai/sdk');
let loading: ReturnType<typeof load> | undefined;

export async function answerByAnthropic(attempt: Attempt): Promise<ModelAnswer> {
  const { Anthropic } = await (loading ??= load());
  const reader = new AnthropicReader(attempt);
  const open = (fetchInside: typeof fetch, signal: AbortSignal): Promise<Response> => {
    const { baseUrl, key } = attempt.provider;
    const client = new Anthropic({
      // The SDK adds `/v1` itself; other programs are given the address with it.
      baseURL: baseUrl?.replace(/\/v1\/?$/, '') ?? null,
      apiKey: key ?? 'none',
      maxRetries: 0,
      timeout: NO_TIMEOUT_MS,
      logLevel: 'off',
      fetch: fetchInside,
      // Servers that imitate the API look for the key in one header or the other; the SDK sends only the first.
      ...(baseUrl === undefined || key === undefined ? {} : { defaultHeaders: { 'x-api-key': key } }),
    });
    return client
      .post('/v1/messages', {
        body: anthropicBody(attempt),
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(attempt.quirks.dropBound === true ? { 'anthropic-beta': BINDING_BETA } : {}),
        },
        stream: true,
        signal,
      })
      .asResponse();
  };
  try {
    await exchange(attempt, open, reader);
  } catch (error) {
    throw learned(error, attempt);
  }
  return reader.answer();
}

/** What a model refuses once is left out of the next attempt. */
function learned(error: unknown, { quirks, provider, reasons }: Attempt): unknown {
  if (!(error instanceof ModelFailure) || error.code !== 'model_rejected' || error.retry) return error;
  const { name } = provider;
  const again = (text: string): ModelFailure => new ModelFailure('model_rejected', text, true);
  if (quirks.dropBound !== true && /bound to a different conversation/i.test(error.message)) {
    quirks.dropBound = true;
    return again(
      say(
        '"{name}" does not take earlier reasoning back into a changed conversation: it is dropped from now on.',
        { name },
      ),
    );
  }
  if (reasons && quirks.noReasoning !== true && /thinking/i.test(error.message)) {
    quirks.noReasoning = true;
    return again(
      say('"{name}" does not take settings for its reasoning: they are left out from now on.', { name }),
    );
  }
  return error;
}

const Tokens = z.number().nullish();
const Usage = z
  .object({
    input_tokens: Tokens,
    output_tokens: Tokens,
    cache_read_input_tokens: Tokens,
    cache_creation_input_tokens: Tokens,
  })
  .nullish();

const Event = z.object({
  type: z.string(),
  index: z.number().int().optional(),
  message: z.object({ usage: Usage }).optional(),
  usage: Usage,
  content_block: z
    .looseObject({
      type: z.string(),
      id: z.string().nullish(),
      name: z.string().nullish(),
      text: z.string().nullish(),
      thinking: z.string().nullish(),
      input: z.record(z.string(), z.unknown()).nullish(),
    })
    .optional(),
  delta: z
    .object({
      type: z.string().nullish(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
      partial_json: z.string().optional(),
      stop_reason: z.string().nullish(),
      stop_details: z.object({ explanation: z.string().nullish() }).nullish(),
    })
    .optional(),
});
type Event = z.infer<typeof Event>;
type StartedBlock = NonNullable<Event['content_block']>;
type Delta = NonNullable<Event['delta']>;

/** A block as it grows; `start` holds what is kept of it as it came. */
interface Block {
  readonly start: StartedBlock;
  text: string;
  signature: string;
  readonly call: ReturnType<Collector['openCall']> | undefined;
}

class AnthropicReader implements Reading {
  private readonly collected: Collector;
  private readonly blocks = new Map<number, Block>();
  private stop: string | undefined;
  private done = false;
  private readonly tokens = { input: 0, output: 0, cached: 0, written: 0 };

  constructor(private readonly attempt: Attempt) {
    this.collected = new Collector(attempt);
  }

  ended(): boolean {
    return this.done;
  }

  whole(): boolean {
    return this.done;
  }

  take(data: unknown): boolean {
    const parsed = Event.safeParse(data);
    if (!parsed.success) throw malformed(this.attempt.provider, z.prettifyError(parsed.error));
    const event = parsed.data;
    switch (event.type) {
      case 'message_start':
        this.count(event.message?.usage);
        return true;
      case 'content_block_start':
        this.begin(event);
        return true;
      case 'content_block_delta':
        this.grow(event);
        return true;
      case 'message_delta':
        this.count(event.usage);
        if (event.delta) this.ending(event.delta);
        return true;
      case 'message_stop':
        this.done = true;
        return true;
      case 'error':
        throw this.failure(data);
      default:
        return false;
    }
  }

  answer(): ModelAnswer {
    const { input, cached, written, output } = this.tokens;
    const counted: Counted = { input: input + cached + written, output, cached, written };
    return this.collected.answer(stopOf(this.stop), counted, this.native(), ANTHROPIC_FAMILY);
  }

  private begin({ index, content_block: start }: Event): void {
    if (index === undefined || start === undefined)
      throw malformed(this.attempt.provider, 'a block without place.');
    this.collected.countHidden(JSON.stringify(start));
    const call =
      start.type === 'tool_use' ? this.collected.openCall(start.id ?? '', start.name ?? '') : undefined;
    const block: Block = { start, text: '', signature: '', call };
    this.blocks.set(index, block);
    if (start.text) this.add(block, { text: start.text });
    if (start.thinking) this.add(block, { thinking: start.thinking });
  }

  private grow({ index, delta }: Event): void {
    const block = this.blocks.get(index ?? -1);
    if (block === undefined) throw malformed(this.attempt.provider, 'a piece of a block that has not begun.');
    if (delta) this.add(block, delta);
  }

  private add(block: Block, delta: Delta): void {
    if (delta.text !== undefined) {
      this.collected.addText(delta.text);
      block.text += delta.text;
    }
    if (delta.thinking !== undefined) {
      this.collected.addReasoning(delta.thinking);
      block.text += delta.thinking;
    }
    if (delta.signature !== undefined) {
      this.collected.countHidden(delta.signature);
      block.signature += delta.signature;
    }
    if (delta.partial_json !== undefined && block.call)
      this.collected.addArgs(block.call, delta.partial_json);
  }

  private ending(delta: Delta): void {
    this.stop = delta.stop_reason ?? this.stop;
    const why = delta.stop_details?.explanation;
    if (this.stop === 'refusal' && this.collected.text === '' && why) this.collected.addText(why);
  }

  /** The counts of a later event stand in the place of earlier ones: they are totals. */
  private count(usage: Event['usage']): void {
    this.tokens.input = usage?.input_tokens ?? this.tokens.input;
    this.tokens.output = usage?.output_tokens ?? this.tokens.output;
    this.tokens.cached = usage?.cache_read_input_tokens ?? this.tokens.cached;
    this.tokens.written = usage?.cache_creation_input_tokens ?? this.tokens.written;
  }

  private failure(data: unknown): ModelFailure {
    const { type, reason } = errorIn(data);
    const { provider, model, clock } = this.attempt;
    return refused({ status: type === undefined ? 500 : undefined, type, reason }, provider, model, clock);
  }

  /** The blocks as they came, when there is signed reasoning among them: it counts only in its place. */
  private native(): unknown {
    const blocks = [...this.blocks.values()];
    if (!blocks.some(({ start }) => start.type === 'thinking' || start.type === 'redacted_thinking'))
      return undefined;
    return blocks.map(({ start, text, signature, call }) => {
      if (start.type === 'thinking') return { type: 'thinking', thinking: text, signature };
      if (start.type === 'text') return { type: 'text', text };
      if (start.type === 'tool_use') return { type: 'tool_use', name: call?.tool, args: call?.args };
      return start;
    });
  }
}

function stopOf(reason: string | undefined): ModelAnswer['stop'] {
  switch (reason) {
    case 'tool_use':
      return 'calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'refusal';
    default:
      return 'end';
  }
}
