/** The output of a handle as a read-only document, which grows while somebody looks at it. */
import * as vscode from 'vscode';
import type { Handle } from '../../protocol';
import type { Belay } from '../belay';
import type { Clock } from '../clock';
import { SCHEMES } from '../ids';
import { HostError } from '../hostError';
import { handleNamed } from '../subjects';
import { handleWords } from '../views/handlesModel';
import type { Disposable } from '../disposable';

/** How often an open handle that is on screen is read again, ms. */
const LOOK_MS = 1_000;
/** Read in pieces of this size, bytes. */
const PIECE = 256 * 1024;

export async function showOutput(handle: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEMES.output, path: `/${handle}.log`, query: handle });
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { preview: true });
}

export function provideOutput(belay: Belay, clock: Clock): Disposable {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  let callOff: (() => void) | undefined;
  /** Of these nothing more comes. */
  const over = new Set<string>();
  const look = (): void => {
    callOff?.();
    callOff = undefined;
    const live = shown().filter((uri) => !over.has(uri.query));
    if (live.length === 0) return;
    callOff = clock.after(LOOK_MS, () => {
      for (const uri of live) changed.fire(uri);
      look();
    });
  };
  return vscode.Disposable.from(
    changed,
    { dispose: () => callOff?.() },
    vscode.workspace.registerTextDocumentContentProvider(SCHEMES.output, {
      onDidChange: changed.event,
      provideTextDocumentContent: async (uri) => {
        const { text, isOver } = await readOutput(belay, uri.query);
        if (isOver) over.add(uri.query);
        return text;
      },
    }),
    vscode.window.onDidChangeVisibleTextEditors(look),
    belay.host.onEvent((event) => {
      if (event.type !== 'handle_ended') return;
      for (const uri of shown()) if (uri.query === event.data.handle) changed.fire(uri);
    }),
  );
}

/** The host says what there is: it keeps more handles than the lists show. */
async function readOutput(belay: Belay, id: string): Promise<{ text: string; isOver: boolean }> {
  const handle = handleNamed({ handle: id });
  if (handle === undefined) return { text: '', isOver: true };
  const pieces: string[] = [];
  let offset = 0;
  try {
    for (;;) {
      const page = await belay.host.request('handle/read', { handle, offset, limit: PIECE });
      pieces.push(page.output);
      const next = page.offset + Buffer.byteLength(page.output);
      if (page.output === '' || next >= page.total)
        return {
          text: finished(pieces.join(''), page.handle, page.result),
          isOver: page.handle.state === 'ended',
        };
      offset = next;
    }
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== 'handle_unknown') throw error;
    return { text: vscode.l10n.t('There is no {0} any more.', id), isOver: true };
  }
}

/** The output, what a call without output has given, and how it stands. */
function finished(output: string, handle: Handle, result: unknown): string {
  const body = output === '' && result !== undefined ? JSON.stringify(result, null, 2) : output;
  const gap = body === '' || body.endsWith('\n') ? '' : '\n';
  return `${body}${gap}[${handle.id} · ${handleWords(handle)}]\n`;
}

function shown(): vscode.Uri[] {
  return vscode.window.visibleTextEditors
    .map((editor) => editor.document.uri)
    .filter((uri) => uri.scheme === SCHEMES.output);
}
