/**
 * What is open in the editor beside the chat, which goes along with a message while it is on. As users of VS Code expect,
 * a selection is on until it is taken off, since it is a person's act; a file alone is off until it is put on.
 */
import { computed, signal } from '@preact/signals';
import type { Context } from '../../protocol/message';
import * as app from './app';
import { addContext, type Draft } from './drafts';

const open = signal<Context | undefined>(undefined);
/** What the person has chosen, for files and for selections, as long as the page lives. */
const chosen = signal<{ readonly file: boolean; readonly selection: boolean }>({
  file: false,
  selection: true,
});

const kindOf = (context: Context): 'file' | 'selection' =>
  context.kind === 'selection' ? 'selection' : 'file';

/** Nothing is offered that is attached already. */
export const active = computed(() => {
  const context = open.value;
  return context === undefined || addContext(app.draft.value, [context]).context === app.draft.value.context
    ? undefined
    : context;
});
export const isOn = computed(() => active.value !== undefined && chosen.value[kindOf(active.value)]);

export function opened(context: Context | undefined): void {
  open.value = context;
}

export function turn(context: Context, on: boolean): void {
  chosen.value = { ...chosen.peek(), [kindOf(context)]: on };
}

/** The draft as it is sent. */
export function withActive(draft: Draft): Draft {
  const context = active.peek();
  return context === undefined || !isOn.peek() ? draft : addContext(draft, [context]);
}
