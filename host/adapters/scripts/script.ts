/**
 * One script in its thread: its world's wishes are gathered and told to the host, its end is told once.
 *
 * Owns what the script has said, stored and asked for. 1. Everything that it may pile up has a limit (R10).
 * 2. Nothing of a halted script leaves: not a call, not a value (S2). 3. After its end nothing is told.
 */
import type { Image } from '../../../protocol';
import {
  IMAGES_PER_MESSAGE,
  NESTED_ARGUMENTS_BYTES,
  RESULT_KEPT_BYTES,
  STORED_BYTES,
  STORED_KEYS,
  STORED_VALUE_BYTES,
  STREAM_KEPT_BYTES,
} from '../../../protocol';
import { Capture } from '../../base/capture';
import type { Clock, Timer } from '../../base/clock';
import type { Ending, FromThread, NestedCall, Reply, Start } from './messages';
import { errorOf } from './stack';
import { imageOf } from './pictures';
import type { Vm, World } from './vm';

/** Nested calls without a result that a script may have at once. */
const CALLS_AT_ONCE = 2_048;
/** What is told as it is printed, bytes in all: the rest comes with the result. */
const LIVE_BYTES = 1024 * 1024;
/** What is gathered before it is told, characters, and for how long, ms: a loop that prints costs no message a line. */
const GATHERED_CHARACTERS = 16 * 1024;
const GATHERED_MS = 50;
const NOTICES = 16;
/** Longer than what is shown of one (`result.ts`), so that it is cut after secrets were looked for. */
const NOTICE_CHARACTERS = 8 * 1024;
const KEY_CHARACTERS = 256;
const TIMERS = 1_024;
/** The longest that Node's timers take, ms. */
const TIMER_MOST_MS = 2 ** 31 - 1;

export class Script implements World {
  private ending: Ending | undefined;
  private readonly said = { text: new Capture(STREAM_KEPT_BYTES), log: new Capture(STREAM_KEPT_BYTES) };
  private readonly notices: string[] = [];
  private noticesOmitted = 0;
  private readonly images: Image[] = [];
  /** What is stored as the script sees it, and what of it is its own doing. */
  private readonly kept: Map<string, string>;
  private keptBytes = 0;
  private readonly stores = new Map<string, string | undefined>();
  private readonly timers = new Map<number, Timer>();
  private calls: NestedCall[] = [];
  private callBytes = 0;
  private atWork = 0;
  private live = '';
  private liveBytes = 0;
  private gatheredAt = 0;
  private replies = 0;
  private told = false;

  constructor(
    private readonly vm: Vm,
    private readonly given: Start,
    private readonly clock: Clock,
    private readonly tell: (message: FromThread) => void,
    /** A timer has fired: there is work. */
    private readonly woken: () => void,
  ) {
    this.gatheredAt = clock.now();
    this.kept = new Map(Object.entries(given.stored));
    for (const [key, json] of this.kept) this.keptBytes += storedBytes(key, json);
  }

  begin(): boolean {
    this.vm.start(this.given.code, this.given.tools, this);
    return true;
  }

  get isDone(): boolean {
    return this.told;
  }

  /** The flag is set (S2). */
  get isHalted(): boolean {
    return Atomics.load(this.given.halt, 0) !== 0;
  }

  /** Runs a slice; true while there is more to run. */
  step(): boolean {
    const more = this.vm.pump();
    if (this.isOver()) {
      this.finish();
      return false;
    }
    this.progress(!more);
    return more;
  }

  settle(replies: readonly Reply[]): boolean {
    this.replies += replies.length;
    this.atWork -= replies.length;
    this.vm.settle(replies);
    return true;
  }

  isOver(): boolean {
    // The one place that a loop comes by: what it has printed is told from here.
    if (this.live !== '' && this.clock.now() - this.gatheredAt > GATHERED_MS) this.progress(false);
    return this.ending !== undefined || this.isHalted;
  }

  call(id: number, tool: string, args: string): string | undefined {
    if (this.isOver()) return `tools.${tool} refused: its turn ended`;
    if (this.atWork >= CALLS_AT_ONCE) return `At most ${CALLS_AT_ONCE} calls may be under way at once.`;
    if (args.length > NESTED_ARGUMENTS_BYTES)
      return `The arguments of a call hold at most ${NESTED_ARGUMENTS_BYTES} bytes.`;
    this.atWork += 1;
    this.calls.push({ id, tool, args });
    this.callBytes += args.length;
    if (this.callBytes > GATHERED_CHARACTERS) this.progress(false);
    return undefined;
  }

  put(kind: 'text' | 'log' | 'notice', text: string): void {
    if (this.isOver()) return;
    if (kind === 'notice') this.notice(text);
    else this.said[kind].add(Buffer.from(`${text}\n`));
    this.print(`${text}\n`);
  }

  /** What is not kept is counted (R10). */
  private notice(text: string): void {
    const kept = this.notices.length < NOTICES ? text.slice(0, NOTICE_CHARACTERS) : '';
    if (kept !== '') this.notices.push(kept);
    this.noticesOmitted += Buffer.byteLength(text) - Buffer.byteLength(kept);
  }

