/**
 * What a person has done once, for the steps of the walkthrough: a step is done by doing it, wherever and whenever it
 * was done, and not by opening a command and leaving it.
 *
 * VS Code keeps which steps are done, but hears of deeds only once it has read the walkthrough, which it does when its
 * welcome page is first wanted in a window: a context key that was true by then marks nothing any more. So a step is
 * marked with VS Code's own command, which it takes at any time, and a deed is remembered, so that a step is marked once
 * and what a person has unmarked stays so. Where there is no such command, the key still marks it in an open walkthrough.
 */
import * as vscode from 'vscode';
import type { BelayEvent } from '../protocol';
import { setKey } from './contextKeys';
import { by, CONTEXT, WALKTHROUGH, type Step } from './ids';

const PEOPLE: readonly string[] = Object.values(by);
const MEMORY = 'deeds';

/** The step that ends with this event, if any. */
export function deedOf(event: BelayEvent): Step | undefined {
  switch (event.type) {
    case 'approval_answered':
      // What a rule or an import has decided was nobody's deed.
      return PEOPLE.includes(event.data.by) ? 'approve' : undefined;
    case 'message_read':
      // At a step beyond the first the agent was at work: the message was read by a turn that ran.
      return event.data.step > 0 ? 'steer' : undefined;
    default:
      return undefined;
  }
}

export class Deeds {
  private readonly done: Set<string>;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly extension: string,
  ) {
    this.done = new Set(memory.get<readonly string[]>(MEMORY, []));
  }

  did(step: Step | undefined): void {
    if (step === undefined || this.done.has(step)) return;
    this.done.add(step);
    setKey(`${CONTEXT.did}.${step}`, true);
    void this.memory.update(MEMORY, [...this.done]);
    const id = `${this.extension}#${WALKTHROUGH}#${step}`;
    // It keeps the mark and then fails while the walkthrough is not read yet.
    void vscode.commands.executeCommand('welcome.markStepComplete', id).then(undefined, () => undefined);
  }
}
