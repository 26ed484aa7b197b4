/** What a rehearsal sees of its task: read from the transcript alone, so that it survives a restart as a model does. */
import { z } from 'zod';
import type { ContextItem } from '../../../protocol';

export type Outcome =
  | { readonly kind: 'done'; readonly output: Output }
  /** It has not run, or not to its end; `code` is a result code. */
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string }
  /** Lifted, and not ended yet. */
  | { readonly kind: 'waiting'; readonly handle: string; readonly for: string | undefined };

export type Output = Readonly<Record<string, unknown>>;

/** A call with what became of it, in the order of the transcript. */
export interface Doing {
  readonly tool: string;
  readonly args: Output;
  readonly outcome: Outcome;
  /** The answer that planned it, counted from 0 within the task. */
  readonly round: number;
}

export interface Task {
  readonly doings: readonly Doing[];
  /** Messages that came after the newest answer, notes of ended handles apart. */
  readonly steers: readonly string[];
  /** Answers so far. */
  readonly rounds: number;
  /** Notes of ended handles that came after the newest answer. */
  readonly notes: readonly string[];
}

export function readTask(items: readonly ContextItem[]): Task {
  const own = items.slice(startOf(items));
  const ends = endsOf(own);
  const doings: Doing[] = [];
  let round = -1;
  own.forEach((item, at) => {
    if (item.kind !== 'assistant') return;
    round += 1;
    for (const call of item.calls) {
      const result = own.slice(at).find((later) => later.kind === 'result' && later.callId === call.callId);
      const output = result?.kind === 'result' ? objectIn(result.output) : {};
      doings.push({ tool: call.tool, args: objectIn(call.args), outcome: outcomeOf(output, ends), round });
    }
  });
  const newest = own.findLastIndex((item) => item.kind === 'assistant');
  const said = own.slice(newest + 1).flatMap((item) => (item.kind === 'user' ? [item.text] : []));
  return {
    doings,
    rounds: round + 1,
    steers: newest < 0 ? [] : said.filter((text) => !goesOn(text)),
    notes: said.filter((text) => noteIn(text) !== undefined),
  };
}

/** The task begins with the newest message that opened a turn; a note or "go on" only goes on with it. */
function startOf(items: readonly ContextItem[]): number {
  let start = 0;
  let open = false;
  items.forEach((item, at) => {
    if (item.kind === 'assistant') open = item.calls.length > 0;
    if (item.kind !== 'user' || open || goesOn(item.text)) return;
    const before = items[at - 1];
    if (before?.kind !== 'user' || goesOn(before.text)) start = at;
  });
  return start;
}

const goesOn = (text: string): boolean =>
  noteIn(text) !== undefined || /^(go on|continue)\b/i.test(text.trim());

/** A note of an ended handle: `[proc:7 "npm test": exited with code 0]` and its output. */
function noteIn(
  text: string,
): { readonly handle: string; readonly how: string; readonly body: string } | undefined {
  const found = /^\[(proc:\d+) "[^\n]*": ([^\n]*)\]\n?([\s\S]*)$/.exec(text);
  return found === null ? undefined : { handle: found[1] ?? '', how: found[2] ?? '', body: found[3] ?? '' };
}

/** What handles have ended with, from notes and from collected waits. */
function endsOf(items: readonly ContextItem[]): ReadonlyMap<string, Output> {
  const ends = new Map<string, Output>();
  for (const item of items) {
    const note = item.kind === 'user' ? noteIn(item.text) : undefined;
    if (note !== undefined) ends.set(note.handle, noted(note.how, note.body));
    if (item.kind !== 'result' || item.tool !== 'wait') continue;
    const results = Results.safeParse(objectIn(item.output)['results']).data ?? {};
    for (const [handle, output] of Object.entries(results)) ends.set(handle, output);
  }
  return ends;
}

const Results = z.record(z.string(), z.record(z.string(), z.unknown()));

function noted(how: string, body: string): Output {
  const output = objectIn(body);
  if (Object.keys(output).length > 0) return output;
  const exit = /^exited with code (\d+)/.exec(how)?.[1];
  if (exit !== undefined) return { stdout: body, exit_code: Number(exit), success: exit === '0' };
  return { error: how.replaceAll(' ', '_'), detail: body };
}

function outcomeOf(output: Output, ends: ReadonlyMap<string, Output>): Outcome {
  const { handle, error, detail, waits_for } = output;
  if (typeof handle === 'string' && output['background'] === true) {
    const end = ends.get(handle);
    if (end !== undefined) return outcomeOf({ ...end, handle: undefined }, ends);
    return { kind: 'waiting', handle, for: typeof waits_for === 'string' ? waits_for : undefined };
  }
  if (typeof error === 'string') {
    return { kind: 'failed', code: error, detail: typeof detail === 'string' ? detail : '' };
  }
  return { kind: 'done', output };
}

const ObjectText = z.record(z.string(), z.unknown());

/** The JSON object that a text holds; an empty one when it holds none. */
export function objectIn(text: string): Output {
  try {
    return ObjectText.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** A field's text; '' when it is none. */
export function textOf(output: Output | undefined, field: string): string {
  const value = output?.[field];
  return typeof value === 'string' ? value : '';
}
