/**
 * OpenAI's Chat Completions, as Ollama, llama.cpp, vLLM, OpenRouter and many others speak it. The SDK sends;
 * what comes back is checked, since each of them has its own idea of the format.
 */
import { z } from 'zod';
import { ModelFailure, type ModelAnswer } from '../../engine/ports';
import { CHAT_FAMILY, chatBody } from './chatBody';
import { Collector, type Counted } from './collector';
import { errorIn, exchange, type Reading } from './exchange';
import { cutShort, malformed, refused } from './failures';
import { openOpenAi } from './openai';
import type { Attempt } from './wire';
import { say } from '../../../protocol';

export async function answerByChat(attempt: Attempt): Promise<ModelAnswer> {
  const reader = new ChatReader(attempt);
  const open = await openOpenAi(attempt, '/chat/completions', () => chatBody(attempt));
  try {
    await exchange(attempt, open, reader);
  } catch (error) {
    throw learned(error, attempt);
  }
  return reader.answer();
}

/** A template that wants user and assistant in turn says so once; the next attempt obeys it. */
function learned(error: unknown, { quirks, provider }: Attempt): unknown {
  if (!(error instanceof ModelFailure) || error.code !== 'model_rejected' || error.retry) return error;
  if (quirks.mergeUsers === true || !/roles must alternate|alternate user|consecutive/i.test(error.message))
    return error;
  quirks.mergeUsers = true;
  const text = say('"{name}" does not take two messages in a row: they are sent as one from now on.', {
    name: provider.name,
  });
  return new ModelFailure('model_rejected', text, true);
}

const Text = z.string().nullish();

const CallDelta = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: Text,
  function: z
    .object({
      name: Text,
      /** Some servers give the arguments as an object. */
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
});
type CallDelta = z.infer<typeof CallDelta>;

const Details = z.array(z.looseObject({ type: z.string(), index: z.number().nullish() }));
type Details = z.infer<typeof Details>;

const Delta = z.object({
  content: Text,
  refusal: Text,
  reasoning_content: Text,
  reasoning: Text,
  reasoning_details: Details.nullish(),
  tool_calls: z.array(CallDelta).nullish(),
});
type Delta = z.infer<typeof Delta>;

const Count = z.number().nullish();

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        index: z.number().nullish(),
        delta: Delta.nullish(),
        /** In the place of a delta when the answer comes whole. */
        message: Delta.nullish(),
        finish_reason: Text,
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: Count,
      completion_tokens: Count,
      prompt_tokens_details: z.object({ cached_tokens: Count }).nullish(),
      prompt_cache_hit_tokens: Count,
      cost: Count,
    })
    .nullish(),
  error: z.unknown().optional(),
});
type Chunk = z.infer<typeof Chunk>;

class ChatReader implements Reading {
  private readonly collected: Collector;
  private readonly open = new Map<number, ReturnType<Collector['openCall']>>();
  private finish: string | undefined;
  private done = false;
  private refusal = false;
  private counted: Counted | undefined;
  /** Under which names reasoning came: it goes back under the same. */
  private readonly spoken = { reasoning_content: '', reasoning: '' };
  private readonly details: Details = [];

  constructor(private readonly attempt: Attempt) {
    this.collected = new Collector(attempt);
  }

  ended(): boolean {
    return this.done;
  }

  /** Not every server sends the marker, and not every server a reason. */
  whole(): boolean {
    return this.done || this.finish !== undefined;
  }

  marker(): void {
    this.done = true;
  }

  take(data: unknown): boolean {
    const parsed = Chunk.safeParse(data);
    if (!parsed.success) throw malformed(this.attempt.provider, z.prettifyError(parsed.error));
    const chunk = parsed.data;
    if (chunk.error !== undefined && chunk.error !== null) this.fail(data);
    if (chunk.usage) this.count(chunk.usage);
    const choice = chunk.choices?.find((each) => (each.index ?? 0) === 0);
    if (choice === undefined) return false;
    const before = this.collected.size;
    const delta = choice.delta ?? choice.message;
    if (delta) this.delta(delta);
    if (choice.finish_reason) this.finish = choice.finish_reason;
    return this.collected.size > before || this.finish !== undefined;
  }

