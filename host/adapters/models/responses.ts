/** OpenAI's Responses, streamed: through the SDK out, checked on the way in. Nothing is stored over there. */
import { z } from 'zod';
import { ModelFailure, type ModelAnswer } from '../../engine/ports';
import { Collector, type Counted } from './collector';
import { errorIn, exchange, type Reading } from './exchange';
import { malformed, refused } from './failures';
import { openOpenAi } from './openai';
import { RESPONSES_FAMILY, responsesBody } from './responsesBody';
import type { Attempt } from './wire';
import { say } from '../../../protocol';

export async function answerByResponses(attempt: Attempt): Promise<ModelAnswer> {
  const reader = new ResponsesReader(attempt);
  const open = await openOpenAi(attempt, '/responses', () => responsesBody(attempt));
  try {
    await exchange(attempt, open, reader);
  } catch (error) {
    throw learned(error, attempt);
  }
  return reader.answer();
}

/** What a model or account refuses once is left out of the next attempt. */
function learned(error: unknown, { quirks, provider, reasons }: Attempt): unknown {
  if (!(error instanceof ModelFailure) || error.code !== 'model_rejected' || error.retry || !reasons)
    return error;
  const { name } = provider;
  const again = (text: string): ModelFailure => new ModelFailure('model_rejected', text, true);
  if (quirks.noSummary !== true && /summar/i.test(error.message)) {
    quirks.noSummary = true;
    return again(
      say('"{name}" gives no summaries of reasoning: they are not asked for from now on.', { name }),
    );
  }
  if (quirks.noReasoning !== true && /reasoning|encrypted/i.test(error.message)) {
    quirks.noReasoning = true;
    return again(
      say('"{name}" does not take settings for its reasoning: they are left out from now on.', { name }),
    );
  }
  return error;
}

const Output = z.looseObject({
  type: z.string(),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  phase: z.string().nullish(),
});
type Output = z.infer<typeof Output>;

const Event = z.object({
  type: z.string(),
  output_index: z.number().int().optional(),
  summary_index: z.number().int().optional(),
  /** Events that are not read here have deltas of other kinds. */
  delta: z.string().optional().catch(undefined),
  arguments: z.string().optional(),
  item: Output.optional(),
  response: z
    .object({
      error: z.unknown().optional(),
      incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
      usage: z
        .object({
          input_tokens: z.number(),
          output_tokens: z.number(),
          input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
        })
        .nullish(),
    })
    .optional(),
});
type Event = z.infer<typeof Event>;

class ResponsesReader implements Reading {
  private readonly collected: Collector;
  private readonly open = new Map<number, ReturnType<Collector['openCall']>>();
  private readonly outputs: Output[] = [];
  private stop: ModelAnswer['stop'] | undefined;
  private refusal = false;
  private counted: Counted | undefined;

  constructor(private readonly attempt: Attempt) {
    this.collected = new Collector(attempt);
  }

  ended(): boolean {
    return this.stop !== undefined;
  }

  whole(): boolean {
    return this.stop !== undefined;
  }

  take(data: unknown): boolean {
    const parsed = Event.safeParse(data);
    if (!parsed.success) throw malformed(this.attempt.provider, z.prettifyError(parsed.error));
    const event = parsed.data;
    const delta = event.delta ?? '';
    switch (event.type) {
      case 'response.output_text.delta':
        this.collected.addText(delta);
        return true;
      case 'response.refusal.delta':
        this.refusal = true;
        this.collected.addText(delta);
        return true;
      case 'response.reasoning_summary_part.added':
        if ((event.summary_index ?? 0) > 0) this.collected.addReasoning('\n\n');
        return true;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.collected.addReasoning(delta);
        return true;
      case 'response.output_item.added':
        if (event.item?.type === 'function_call') this.begin(event, event.item);
        return true;
      case 'response.function_call_arguments.delta':
        this.collected.addArgs(this.call(event), delta);
        return true;
      case 'response.output_item.done':
        if (event.item) this.finish(event, event.item);
        return true;
      case 'response.completed':
        this.end(event, 'end');
        return true;
      case 'response.incomplete':
        this.end(
          event,
          event.response?.incomplete_details?.reason === 'content_filter' ? 'refusal' : 'length',
        );
        return true;
      case 'response.failed':
        throw this.failure({ error: event.response?.error });
      case 'error':
        throw this.failure(data);
      default:
        return false;
    }
  }

  answer(): ModelAnswer {
    const stop = this.refusal ? 'refusal' : (this.stop ?? 'end');
    return this.collected.answer(stop, this.counted, this.native(), RESPONSES_FAMILY);
  }

  private begin({ output_index: place }: Event, item: Output): void {
    this.open.set(place ?? this.open.size, this.collected.openCall(item.call_id ?? '', item.name ?? ''));
  }

  private call({ output_index: place }: Event): ReturnType<Collector['openCall']> {
    const call = this.open.get(place ?? this.open.size - 1);
    if (call === undefined) throw malformed(this.attempt.provider, 'arguments of a call that has not begun.');
    return call;
  }

  /** The finished item has the arguments whole: some servers send them only here. */
  private finish(event: Event, item: Output): void {
    this.collected.countHidden(JSON.stringify(item));
    this.outputs.push(item);
    if (item.type !== 'function_call') return;
    if (!this.open.has(event.output_index ?? this.open.size - 1)) this.begin(event, item);
    const call = this.call(event);
    if (call.args === '' && item.arguments) this.collected.addArgs(call, item.arguments);
  }

  private end({ response }: Event, stop: ModelAnswer['stop']): void {
    this.stop = stop;
    const usage = response?.usage;
    if (!usage) return;
    const cached = usage.input_tokens_details?.cached_tokens ?? 0;
    this.counted = { input: usage.input_tokens, output: usage.output_tokens, cached };
  }

  private failure(data: unknown): ModelFailure {
    const { type, reason } = errorIn(data);
    const { provider, model, clock } = this.attempt;
    const status = type === undefined ? 500 : undefined;
    return refused({ status, type, reason }, provider, model, clock);
  }

  /** The output as it came, when there is sealed reasoning in it or a phase that belongs to a message. */
  private native(): unknown {
    const matters = this.outputs.some((item) => item.type === 'reasoning' || (item.phase ?? '') !== '');
    return matters ? this.outputs : undefined;
  }
}
