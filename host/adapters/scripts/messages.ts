/** What the host and a script's thread say to each other. Plain data; texts of JSON where it may be large. */
import type { Image } from '../../../protocol';

export interface Start {
  readonly kind: 'start';
  readonly code: string;
  /** One number: not 0 once the script is halted (S2). Shared, so that a loop sees it. */
  readonly halt: Int32Array;
  /** JSON of the tools: name and description. */
  readonly tools: string;
  /** What the session has stored, as JSON by key. */
  readonly stored: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly id: number;
  /** False: the call fails in the script, with `error` and `detail` of the JSON. */
  readonly ok: boolean;
  readonly json: string;
}

export type ToThread =
  | Start
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }
  /** Wakes a script that waits; one that runs sees the flag. */
  | { readonly kind: 'halt' };

export interface NestedCall {
  readonly id: number;
  readonly tool: string;
  /** JSON. */
  readonly args: string;
}

export interface ScriptError {
  readonly name: string;
  readonly message: string;
  /** In the script's own lines, counted from 1; absent when it did not arise there. */
  readonly line?: number;
  readonly column?: number;
  readonly stack: string;
}

export type Ending =
  /** `value` is JSON; absent for undefined. */
  | { readonly how: 'completed'; readonly value?: string }
  | { readonly how: 'failed' | 'memory'; readonly error: ScriptError }
  /** The flag was seen. */
  | { readonly how: 'halted' };

/** A text of which the middle may be gone. */
export interface Captured {
  readonly text: string;
  readonly omitted: number;
}

export interface Ended {
  readonly kind: 'ended';
  readonly ending: Ending;
  readonly text: Captured;
  readonly log: Captured;
  readonly notices: readonly string[];
  /** Bytes of notices beyond what is kept of them. */
  readonly noticesOmitted: number;
  readonly images: readonly Image[];
  /** What it has stored, as JSON by key; undefined drops the key. */
  readonly stores: readonly { readonly key: string; readonly json: string | undefined }[];
}

export interface Progress {
  readonly kind: 'progress';
  readonly calls: readonly NestedCall[];
  /** What it printed since. */
  readonly output: string;
  /** Nothing runs in it until a reply or a timer comes; how many replies it has had, and timers it waits for. */
  readonly idle: boolean;
  readonly replies: number;
  readonly timers: number;
}

export type FromThread = { readonly kind: 'ready' } | Progress | Ended;

/** What a thread is given when it starts. */
export interface ThreadData {
  /** Compiled once, in the host. */
  readonly module: WebAssembly.Module;
}
