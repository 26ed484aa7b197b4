/** All outside agents behind one port (H1). The list of adapters is the only thing here that knows them. */
import { wholeCount } from '../../base/counts';
import { redact, redactDeep } from '../../base/redact';
import type { HarnessEvent, HarnessPort, HarnessSink } from '../../engine/harnessPort';
import { acp } from './acp/client';
import type { Adapter } from './adapter';
import { claude } from './claude/client';
import { codexAppServer } from './codexAppServer/client';
import { codexExec } from './codexExec/client';
import type { Surroundings } from './outside';
import { prepareCall } from './prepare';

const ADAPTERS: readonly Adapter[] = [codexAppServer, claude, codexExec, acp];

export function createHarnesses(around: Surroundings): HarnessPort {
  const adapterOf = (harness: string) => ADAPTERS.find((adapter) => adapter.drives(harness));
  return {
    list: () => Promise.resolve(ADAPTERS.flatMap((adapter) => adapter.list(around))),
    capabilities: (harness) => adapterOf(harness)?.capabilities,
    open: (options) => {
      const adapter = adapterOf(options.harness);
      if (adapter === undefined) throw new Error(`No adapter is for ${options.harness}.`);
      return adapter.open({ ...options, sink: redacting(options.sink, around) }, around);
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

/** What an agent prints holds no secret of Belay's when it is stored (X8). */
function redacting(sink: HarnessSink, around: Pick<Surroundings, 'secrets'>): HarnessSink {
  return (event) => sink(clean(counted(event), around));
}

/** The same event without Belay's keys; arguments stay, since what is shown is what an allow sends back (H2). */
export function clean(event: HarnessEvent, around: Pick<Surroundings, 'secrets'>): HarnessEvent {
  const secrets = around.secrets();
  if (secrets.values.length === 0) return event;
  switch (event.kind) {
    case 'result': {
      const { kept, ...result } = event.result;
      const whole = kept?.map(({ name, text }) => ({ name, text: redact(text, secrets) }));
      const output = redactDeep(result.output, secrets);
      return { ...event, result: { ...result, output, ...(whole === undefined ? {} : { kept: whole }) } };
    }
    case 'message': {
      const { reasoning } = event;
      const thought = reasoning === undefined ? {} : { reasoning: redact(reasoning, secrets) };
      return { ...event, text: redact(event.text, secrets), ...thought };
    }
    case 'text':
    case 'reasoning':
    case 'output':
    case 'notice':
      return { ...event, text: redact(event.text, secrets) };
    case 'retry':
      return { ...event, detail: redact(event.detail, secrets) };
    case 'permission':
      return event.why === undefined ? event : { ...event, why: redact(event.why, secrets) };
    case 'ended': {
      const { outcome } = event;
      if (outcome.kind !== 'failed') return event;
      return { ...event, outcome: { ...outcome, detail: redact(outcome.detail, secrets) } };
    }
    default:
      return event;
  }
}
