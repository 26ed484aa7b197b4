/** Questions one after another, in VS Code's own manner: numbered in the title, with a way back. */
import * as vscode from 'vscode';
import type { Clock } from '../clock';
import { noticeText } from '../views/line';

/** How long the typing may rest before it is looked at, ms. */
const REST_MS = 200;

/** Which question it is; the first one, number 1, has no way back. */
export interface Place {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
}

/** `undefined`: the person thought better of it. */
export type Reply<T> = { readonly value: T } | 'back' | undefined;

export interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

export interface Choosing<T> {
  readonly placeholder: string;
  readonly items: readonly Choice<T>[];
  /** The one that was chosen before. */
  readonly active?: Choice<T> | undefined;
  /** What is typed may be chosen as well. */
  readonly typed?: (text: string) => Choice<T>;
}

export async function chooseStep<T>(place: Place, choosing: Choosing<T>): Promise<Reply<T>> {
  const pick = vscode.window.createQuickPick<Choice<T>>();
  dress(pick, place);
  pick.placeholder = choosing.placeholder;
  pick.matchOnDescription = true;
  pick.items = choosing.items;
  if (choosing.active !== undefined) pick.activeItems = [choosing.active];
  const { typed } = choosing;
  if (typed !== undefined)
    pick.onDidChangeValue((text) => {
      const word = text.trim();
      const isListed = word === '' || choosing.items.some(({ label }) => label === word);
      pick.items = isListed ? choosing.items : [...choosing.items, { ...typed(word), alwaysShow: true }];
    });
  const reply = await new Promise<Reply<T>>((resolve) => {
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      if (chosen !== undefined) resolve({ value: chosen.value });
    });
    pick.onDidTriggerButton(() => resolve('back'));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  });
  pick.dispose();
  return reply;
}

/** What is said of a text while it is typed; one that is refused stays, so that it can be mended. */
export interface Checked {
  readonly fits: boolean;
  readonly words: string;
}

export interface Asking {
  readonly prompt: string;
  readonly placeholder: string;
  readonly value: string;
  /** Never rejects. */
  readonly check: (text: string) => Promise<Checked>;
  /** Every text is told here, so that none is lost on the way back. */
  readonly keep: (text: string) => void;
}

export async function textStep(place: Place, asking: Asking, clock: Clock): Promise<Reply<string>> {
  const box = vscode.window.createInputBox();
  dress(box, place);
  box.prompt = asking.prompt;
  box.placeholder = asking.placeholder;
  box.value = asking.value;
  let asked = 0;
  let callOff: () => void = () => undefined;
  /** Undefined when the text has changed meanwhile: nothing is said of one that no longer stands there. */
  const look = async (): Promise<Checked | undefined> => {
    const turn = ++asked;
    callOff();
    box.busy = true;
    const checked = await asking.check(box.value);
    if (turn !== asked) return undefined;
    box.busy = false;
    const { Info, Error } = vscode.InputBoxValidationSeverity;
    box.validationMessage = { message: noticeText(checked.words), severity: checked.fits ? Info : Error };
    return checked;
  };
  const rest = (): void => {
    asked += 1;
    callOff();
    box.busy = false;
    box.validationMessage = undefined;
    if (box.value.trim() !== '') callOff = clock.after(REST_MS, () => void look());
  };
  if (box.value.trim() !== '') void look();
  const reply = await new Promise<Reply<string>>((resolve) => {
    box.onDidChangeValue((text) => {
      asking.keep(text);
      rest();
    });
    const accept = async (): Promise<void> => {
      if ((await look())?.fits === true) resolve({ value: box.value });
    };
    box.onDidAccept(() => void accept());
    box.onDidTriggerButton(() => resolve('back'));
    box.onDidHide(() => resolve(undefined));
    box.show();
  });
  asked += 1;
  callOff();
  box.dispose();
  return reply;
}

/** What was entered so far outlives a look at another window or a terminal. */
function dress(
  input: Pick<vscode.QuickInput, 'title' | 'step' | 'totalSteps' | 'ignoreFocusOut'> & {
    buttons: readonly vscode.QuickInputButton[];
  },
  { title, step, totalSteps }: Place,
): void {
  input.title = title;
  input.step = step;
  input.totalSteps = totalSteps;
  input.ignoreFocusOut = true;
  input.buttons = step > 1 ? [vscode.QuickInputButtons.Back] : [];
}
