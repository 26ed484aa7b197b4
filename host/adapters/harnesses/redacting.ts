/**
 * What an agent says and prints, without Belay's keys (X8).
 * K1 A stream comes in pieces that may end anywhere: what could be the beginning of a key waits for the next piece.
 * K2 What has waited is told before the end of its stream: the result, the whole message, the end of the run.
 */
import { say } from '../../../protocol';
import { begunSecret, redact, redactDeep, redactors, type Redactor, type Secrets } from '../../base/redact';
import type { HarnessCall, HarnessEvent, HarnessSink } from '../../engine/harnessPort';

type Now = () => Secrets;

/** Calls whose output is looked through at once; the oldest stream of more is told as far as it has come (R10). */
const STREAMS = 1_000;

/** A sink before `sink` that takes an agent's events as they come. */
export function redacting(sink: HarnessSink, secrets: Now): HarnessSink {
  const streams = new Streams(secrets);
  return async (event) => {
    // All of them are handed on in the tick in which the event came, so that their order stays.
    await Promise.all([...streams.take(event)].map((one) => sink(one)));
  };
}

/** The same event without keys; arguments of what may be allowed stay: what is shown is what an allow sends back (H2). */
export function clean(event: HarnessEvent, now: Now): HarnessEvent {
  const secrets = now();
  if (secrets.values.length === 0) return event;
  switch (event.kind) {
    case 'result': {
      const { kept, ...result } = event.result;
      const whole = kept?.map(({ name, text }) => ({ name, text: redact(text, secrets) }));
      const output = redactDeep(result.output, secrets);
      return { ...event, result: { ...result, output, ...(whole === undefined ? {} : { kept: whole }) } };
    }
    case 'message': {
      const { reasoning } = event;
      const thought = reasoning === undefined ? {} : { reasoning: redact(reasoning, secrets) };
      return { ...event, text: redact(event.text, secrets), ...thought };
    }
    case 'text':
    case 'reasoning':
    case 'output':
    case 'notice':
      return { ...event, text: redact(event.text, secrets) };
    case 'retry':
      return { ...event, detail: redact(event.detail, secrets) };
    case 'call':
      // It may be told before it is asked, and its row is the question's.
      return event.call.deed.kind === 'question'
        ? { ...event, call: withoutKeysIn(event.call, secrets) }
        : event;
    case 'permission':
      return event.why === undefined ? event : { ...event, why: redact(event.why, secrets) };
    case 'question':
      return withoutKeys(event, secrets);
    case 'unasked':
      return {
        ...event,
        call: withoutKeysIn(event.call, secrets),
        detail: redact(event.detail, secrets),
      };
    case 'ended': {
      const { outcome } = event;
      if (outcome.kind !== 'failed') return event;
      return { ...event, outcome: { ...outcome, detail: redact(outcome.detail, secrets) } };
    }
    default:
      return event;
  }
}

/** A form that names a key cannot be shown without it, and an answer to another form would not be understood. */
function withoutKeys(event: Extract<HarnessEvent, { kind: 'question' }>, secrets: Secrets): HarnessEvent {
  const { asked, call, request } = event;
  const isNamed = asked.form.fields.some(({ name }) => holdsBegun(name, call, secrets));
  if (isNamed || holds(asked.form, secrets))
    return {
      kind: 'unasked',
      request,
      call: withoutKeysIn(call, secrets),
      detail: say('The agent’s question names a secret that Belay keeps. It was not shown, and declined.'),
    };
  return {
    ...event,
    call: withoutKeysIn(call, secrets),
    asked: { ...asked, question: redact(asked.question, secrets) },
  };
}

/** Nothing of it is sent back, so its arguments need not stay. */
function withoutKeysIn(call: HarnessCall, secrets: Secrets): HarnessCall {
  const isHeld = holds(call.args, secrets);
  const title = redact(call.title, secrets);
  // The title is the beginning of what the arguments hold whole: a key may have been cut with it.
  const bytes = Buffer.from(title);
  const shown = isHeld ? bytes.subarray(0, bytes.length - begunSecret(bytes, secrets)).toString() : title;
  return { ...call, title: shown, args: isHeld ? {} : call.args };
}

