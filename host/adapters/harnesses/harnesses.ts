/** All outside agents behind one port (H1). The list of adapters is the only thing here that knows them. */
import { wholeCount } from '../../base/counts';
import type { Disposable } from '../../base/lifecycle';
import type { HarnessEvent, HarnessPort } from '../../engine/harnessPort';
import { acp } from './acp/client';
import type { Adapter } from './adapter';
import { claude } from './claude/client';
import { codexAppServer } from './codexAppServer/client';
import { codexExec } from './codexExec/client';
import type { Surroundings } from './outside';
import { prepareCall } from './prepare';
import { ModelLists } from './modelLists';
import { redacting } from './redacting';

const ADAPTERS: readonly Adapter[] = [codexAppServer, claude, codexExec, acp];

export interface Harnesses extends HarnessPort, Disposable {
  /** Ends what is being asked with each pull. */
  follow(engine: { readonly cord: { watch(listener: (pulled: boolean) => void): void } }): void;
}

export function createHarnesses(need: Omit<Surroundings, 'models'>): Harnesses {
  const lists = new ModelLists(() => around);
  const around: Surroundings = { ...need, models: lists };
  const adapterOf = (harness: string) => ADAPTERS.find((adapter) => adapter.drives(harness));
  return {
    list: () => Promise.resolve(ADAPTERS.flatMap((adapter) => adapter.list(around))),
    capabilities: (harness) => adapterOf(harness)?.capabilities,
    models: (harness, folder, launch) => lists.of(harness, adapterOf(harness)?.models, folder, launch),
    follow: ({ cord }) =>
      cord.watch((pulled) => {
        if (pulled) void lists.pause();
      }),
    underWay: () => lists.underWay(),
    gone: () => lists.gone(),
    dispose: () => lists.stop(),
    open: (options) => {
      const adapter = adapterOf(options.harness);
      if (adapter === undefined) throw new Error(`No adapter is for ${options.harness}.`);
      const told = redacting(options.sink, around.secrets);
      return adapter.open({ ...options, sink: (event) => told(counted(event)) }, around);
    },
    prepare: (call, place) => prepareCall(call, place, around),
  };
}

/** What an agent counts is a sum of tokens, whatever it says. */
function counted(event: HarnessEvent): HarnessEvent {
  if (event.kind !== 'usage') return event;
  const { inputTokens, outputTokens, cachedTokens, costUsd } = event.usage;
  return {
    kind: 'usage',
    usage: {
      inputTokens: wholeCount(inputTokens),
      outputTokens: wholeCount(outputTokens),
      cachedTokens: wholeCount(cachedTokens),
      ...(costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0 ? { costUsd } : {}),
    },
  };
}
