/**
 * What is known of models, and the list that the picker shows. Settings come first; the tables hold only what
 * the providers' own pages state without conditions (read in November 2026), so a model whose price depends on
 * the length of the prompt has none here.
 */
import { say, type ModelInfo, type Provider } from '../../../protocol';
import { keyVariable, type Keys } from './keys';
import type { Price } from './wire';

export interface KnownModel {
  readonly name?: string;
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly price?: Price | undefined;
  /** Whether it takes the parameters that ask for its reasoning. */
  readonly reasons?: boolean;
  /** Whether the picker offers it where the settings name no models. */
  readonly offered?: boolean;
}

const MILLION = 1_000_000;
const CLAUDE = { contextWindow: MILLION, maxOutput: 128_000, reasons: true } as const;
const GPT = { contextWindow: 1_050_000, reasons: true } as const;

const KNOWN: Readonly<Record<Provider['kind'], Readonly<Record<string, KnownModel>>>> = {
  anthropic: {
    'claude-opus-5-5': {
      ...CLAUDE,
      name: 'Claude Opus 5.5',
      offered: true,
      price: { input: 4, output: 20, cached: 0.2, written: 5 },
    },
    'claude-sonnet-5-5': {
      ...CLAUDE,
      name: 'Claude Sonnet 5.5',
      offered: true,
      price: { input: 2, output: 10, cached: 0.1, written: 2.5 },
    },
    'claude-haiku-5-5': { ...CLAUDE, name: 'Claude Haiku 5.5', offered: true },
    'claude-fable-5-2': { ...CLAUDE, name: 'Claude Fable 5.2', offered: true },
    'claude-opus-5': { ...CLAUDE, price: { input: 5, output: 25, cached: 0.5, written: 6.25 } },
    'claude-sonnet-5': { ...CLAUDE, price: { input: 2, output: 10, cached: 0.2, written: 2.5 } },
    'claude-fable-5-1': { ...CLAUDE, price: { input: 10, output: 50, cached: 0.25, written: 12.5 } },
    'claude-fable-5': { ...CLAUDE, price: { input: 10, output: 50, cached: 1, written: 12.5 } },
    'claude-haiku-4-5': {
      contextWindow: 200_000,
      maxOutput: 64_000,
      price: { input: 1, output: 5, cached: 0.1, written: 1.25 },
    },
  },
  openai: {
    'gpt-6.2-astra': { ...GPT, name: 'GPT-6.2 Astra', offered: true },
    'gpt-6.2-sol': { ...GPT, name: 'GPT-6.2 Sol', offered: true },
    'gpt-6.1-terra': { ...GPT, name: 'GPT-6.1 Terra', offered: true },
    'gpt-6-luna': { ...GPT, name: 'GPT-6 Luna', offered: true },
  },
  'openai-compatible': {},
};

const OFFICIAL: Readonly<Record<Provider['kind'], RegExp | undefined>> = {
  anthropic: /^https:\/\/api\.anthropic\.com(\/|$)/,
  openai: /^https:\/\/api\.openai\.com(\/|$)/,
  'openai-compatible': undefined,
};

/** Families of models at OpenAI that reason, by name: newer members are not in the table. */
const REASONING_GPT = /^(o[1-9]|gpt-[5-9])(?!.*-chat)/;

/** What settings and tables say of a model. Prices are the provider's own, so they need its own address. */
export function knownModel(provider: Provider, id: string): KnownModel {
  const set = provider.models?.find((model) => model.id === id);
  const table = KNOWN[provider.kind];
  const known = Object.hasOwn(table, id) ? table[id] : undefined;
  const official = provider.baseUrl === undefined || OFFICIAL[provider.kind]?.test(provider.baseUrl) === true;
  return {
    ...known,
    contextWindow: set?.contextWindow ?? known?.contextWindow,
    maxOutput: set?.maxOutput ?? known?.maxOutput,
    price: official ? known?.price : undefined,
    reasons: known?.reasons ?? (provider.kind === 'openai' && REASONING_GPT.test(id)),
  };
}

/** Models of the settings' providers: those that a provider names, or else those that the tables offer. */
export async function listModels(
  providers: ReadonlyMap<string, Provider>,
  keys: Keys,
): Promise<readonly ModelInfo[]> {
  const listed = await Promise.all(
    [...providers].map(async ([name, provider]): Promise<ModelInfo[]> => {
      const needsKey = provider.kind !== 'openai-compatible' || provider.apiKeyEnv !== undefined;
      const ready = !needsKey || (await keys.get(name, provider)) !== undefined;
      const env = keyVariable(provider);
      const note =
        env === undefined
          ? say('Needs a key.')
          : say('Needs a key: set one, or the environment variable {variable}.', { variable: env });
      return idsOf(provider).map((id) => {
        const known = knownModel(provider, id);
        return {
          id: `${name}/${id}`,
          name: known.name ?? id,
          provider: name,
          ready,
          ...(known.contextWindow === undefined ? {} : { contextWindow: known.contextWindow }),
          ...(ready ? {} : { note }),
        };
      });
    }),
  );
  return listed.flat();
}

function idsOf(provider: Provider): readonly string[] {
  if (provider.models !== undefined && provider.models.length > 0)
    return provider.models.map((model) => model.id);
  if (provider.baseUrl !== undefined && OFFICIAL[provider.kind]?.test(provider.baseUrl) !== true) return [];
  return Object.entries(KNOWN[provider.kind]).flatMap(([id, known]) => (known.offered === true ? [id] : []));
}