function holds(value: unknown, secrets: Secrets): boolean {
  const text = value === undefined ? '' : JSON.stringify(value);
  return redact(text, secrets) !== text;
}

/** The same of a field's name. */
const holdsBegun = (name: string, call: HarnessCall, secrets: Secrets): boolean =>
  begunSecret(Buffer.from(name), secrets) > 0 && holds(call.args, secrets);

/** The streams of one conversation: its words, its thoughts, and what each call puts out. */
class Streams {
  private readonly stream: () => Stream;
  private readonly words = new Map<'text' | 'reasoning', Stream>();
  private readonly outputs = new Map<string, Stream>();

  constructor(private readonly secrets: Now) {
    const fresh = redactors(secrets);
    this.stream = () => new Stream(fresh(), secrets);
  }

  /** What is to be told for an event, in its order. */
  *take(event: HarnessEvent): Iterable<HarnessEvent> {
    switch (event.kind) {
      case 'text':
      case 'reasoning': {
        const text = pushed(this.words, event.kind, event.text, this.stream);
        if (text !== '') yield { ...event, text };
        return;
      }
      case 'output': {
        const text = pushed(this.outputs, event.id, event.text, this.stream);
        if (text !== '') yield { ...event, text };
        const [oldest] = this.outputs.size > STREAMS ? this.outputs.keys() : [];
        if (oldest !== undefined) yield* this.restOf(oldest);
        return;
      }
      case 'message':
        // What was streamed of it is replaced.
        this.words.clear();
        break;
      case 'result':
      case 'work_over':
        yield* this.restOf(event.id);
        break;
      case 'ended':
        yield* this.saidRest();
        yield* this.restsBut(event.outcome.kind === 'completed' ? event.work.map((one) => one.id) : []);
        break;
      case 'gone':
        yield* this.saidRest();
        yield* this.restsBut([]);
        break;
      default:
        break;
    }
    yield clean(event, this.secrets);
  }

  private *saidRest(): Iterable<HarnessEvent> {
    for (const [kind, stream] of this.words) yield* rest(stream, (text) => ({ kind, text }));
    this.words.clear();
  }

  /** What goes on behind a run that ended well goes on with its stream. */
  private *restsBut(working: readonly string[]): Iterable<HarnessEvent> {
    for (const id of [...this.outputs.keys()]) if (!working.includes(id)) yield* this.restOf(id);
  }

  private *restOf(id: string): Iterable<HarnessEvent> {
    const stream = this.outputs.get(id);
    if (stream === undefined) return;
    this.outputs.delete(id);
    yield* rest(stream, (text) => ({ kind: 'output', id, text }));
  }
}

/** Text that comes in pieces. */
class Stream {
  /** The first half of a pair that a piece ended in: alone it would be lost on its way through bytes. */
  private half = '';

  constructor(
    private readonly redactor: Redactor,
    private readonly secrets: Now,
  ) {}

  /** What is clear of it now. */
  push(piece: string): string {
    if (this.secrets().values.length === 0) return `${this.end()}${piece}`;
    const text = `${this.half}${piece}`;
    this.half = HALF.exec(text)?.[0] ?? '';
    return this.redactor.push(Buffer.from(text.slice(0, text.length - this.half.length))).toString();
  }

  /** What was held back. */
  end(): string {
    const text = `${this.redactor.end().toString()}${this.half}`;
    this.half = '';
    return text;
  }
}

const HALF = /[\uD800-\uDBFF]$/;

function pushed<Name>(streams: Map<Name, Stream>, name: Name, text: string, fresh: () => Stream): string {
  const stream = streams.get(name) ?? fresh();
  streams.set(name, stream);
  return stream.push(text);
}

function* rest(stream: Stream, told: (text: string) => HarnessEvent): Iterable<HarnessEvent> {
  const text = stream.end();
  if (text !== '') yield told(text);
}
