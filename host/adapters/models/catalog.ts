/**
 * What is known of models, and the list that the picker shows. Settings come first; the tables hold only what
 * the providers' own pages state without conditions (read in November 2026), so a model whose price depends on
 * the length of the prompt has none here.
 */
import { say, type ModelInfo, type ModelList, type Provider, type Settings } from '../../../protocol';
import type { Launch } from '../../base/launch';
import { placesKey } from './extras';
import { keyVariable, type Keys } from './keys';
import type { Lists } from './lists';
import type { ListedModel } from './listed';
import type { Price } from './wire';

export interface KnownModel {
  readonly name?: string;
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly price?: Price | undefined;
  /** Whether it takes the parameters that ask for its reasoning. */
  readonly reasons?: boolean;
  /** Whether the picker offers it where neither settings nor a list name the models, and before others of a list. */
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

/**
 * What settings, the provider's own list and tables say of a model, in this order. Prices of the tables are the
 * provider's own, so they need its own address.
 */
export function knownModel(
  provider: Provider,
  id: string,
  listed: readonly ListedModel[] | undefined,
): KnownModel {
  const set = provider.models?.find((model) => model.id === id);
  const found = listed?.find((model) => model.id === id);
  const table = KNOWN[provider.kind];
  const known = Object.hasOwn(table, id) ? table[id] : undefined;
  const name = known?.name ?? found?.name;
  return {
    ...known,
    ...(name === undefined ? {} : { name }),
    contextWindow: set?.contextWindow ?? found?.contextWindow ?? known?.contextWindow,
    maxOutput: set?.maxOutput ?? found?.maxOutput ?? known?.maxOutput,
    price: priceOf(set) ?? (isOfficial(provider) ? known?.price : undefined),
    reasons: known?.reasons ?? (provider.kind === 'openai' && REASONING_GPT.test(id)),
  };
}

const priceOf = (set: NonNullable<Provider['models']>[number] | undefined): Price | undefined =>
  set?.price === undefined
    ? undefined
    : {
        input: set.price.input,
        output: set.price.output,
        cached: set.price.cached ?? set.price.input,
        written: set.price.written ?? set.price.input,
      };

const isOfficial = ({ kind, baseUrl }: Provider): boolean =>
  baseUrl === undefined || OFFICIAL[kind]?.test(baseUrl) === true;

/** Models of the settings' providers, and what there is to say of each provider. `look` asks those that can be asked. */
export async function listModels(need: {
  readonly settings: Settings['models'];
  readonly providers: ReadonlyMap<string, Provider>;
  readonly keys: Keys;
  readonly lists: Lists;
  readonly look: Launch | undefined;
}): Promise<ModelList> {
  const { settings, keys, lists, look } = need;
  const all = await Promise.all(
    [...need.providers].map(async ([name, provider]) => {
      const key = await keys.get(name, provider, { anew: look !== undefined });
      const needsKey =
        provider.kind !== 'openai-compatible' || provider.apiKeyEnv !== undefined || placesKey(provider);
      const ready = !needsKey || key !== undefined;
      const hasAddress = provider.kind !== 'openai-compatible' || provider.baseUrl !== undefined;
      if (look !== undefined && ready && hasAddress)
        await lists.look({ name, provider, key, refused: () => keys.forget(name) }, look);
      const listed = lists.of(name, provider);
      const items = idsOf(name, provider, listed, settings?.default).map((id): ModelInfo => {
        const known = knownModel(provider, id, listed);
        return {
          id: `${name}/${id}`,
          name: known.name ?? id,
          provider: name,
          ready,
          ...(known.contextWindow === undefined ? {} : { contextWindow: known.contextWindow }),
          ...(ready ? {} : { note: keyWanted(provider) }),
        };
      });
      const note = ready ? lists.note(name, provider) : keyWanted(provider);
      return { items, provider: { name, ...(note === undefined ? {} : { note }) } };
    }),
  );
  return { items: all.flatMap(({ items }) => items), providers: all.map(({ provider }) => provider) };
}

function keyWanted(provider: Provider): string {
  const variable = keyVariable(provider);
  return variable === undefined
    ? say('Needs a key.')
    : say('Needs a key: set one, or the environment variable {variable}.', { variable });
}

/** Those of the settings first, then those that the tables offer, then the rest of the list, each once. */
function idsOf(
  name: string,
  provider: Provider,
  listed: readonly ListedModel[] | undefined,
  chosen: string | undefined,
): readonly string[] {
  const set = provider.models?.map(({ id }) => id) ?? [];
  const begins = chosen?.startsWith(`${name}/`) === true ? [chosen.slice(name.length + 1)] : [];
  const offered = Object.entries(KNOWN[provider.kind]).flatMap(([id, known]) =>
    known.offered === true ? [id] : [],
  );
  const has = new Set(listed?.map(({ id }) => id));
  const found =
    listed === undefined
      ? set.length === 0 && isOfficial(provider)
        ? offered
        : []
      : [...offered.filter((id) => has.has(id)), ...has];
  return [...new Set([...set, ...begins, ...found])];
}
