import { isTold, type CallId, type ToldEvent } from '../../../protocol';
import { NoteArgs } from './own';

export interface NoteSeen {
  see(event: Pick<ToldEvent, 'type' | 'data'>): void;
  text(): string;
}

/** What the agent's note said at the end of the events that were seen: each call of `note` puts it anew. */
export function noteSeen(): NoteSeen {
  const planned = new Map<CallId, string>();
  let text = '';
  return {
    see(event) {
      if (isTold(event, 'turn_started')) planned.clear();
      if (isTold(event, 'calls_planned'))
        for (const call of event.data.calls) {
          const args = NoteArgs.safeParse(call.tool === 'note' ? call.args : undefined);
          if (args.success) planned.set(call.call_id, args.data.text);
        }
      if (isTold(event, 'tool_completed') && !event.data.failed)
        text = planned.get(event.data.call_id) ?? text;
    },
    text: () => text,
  };
}
