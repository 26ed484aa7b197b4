/** What a provider says of its models, read from the body of its list. Pure. */
import { z } from 'zod';
import { parseJson } from '../../base/json';
import { LISTED_MODELS_MOST, type Provider } from '../../../protocol';

/** A model as its provider lists it. */
export interface ListedModel {
  readonly id: string;
  readonly name?: string | undefined;
  /** Tokens. */
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
}

export interface Listed {
  readonly models: readonly ListedModel[];
  /** Models beyond `LISTED_MODELS_MOST`, which are left out. */
  readonly left: number;
}

/** A figure that makes no sense is none. */
const Tokens = z.number().int().positive().nullish().catch(undefined);
const Words = z.string().trim().min(1).max(256).nullish().catch(undefined);

/** The shapes of OpenAI and Anthropic, with the names under which others put a window and a limit of the answer. */
const Entry = z.looseObject({
  id: z.string().trim().min(1).max(256),
  name: Words,
  display_name: Words,
  /** vLLM, OpenRouter, Groq, Mistral, Anthropic, in this order. */
  max_model_len: Tokens,
  context_length: Tokens,
  context_window: Tokens,
  max_context_length: Tokens,
  max_input_tokens: Tokens,
  /** Anthropic. */
  max_tokens: Tokens,
  /** Seconds since 1970, in OpenAI's shape. */
  created: z.number().nullish().catch(undefined),
});
type Entry = z.infer<typeof Entry>;

const Body = z.looseObject({ data: z.array(z.unknown()) });

/** OpenAI lists all that it serves; by their names these cannot hold a conversation over its Responses wire. */
const OTHER_WORK =
  /embed|whisper|tts|transcribe|dall-e|image|audio|realtime|moderation|sora|babbage|davinci/i;

/** Undefined when this is no list of models. Entries without an id are passed over; the newest come first. */
export function readList(kind: Provider['kind'], text: string): Listed | undefined {
  const body = Body.safeParse(jsonOf(text));
  if (!body.success) return undefined;
  const entries = body.data.data.flatMap((one) => {
    const entry = Entry.safeParse(one);
    return entry.success ? [entry.data] : [];
  });
  if (entries.length === 0 && body.data.data.length > 0) return undefined;
  const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  const talking = kind === 'openai' ? unique.filter(({ id }) => !OTHER_WORK.test(id)) : unique;
  const sorted = [...talking].sort((a, b) => (b.created ?? 0) - (a.created ?? 0));
  return {
    models: sorted.slice(0, LISTED_MODELS_MOST).map((entry) => modelOf(kind, entry)),
    left: Math.max(0, sorted.length - LISTED_MODELS_MOST),
  };
}

function modelOf(kind: Provider['kind'], entry: Entry): ListedModel {
  const name = entry.display_name ?? entry.name ?? undefined;
  const contextWindow =
    entry.max_model_len ??
    entry.context_length ??
    entry.context_window ??
    entry.max_context_length ??
    entry.max_input_tokens ??
    undefined;
  // Elsewhere it can be the window as well: asked for as an answer, a service refuses it.
  const maxOutput = kind === 'anthropic' ? (entry.max_tokens ?? undefined) : undefined;
  return {
    id: entry.id,
    ...(name === undefined ? {} : { name }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
  };
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
