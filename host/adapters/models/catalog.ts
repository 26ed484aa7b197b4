/** What is known of models, and the list that the picker shows. */
import type { ModelInfo, Provider } from '../../../protocol';
import type { Keys } from './keys';
import type { Price } from './wire';

export interface KnownModel {
  readonly id: string;
  readonly name: string;
  readonly contextWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly price?: Price;
}

/** What settings and defaults say of a model; undefined when neither names it. */
export function knownModel(provider: Provider | undefined, id: string): KnownModel | undefined {
  const set = provider?.models?.find((model) => model.id === id);
  return set === undefined
    ? undefined
    : { id, name: id, contextWindow: set.contextWindow, maxOutput: set.maxOutput };
}

export async function listModels(
  providers: Readonly<Record<string, Provider>>,
  keys: Keys,
): Promise<ModelInfo[]> {
  const listed = await Promise.all(
    Object.entries(providers).map(async ([name, provider]): Promise<ModelInfo[]> => {
      const key = await keys.get(name, provider);
      const needsKey = provider.kind !== 'openai-compatible' || provider.apiKeyEnv !== undefined;
      const ready = key !== undefined || !needsKey;
      return (provider.models ?? []).map((model) => ({
        id: `${name}/${model.id}`,
        name: model.id,
        provider: name,
        ready,
        ...(model.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
        ...(ready ? {} : { note: 'Needs a key.' }),
      }));
    }),
  );
  return listed.flat();
}
