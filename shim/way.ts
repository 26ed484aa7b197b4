import type { RelayAnswer } from '../protocol/relay';

export interface ShimCall {
  readonly tool: string;
  /** The model's own id of the call, where the agent hands it over (C7). */
  readonly callId: string | undefined;
  readonly args: unknown;
  /** How long it may take, ms. */
  readonly timeMs: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** A way to the host. `call` rejects with a sentence when no answer comes. */
export interface Way {
  call(call: ShimCall): Promise<RelayAnswer>;
  close(): void;
}
