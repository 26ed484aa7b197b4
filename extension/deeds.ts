/**
 * What a person has done once, for the steps of the walkthrough: a step is done by doing it, wherever it was done,
 * and not by opening a command and leaving it. VS Code keeps which steps are done.
 */
import type { BelayEvent } from '../protocol';
import { setKey } from './contextKeys';
import type { HostClient } from './hostClient';
import { by, CONTEXT } from './ids';
import type { Disposable } from './disposable';

const PEOPLE: readonly string[] = Object.values(by);

/** The context key that becomes true with this event, if any. */
export function deedOf(event: BelayEvent): string | undefined {
  switch (event.type) {
    case 'approval_answered':
      // What a rule or an import has decided was nobody's deed.
      return PEOPLE.includes(event.data.by) ? CONTEXT.answered : undefined;
    case 'message_read':
      // At a step beyond the first the agent was at work: the message was read by a turn that ran.
      return event.data.step > 0 ? CONTEXT.steered : undefined;
    default:
      return undefined;
  }
}

export function followDeeds(host: HostClient): Disposable {
  return host.onEvent((event) => {
    const deed = deedOf(event);
    if (deed !== undefined) setKey(deed, true);
  });
}