  picture(json: string): string | undefined {
    if (this.isOver()) return undefined;
    const image = imageOf(json);
    if (image === undefined)
      return 'image() takes {mediaType, data} with base64, a data URL, or a result with images.';
    if (this.images.length + image.length > IMAGES_PER_MESSAGE)
      return `A script hands over at most ${IMAGES_PER_MESSAGE} pictures.`;
    this.images.push(...image);
    return undefined;
  }

  store(key: string, json: string | undefined): string | undefined {
    if (this.isOver()) return 'store refused: its turn ended';
    if (key.length > KEY_CHARACTERS) return `A key has at most ${KEY_CHARACTERS} characters.`;
    if (json === undefined) {
      this.remove(key);
      return undefined;
    }
    if (Buffer.byteLength(json) > STORED_VALUE_BYTES)
      return `A stored value holds at most ${STORED_VALUE_BYTES} bytes.`;
    const isNew = !this.kept.has(key);
    if (isNew && this.kept.size >= STORED_KEYS) return `A session stores at most ${STORED_KEYS} keys.`;
    const bytes = this.keptBytes - this.bytesAt(key) + storedBytes(key, json);
    if (bytes > STORED_BYTES) return `A session stores at most ${STORED_BYTES} bytes in all, with its keys.`;
    this.kept.set(key, json);
    this.keptBytes = bytes;
    this.stores.set(key, json);
    return undefined;
  }

  load(key: string): string | undefined {
    return this.kept.get(key);
  }

  private remove(key: string): void {
    this.keptBytes -= this.bytesAt(key);
    this.kept.delete(key);
    // What was not there before the script need not be taken away after it.
    if (Object.hasOwn(this.given.stored, key)) this.stores.set(key, undefined);
    else this.stores.delete(key);
  }

  private bytesAt(key: string): number {
    const json = this.kept.get(key);
    return json === undefined ? 0 : storedBytes(key, json);
  }

  timer(id: number, ms: number): string | undefined {
    if (this.isOver()) return undefined;
    if (this.timers.size >= TIMERS) return `At most ${TIMERS} timers may wait at once.`;
    const after = Math.min(Math.max(ms, 0), TIMER_MOST_MS);
    const fire = () => {
      this.timers.delete(id);
      this.vm.fire(id);
      this.woken();
    };
    this.timers.set(id, this.clock.after(after, fire));
    return undefined;
  }

  clearTimer(id: number): void {
    this.timers.get(id)?.clear();
    this.timers.delete(id);
  }

  exit(): void {
    this.ending ??= { how: 'completed' };
  }

  end(ok: boolean, told: string): void {
    if (this.isOver()) return;
    if (ok && Buffer.byteLength(told) > RESULT_KEPT_BYTES) {
      const message = `The value is larger than ${RESULT_KEPT_BYTES} bytes.`;
      this.ending = { how: 'failed', error: { name: 'RangeError', message, stack: '' } };
    } else if (ok) this.ending = { how: 'completed', ...(told === '' ? {} : { value: told }) };
    else {
      const error = errorOf(told);
      this.ending = { how: isOutOfMemory(error) ? 'memory' : 'failed', error };
    }
  }

  /** Something broke out of the engine itself. */
  break(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const how = /memory/i.test(message) ? 'memory' : 'failed';
    this.ending ??= { how, error: { name: 'InternalError', message, stack: '' } };
    this.finish();
  }

  /** Tells its end, once. */
  finish(): void {
    if (this.told) return;
    this.told = true;
    for (const timer of this.timers.values()) timer.clear();
    this.timers.clear();
    const captured = (from: Capture) => from.shown(STREAM_KEPT_BYTES);
    this.tell({
      kind: 'ended',
      ending: this.isHalted ? { how: 'halted' } : (this.ending ?? { how: 'halted' }),
      text: captured(this.said.text),
      log: captured(this.said.log),
      notices: this.notices,
      noticesOmitted: this.noticesOmitted,
      images: this.images,
      stores: [...this.stores].map(([key, json]) => ({ key, json })),
    });
  }

  private print(text: string): void {
    if (this.liveBytes >= LIVE_BYTES) return;
    const piece = text.slice(0, LIVE_BYTES - this.liveBytes);
    this.liveBytes += piece.length;
    this.live += piece;
    if (this.live.length > GATHERED_CHARACTERS) this.progress(false);
  }

  private progress(idle: boolean): void {
    if (!idle && this.calls.length === 0 && this.live === '') return;
    const { calls, live } = this;
    this.calls = [];
    this.callBytes = 0;
    this.live = '';
    this.gatheredAt = this.clock.now();
    const { replies } = this;
    this.tell({ kind: 'progress', calls, output: live, idle, replies, timers: this.timers.size });
  }
}

const isOutOfMemory = (error: { readonly name: string; readonly message: string }): boolean =>
  error.name === 'InternalError' && error.message === 'out of memory';

const storedBytes = (key: string, json: string): number => Buffer.byteLength(key) + Buffer.byteLength(json);
