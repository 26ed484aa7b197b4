/** What one attempt on a provider's wire needs, and what each wire gives. */
import type { ModelAnswer, ModelCall, ModelPiece } from '../../engine/ports';
import type { Clock } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Provider } from '../../../protocol';

export interface Attempt {
  readonly call: ModelCall;
  readonly provider: ProviderAccess;
  /** The provider's own id of the model. */
  readonly model: string;
  /** Tokens that the answer may have, where settings or the catalog say so. */
  readonly maxOutput: number | undefined;
  readonly price: Price | undefined;
  /** Whether the model is known to take the parameters that ask for its reasoning. */
  readonly reasons: boolean;
  readonly launch: Launch;
  readonly signal: AbortSignal;
  readonly onPiece: (piece: ModelPiece) => void;
  readonly clock: Clock;
  /** The longest silence that is taken for thinking, ms. */
  readonly stallMs: number;
  readonly fetch: typeof fetch;
  readonly quirks: Quirks;
}

export interface ProviderAccess {
  /** As it is named in the settings, for the sentences that a person reads. */
  readonly name: string;
  /** Base address; undefined is the official one of its kind. */
  readonly baseUrl: string | undefined;
  readonly key: string | undefined;
  /** Its headers or its query say who asks. */
  readonly saysWho?: boolean;
  /** A text without what Belay keeps secret (X8). */
  readonly hide: (text: string) => string;
  /** The proxy on the way to it, as it may be shown. */
  readonly proxy?: string | undefined;
}

const OFFICIAL = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  'openai-compatible': 'https://api.openai.com/v1',
} as const;

/** Where a provider is, also where its settings do not say so. */
export const addressOf = ({ kind, baseUrl }: Provider): string => baseUrl ?? OFFICIAL[kind];

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of input that was read from the provider's cache. */
  readonly cached: number;
  /** Of input that was written to the provider's cache; as `input` where the provider does not charge for it. */
  readonly written?: number;
}

/**
 * What a model turned out not to take. It is learned from a refusal, which then counts as a failed attempt,
 * and kept while the host runs.
 */
export interface Quirks {
  /** Its template wants user and assistant in turn. */
  mergeUsers?: boolean;
  /** It does not take the parameters that ask for its reasoning. */
  noReasoning?: boolean;
  /** Summaries of its reasoning are not for this account. */
  noSummary?: boolean;
  /** Its signed reasoning holds only for an unchanged conversation: what no longer fits is to be dropped. */
  dropBound?: boolean;
}

/** Longest delay that a timer takes, ms: the SDKs' own time limit is out of the way, silence is watched here. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

export type AnswerOnWire = (attempt: Attempt) => Promise<ModelAnswer>;
