/**
 * What is open in the editor beside the chat, which goes along with a message while it is on. As users of VS Code expect,
 * a selection is on until it is taken off, since it is a person's act; a file alone is off until it is put on. So is a
 * selection outside the folders of the window, or in a file that by its name holds secrets: each such file by itself.
 */
import { computed, signal } from '@preact/signals';
import type { Context } from '../../protocol/message';
import * as app from './app';
import { addContext, type Draft } from './drafts';

const open = signal<Context | undefined>(undefined);
/** What the person has chosen, as long as the page lives: for files, for selections, and for a file that is guarded. */
const chosen = signal<ReadonlyMap<string, boolean>>(new Map([['selection', true]]));

/** Names of files that hold keys and passwords by custom, and of folders with nothing else in them. */
const SECRET_FILE =
  /^(\.env.*|\.?(npmrc|netrc|_netrc|pypirc|pgpass|htpasswd|git-credentials)|id_(rsa|dsa|ecdsa|ed25519).*|.*\.(pem|key|ppk|p12|pfx|jks|keystore|kdbx|env|tfvars)|.*(secret|credential|password)s?(\..*)?)$/i;
const SECRET_FOLDER = /[\\/]\.(ssh|aws|gnupg|kube|docker|azure)[\\/]/i;

const isGuarded = (path: string): boolean =>
  SECRET_FOLDER.test(path) ||
  SECRET_FILE.test(path.split(/[\\/]/).at(-1) ?? '') ||
  app.editor.value?.folders.some((folder) => isInside(path, folder.path)) !== true;

const isInside = (path: string, folder: string): boolean =>
  path.startsWith(folder) && (/[\\/]$/.test(folder) || /^[\\/]/.test(path.slice(folder.length)));

function choiceOf({ kind, path }: Context): string {
  if (kind !== 'selection') return 'file';
  return isGuarded(path) ? `selection in ${path}` : 'selection';
}

/** Nothing is offered that is attached already. */
export const active = computed(() => {
  const context = open.value;
  return context === undefined || addContext(app.draft.value, [context]).context === app.draft.value.context
    ? undefined
    : context;
});
export const isOn = computed(
  () => active.value !== undefined && chosen.value.get(choiceOf(active.value)) === true,
);

export function opened(context: Context | undefined): void {
  open.value = context;
}

export function turn(context: Context, on: boolean): void {
  chosen.value = new Map([...chosen.peek(), [choiceOf(context), on]]);
}

/** The draft as it is sent. */
export function withActive(draft: Draft): Draft {
  const context = active.peek();
  return context === undefined || !isOn.peek() ? draft : addContext(draft, [context]);
}
