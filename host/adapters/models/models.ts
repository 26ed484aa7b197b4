/**
 * The models that a session can work with: those of the providers in the settings, those that the editor
 * offers, and the rehearsal. It owns the keys that it was told for a minute, what it has learned of
 * models, and the providers' lists of them; it keeps no connection and no request but for such a list.
 *
 * 1. `answer` makes one attempt and no retries, and every request leaves through its `launch` (P2).
 * 2. A provider's SDK is loaded with the first request to it: the host's start does not pay for it.
 */
import { EDITOR_PROVIDER, type Provider, type Settings } from '../../../protocol';
import type { ModelPort } from '../../engine/ports';
import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/lifecycle';
import type { Log } from '../../base/log';
import { redact, type Secrets } from '../../base/redact';
import type { Web } from '../../base/web/web';
import { answerByAnthropic } from './anthropic';
import { knownModel, listModels } from './catalog';
import { answerByChat } from './chat';
import { saysWho, withExtras } from './extras';
import { addressMissing, hiding, keyMissing, unknownModel } from './failures';
import { createKeys, keyVariable } from './keys';
import { createLists, type ListMemory } from './lists';
import { answerByEditor, type EditorModels } from './editor';
import { answerByRehearsal, REHEARSAL, REHEARSAL_MODEL, rehearsalInfo } from './rehearsal';
import { answerByResponses } from './responses';
import { addressOf, type AnswerOnWire, type Attempt, type Quirks } from './wire';

export interface ModelsNeed {
  /** `models` of the settings as they are now. */
  settings(): Settings['models'];
  /** A secret of the client's: `model/NAME` for the key of a provider. */
  secret(name: string): Promise<string | undefined>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly editor: EditorModels;
  readonly clock: Clock;
  /** Silence after which a stream counts as stalled, ms. */
  stallMs(): number;
  readonly web: Web;
  readonly log: Log;
  /** What no failure shows (X8). */
  secrets(): Secrets;
}

const WIRES: Readonly<Record<Provider['kind'], AnswerOnWire>> = {
  anthropic: answerByAnthropic,
  openai: answerByResponses,
  'openai-compatible': answerByChat,
};

interface Followed extends ListMemory {
  readonly cord: { watch(listener: (pulled: boolean) => void): void };
}

export interface Models extends ModelPort, Disposable {
  /** Ends the looks for lists that are under way with each pull; lists are kept there from now on. */
  follow(engine: Followed): void;
}

export function createModels(need: ModelsNeed): Models {
  const hide = (text: string): string => redact(text, need.secrets());
  const keys = createKeys(need);
  const quirks = new Map<string, Quirks>();
  let memory: ListMemory | undefined;
  const lists = createLists({
    clock: need.clock,
    web: need.web,
    env: need.env,
    log: need.log,
    hide,
    memory: () => memory,
  });

  /** The names of the built-in providers are not the settings' to give. */
  const providers = (): ReadonlyMap<string, Provider> =>
    new Map(
      Object.entries(need.settings()?.providers ?? {}).filter(
        ([name]) => name !== EDITOR_PROVIDER && name !== REHEARSAL,
      ),
    );

  const quirksOf = (model: string): Quirks => {
    const known = quirks.get(model) ?? {};
    quirks.set(model, known);
    return known;
  };

  const answer: ModelPort['answer'] = async (call, launch, signal, onPiece) => {
    const { provider: name, id } = parts(call.model);
    const base = {
      call,
      launch,
      signal,
      onPiece,
      model: id,
      clock: need.clock,
      stallMs: need.stallMs(),
    };
    const bare = { maxOutput: undefined, price: undefined, reasons: false, quirks: quirksOf(call.model) };
    const setting = providers().get(name);
    if (setting === undefined || id === '') {
      const bareAttempt: Attempt = {
        ...base,
        ...bare,
        fetch,
        provider: { name, baseUrl: undefined, key: undefined, hide },
      };
      if (name === EDITOR_PROVIDER) return answerByEditor(bareAttempt, need.editor);
      if (name === REHEARSAL && id === REHEARSAL_MODEL) return answerByRehearsal(bareAttempt);
      throw unknownModel(call.model);
    }
    const key = await keys.get(name, setting, { signal });
    if (key === undefined && setting.kind !== 'openai-compatible')
      throw keyMissing(name, keyVariable(setting));
    if (setting.kind === 'openai-compatible' && setting.baseUrl === undefined) throw addressMissing(name);
    const { maxOutput, price, reasons } = knownModel(setting, id, lists.of(name, setting));
    const way = await need.web.to(addressOf(setting));
    const provider = {
      name,
      baseUrl: setting.baseUrl,
      key,
      saysWho: saysWho(setting),
      hide,
      proxy: way.proxy,
    };
    const attempt: Attempt = {
      ...base,
      ...bare,
      fetch: withExtras(way.fetch, { name, provider: setting, key, env: need.env }),
      provider,
      maxOutput,
      price,
      reasons: reasons ?? false,
    };
    try {
      return await WIRES[setting.kind](attempt);
    } catch (error) {
      keys.doubt(name, error);
      throw error;
    }
  };

  return {
    list: async (look) => {
      const asked = { settings: need.settings(), providers: providers(), keys, lists, look };
      const listed = await listModels(asked);
      return { ...listed, items: [...listed.items, ...need.editor.offered(), rehearsalInfo] };
    },
    follow: (engine) => {
      memory = engine;
      engine.cord.watch((pulled) => {
        if (pulled) lists.stop();
      });
    },
    dispose: () => lists.close(),
    contextWindow: (model) => {
      const { provider, id } = parts(model);
      const setting = providers().get(provider);
      if (setting !== undefined) return knownModel(setting, id, lists.of(provider, setting)).contextWindow;
      return need.editor.offered().find((offer) => offer.id === model)?.contextWindow;
    },
    answer: async (...asked) => {
      try {
        return await answer(...asked);
      } catch (error) {
        throw hiding(error, hide);
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
