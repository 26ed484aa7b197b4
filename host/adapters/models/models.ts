/**
 * The models that a session can work with: those of the providers in the settings, those that the editor
 * offers, and the rehearsal. It owns the keys that it was told for a minute, and what it has learned of
 * models; it keeps no connection and no request.
 *
 * 1. `answer` makes one attempt and no retries, and every request leaves through its `launch` (P2).
 * 2. A provider's SDK is loaded with the first request to it: the host's start does not pay for it.
 */
import type { ModelInfo, Settings } from '../../../protocol';
import type { ModelPort } from '../../engine/ports';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { knownModel, listModels } from './catalog';
import { answerByChat } from './chat';
import { keyMissing, unknownModel } from './failures';
import { createKeys } from './keys';
import type { AnswerOnWire, Attempt, Quirks } from './wire';

export interface ModelsNeed {
  /** `models` of the settings as they are now. */
  settings(): Settings['models'];
  /** A secret of the client's: `model/NAME` for the key of a provider. */
  secret(name: string): Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Silence after which a stream counts as stalled, ms. */
  stallMs(): number;
  readonly fetch?: typeof fetch;
  readonly log: Log;
}

type ProviderSetting = NonNullable<NonNullable<Settings['models']>['providers']>[string];

const WIRES: Readonly<Record<ProviderSetting['kind'], AnswerOnWire>> = {
  anthropic: answerByChat,
  openai: answerByChat,
  'openai-compatible': answerByChat,
};

export function createModels(need: ModelsNeed): ModelPort {
  const keys = createKeys(need);
  const quirks = new Map<string, Quirks>();
  const send = need.fetch ?? fetch;

  const providers = (): Readonly<Record<string, ProviderSetting>> => need.settings()?.providers ?? {};

  const quirksOf = (model: string): Quirks => {
    const known = quirks.get(model) ?? {};
    quirks.set(model, known);
    return known;
  };

  return {
    list: async (): Promise<readonly ModelInfo[]> => listModels(providers(), keys),
    contextWindow: (model) => {
      const { provider, id } = parts(model);
      return knownModel(providers()[provider], id)?.contextWindow;
    },
    answer: async (call, launch, signal, onPiece) => {
      const { provider: name, id } = parts(call.model);
      const setting = Object.hasOwn(providers(), name) ? providers()[name] : undefined;
      if (setting === undefined || id === '') throw unknownModel(call.model);
      const key = await keys.get(name, setting, signal);
      if (key === undefined && setting.kind !== 'openai-compatible')
        throw keyMissing(name, keys.envOf(setting));
      const model = knownModel(setting, id);
      const attempt: Attempt = {
        call,
        provider: { name, baseUrl: setting.baseUrl, key },
        model: id,
        maxOutput: model?.maxOutput,
        price: model?.price,
        launch,
        signal,
        onPiece,
        clock: need.clock,
        stallMs: need.stallMs(),
        fetch: send,
        quirks: quirksOf(call.model),
      };
      try {
        return await WIRES[setting.kind](attempt);
      } catch (error) {
        keys.doubt(name, error);
        throw error;
      }
    },
  };
}

/** `provider/model-id`; the id may have slashes of its own. */
function parts(model: string): { readonly provider: string; readonly id: string } {
  const slash = model.indexOf('/');
  return slash < 0
    ? { provider: model, id: '' }
    : { provider: model.slice(0, slash), id: model.slice(slash + 1) };
}
