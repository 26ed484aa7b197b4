/** Gathers one streamed answer, and ends it when it grows past what an answer may be. */
import { ANSWER_BYTES, CALLS_PER_ROUND, MIB } from '../../../protocol';
import type { Usage } from '../../../protocol';
import { wholeCount } from '../../base/counts';
import type { ModelAnswer } from '../../engine/ports';
import { malformed, tooLarge } from './failures';
import { uniqueIds } from './callIds';
import type { Attempt, Price } from './wire';

interface OpenCall {
  id: string;
  tool: string;
  args: string;
}

/** What a provider counted; `input` is all that was read, `cached` and `written` parts of it. */
export interface Counted {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written?: number;
  /** US dollars, where the provider says so itself. */
  readonly cost?: number | undefined;
}

/** Bytes of what is kept for the model alone: at most the answer once more, as JSON, and what its reasoning is sealed with. */
const HIDDEN_BYTES = 2 * ANSWER_BYTES;

export class Collector {
  text = '';
  reasoning = '';
  readonly calls: OpenCall[] = [];
  /** Bytes gathered so far. */
  size = 0;
  private hidden = 0;

  constructor(private readonly attempt: Attempt) {}

  addText(text: string): void {
    if (text === '') return;
    this.count(text);
    this.text += text;
    this.attempt.onPiece({ kind: 'text', text });
  }

  addReasoning(text: string): void {
    if (text === '') return;
    this.count(text);
    this.reasoning += text;
    this.attempt.onPiece({ kind: 'reasoning', text });
  }

  openCall(id: string, tool: string): OpenCall {
    if (this.calls.length >= CALLS_PER_ROUND) {
      throw malformed(this.attempt.provider, `more than ${CALLS_PER_ROUND} calls at once.`);
    }
    this.count(id + tool);
    const call = { id, tool, args: '' };
    this.calls.push(call);
    return call;
  }

  addArgs(call: OpenCall, text: string): void {
    this.count(text);
    call.args += text;
  }

  /** Counts what a wire keeps beside the answer, for the next request: signatures, sealed reasoning, items as they came. */
  countHidden(text: string): void {
    this.hidden += Buffer.byteLength(text);
    if (this.hidden > HIDDEN_BYTES) throw tooLarge(this.attempt.provider, `${HIDDEN_BYTES / MIB} MiB`);
  }

  answer(
    stop: ModelAnswer['stop'],
    counted: Counted | undefined,
    native: unknown,
    family: string,
  ): ModelAnswer {
    const calls = uniqueIds(this.calls, this.attempt.call.items);
    return {
      text: this.text,
      reasoning: this.reasoning,
      calls,
      usage: usage(counted, this.attempt.price),
      stop:
        stop === 'end' && calls.length > 0 ? 'calls' : stop === 'calls' && calls.length === 0 ? 'end' : stop,
      ...(native === undefined ? {} : { native: { family, model: this.attempt.call.model, blocks: native } }),
    };
  }

  private count(text: string): void {
    this.size += Buffer.byteLength(text);
    if (this.size > ANSWER_BYTES) throw tooLarge(this.attempt.provider, `${ANSWER_BYTES / MIB} MiB`);
  }
}

/** Tokens and cost (T9). A provider that counts nothing gives zeros, and no cost. */
export function usage(counted: Counted | undefined, price: Price | undefined): Usage {
  if (counted === undefined) return { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  const input = wholeCount(counted.input);
  const output = wholeCount(counted.output);
  const cached = Math.min(input, wholeCount(counted.cached));
  const cost =
    counted.cost ?? (price === undefined ? undefined : dollars(input, output, cached, counted, price));
  return {
    inputTokens: input,
    outputTokens: output,
    cachedTokens: cached,
    ...(cost === undefined || !(cost >= 0) ? {} : { costUsd: cost }),
  };
}

function dollars(input: number, output: number, cached: number, counted: Counted, price: Price): number {
  const written = Math.min(input - cached, wholeCount(counted.written ?? 0));
  const plain = input - cached - written;
  const sum =
    plain * price.input +
    cached * price.cached +
    written * (price.written ?? price.input) +
    output * price.output;
  return sum / 1e6;
}
