import { open, rm } from 'node:fs/promises';
import * as vscode from 'vscode';

/** A text in pieces, each asked for when the one before it is written. */
export type Pieces = AsyncIterable<string>;

interface Page {
  readonly text: string;
  readonly next?: string | undefined;
}

/** The pieces of a document that the host gives page by page. */
export async function* piecesOf(page: (cursor: string | undefined) => Promise<Page>): Pieces {
  for (let cursor: string | undefined; ;) {
    const { text, next } = await page(cursor);
    yield text;
    if (next === undefined) return;
    cursor = next;
  }
}

/** Lets the person choose a file and writes the pieces to it. False when they chose none. */
export async function saveText(
  pieces: Pieces,
  title: string,
  name: string,
  kinds: Record<string, string[]>,
): Promise<boolean> {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title,
    filters: kinds,
    saveLabel: vscode.l10n.t('Export'),
    ...(root === undefined ? {} : { defaultUri: vscode.Uri.joinPath(root, name) }),
  });
  if (target === undefined) return false;
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
    target.scheme === 'file' ? writeFile(target.fsPath, pieces) : writeWhole(target, pieces),
  );
  return true;
}

/** A file that could not be written to its end is taken away: half a document looks like a whole one. */
async function writeFile(path: string, pieces: Pieces): Promise<void> {
  const file = await open(path, 'w');
  try {
    for await (const piece of pieces) await file.write(piece);
    await file.close();
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}

/** Other places take a file in one go. */
async function writeWhole(target: vscode.Uri, pieces: Pieces): Promise<void> {
  const bytes: Uint8Array[] = [];
  for await (const piece of pieces) bytes.push(new TextEncoder().encode(piece));
  await vscode.workspace.fs.writeFile(target, Buffer.concat(bytes));
}