  answer(): ModelAnswer {
    if (this.finish === undefined && this.collected.size === 0) {
      throw malformed(this.attempt.provider, 'nothing but the end of an answer.');
    }
    if (this.finish === 'error' || this.finish === 'abort') throw cutShort(this.attempt.provider);
    const stop = this.refusal ? 'refusal' : stopOf(this.finish);
    return this.collected.answer(stop, this.counted, this.native(), CHAT_FAMILY);
  }

  private delta(delta: Delta): void {
    const name = delta.reasoning_content ? 'reasoning_content' : 'reasoning';
    const reasoning = delta[name];
    if (reasoning) {
      this.spoken[name] += reasoning;
      this.collected.addReasoning(reasoning);
    }
    for (const piece of delta.reasoning_details ?? []) this.collected.countHidden(join(this.details, piece));
    if (delta.content) this.collected.addText(delta.content);
    if (delta.refusal) {
      this.refusal = true;
      this.collected.addText(delta.refusal);
    }
    for (const call of delta.tool_calls ?? []) this.call(call);
  }

  /** A delta goes on with the call of its index, unless it names another id: then it is a new call. */
  private call(delta: CallDelta): void {
    const place = delta.index ?? (delta.id || delta.function?.name ? this.open.size : this.open.size - 1);
    const known = this.open.get(place);
    const other = known === undefined || (!!delta.id && known.id !== '' && delta.id !== known.id);
    const call = other ? this.collected.openCall(delta.id ?? '', delta.function?.name ?? '') : known;
    if (other) this.open.set(place, call);
    else if (call.id === '' && delta.id) call.id = delta.id;
    if (!other && call.tool === '' && delta.function?.name) call.tool = delta.function.name;
    const args = delta.function?.arguments;
    if (args) this.collected.addArgs(call, typeof args === 'string' ? args : JSON.stringify(args));
  }

  private count(usage: NonNullable<Chunk['usage']>): void {
    this.counted = {
      input: usage.prompt_tokens ?? 0,
      output: usage.completion_tokens ?? 0,
      cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0,
      cost: usage.cost ?? undefined,
    };
  }

  private fail(data: unknown): never {
    const { status, type, reason } = errorIn(data);
    throw refused(
      { status: status ?? 500, type, reason },
      this.attempt.provider,
      this.attempt.model,
      this.attempt.clock,
    );
  }

  /** Reasoning goes back only with calls: models that think between calls ask for it, the others refuse it. */
  private native(): unknown {
    if (this.collected.calls.length === 0) return undefined;
    const { reasoning_content, reasoning } = this.spoken;
    const blocks = {
      ...(reasoning_content === '' ? {} : { reasoning_content }),
      ...(reasoning === '' ? {} : { reasoning }),
      ...(this.details.length === 0 ? {} : { reasoning_details: this.details }),
    };
    return Object.keys(blocks).length === 0 ? undefined : blocks;
  }
}

function stopOf(finish: string | undefined): ModelAnswer['stop'] {
  switch (finish) {
    case 'tool_calls':
    case 'function_call':
      return 'calls';
    case 'length':
      return 'length';
    case 'content_filter':
      return 'refusal';
    default:
      return 'end';
  }
}

/**
 * Streamed details of one index are pieces of one entry: their texts are put together, the rest is kept. Gives back
 * what the entries have grown by.
 */
function join(whole: Details, piece: Details[number]): string {
  const last = whole.at(-1);
  if (last?.type !== piece.type || last.index !== piece.index) {
    whole.push({ ...piece });
    return JSON.stringify(piece);
  }
  let grown = '';
  for (const [name, value] of Object.entries(piece)) {
    const before = last[name];
    const grows = (name === 'text' || name === 'summary' || name === 'data') && typeof before === 'string';
    if (grows && typeof value === 'string') {
      last[name] = before + value;
      grown += value;
    } else if (value !== undefined && value !== null && value !== before) {
      last[name] = value;
      grown += JSON.stringify(value);
    }
  }
  return grown;
}
