/** Looking at what the agent has changed, and going back. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { FileChange, Reverted, Session } from '../../protocol';
import { known, type Belay } from '../belay';
import { rightUri, sideUri, type Scope } from '../documents/changeFiles';
import { by, VIEWS } from '../ids';
import { changeOf, sessionOf } from '../subjects';
import { changesOf } from '../views/changesView';
import { targetSession } from './pickSession';
import { line, noticeLine, noticeLines } from '../views/line';
import { said } from '../said';

/** One file, before and after, in the diff editor. */
export async function openChange(belay: Belay, target: unknown): Promise<void> {
  const asked = await scopeOf(belay, target);
  if (asked === undefined) return;
  const change = (await changesOf(belay.host, asked.scope)).find(({ path }) => path === asked.path);
  if (change === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This file is as it was before.'));
    return;
  }
  if (change.unknownBefore === true) {
    await vscode.commands.executeCommand('vscode.open', rightUri(asked.scope, change));
    tellUnknown(1);
    return;
  }
  await vscode.commands.executeCommand(
    'vscode.diff',
    sideUri(asked.scope, change.path, 'before'),
    rightUri(asked.scope, change),
    titleOf(change, asked.scope),
    { preview: true },
  );
}

/** The file itself. */
export async function openChangedFile(belay: Belay, target: unknown): Promise<void> {
  const asked = await scopeOf(belay, target);
  if (asked?.path !== undefined)
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(asked.path));
}

/** All files of a turn or a session in one editor; the view of them when nothing is said. */
export async function reviewChanges(belay: Belay, target: unknown): Promise<void> {
  const asked = await scopeOf(belay, target);
  if (asked === undefined) return;
  const all = await changesOf(belay.host, asked.scope);
  const changes = all.filter((change) => change.unknownBefore !== true);
  const unknown = all.length - changes.length;
  if (unknown > 0) tellUnknown(unknown);
  if (changes.length === 0) {
    if (unknown === 0)
      void vscode.window.showInformationMessage(vscode.l10n.t('The agent has changed no file here.'));
    return;
  }
  const title = vscode.l10n.t('Changes by the agent: {0}', asked.title);
  const resources = changes.map((change) => [
    vscode.Uri.file(change.path),
    sideUri(asked.scope, change.path, 'before'),
    rightUri(asked.scope, change),
  ]);
  await vscode.commands.executeCommand('vscode.changes', title, resources);
}

/** A file that an agent told of only afterwards has no left side: none is made up. */
function tellUnknown(count: number): void {
  const text =
    count === 1
      ? vscode.l10n.t('What this file was before is not known, so no comparison is shown of it.')
      : vscode.l10n.t(
          'What {0} files were before is not known, so no comparison is shown of them.',
          String(count),
        );
  void vscode.window.showInformationMessage(text);
}

export async function showChanges(): Promise<void> {
  await vscode.commands.executeCommand(`${VIEWS.changes}.focus`);
}

/** Puts one file back. */
export async function revertChange(belay: Belay, target: unknown): Promise<void> {
  const asked = await scopeOf(belay, target);
  if (asked?.path === undefined) return;
  await revert(belay, asked.scope, [asked.path], vscode.l10n.t('Revert {0}?', line(basename(asked.path))));
}

/** Puts all files of the session back. */
export async function revertAll(belay: Belay, target: unknown): Promise<void> {
  const asked = await scopeOf(belay, target);
  if (asked === undefined) return;
  const changes = await changesOf(belay.host, asked.scope);
  const paths = changes
    .filter(({ state, unknownBefore }) => state === 'as_left' && unknownBefore !== true)
    .map(({ path }) => path);
  if (paths.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('There is nothing to revert: every file was edited since, or is as it was before.'),
    );
    return;
  }
  const question =
    paths.length === 1
      ? vscode.l10n.t('Revert {0}?', line(basename(paths[0] ?? '')))
      : vscode.l10n.t('Revert {0} files?', String(paths.length));
  await revert(belay, asked.scope, paths, question);
}

async function revert(belay: Belay, scope: Scope, paths: readonly string[], question: string): Promise<void> {
  const go = vscode.l10n.t('Revert');
  const detail = vscode.l10n.t(
    'The files become what they were before the agent changed them. A file that was edited since stays as it is.',
  );
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, go)) !== go) return;
  const { items } = await belay.host.request('change/revert', { ...scope, paths: [...paths], by: by.tree });
  await belay.changes.read();
  tell(items);
}

function tell(items: readonly Reverted[]): void {
  const refused = items.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return;
  const [first] = refused;
  const text =
    refused.length === 1
      ? vscode.l10n.t(
          '{0} was not reverted. {1}',
          noticeLine(basename(first?.path ?? '')),
          noticeLine(said(first?.detail ?? '')),
        )
      : vscode.l10n.t(
          '{0} files were not reverted: {1}',
          String(refused.length),
          noticeLines(refused.map(({ path }) => basename(path))),
        );
  void vscode.window.showWarningMessage(text);
}

interface Asked {
  readonly scope: Scope;
  readonly path: string | undefined;
  readonly title: string;
}

/** What a row, the chat or nobody has named: a file and its session, a session, or the one in the chat. */
async function scopeOf(belay: Belay, target: unknown): Promise<Asked | undefined> {
  const snapshot = await known(belay);
  const named = changeOf(target);
  const session: Session | undefined =
    named === undefined
      ? await targetSession(belay, target, vscode.l10n.t('Changes of which session?'), () => true)
      : sessionOf(snapshot, named);
  if (session === undefined) return undefined;
  const turn = named?.turn;
  return {
    scope: { session: session.id, ...(turn === undefined ? {} : { turn }) },
    path: named?.change,
    title: session.title === '' ? session.id : session.title,
  };
}

function titleOf(change: FileChange, { turn }: Scope): string {
  const name = basename(change.path);
  return turn === undefined
    ? vscode.l10n.t('{0} (changed in this session)', name)
    : vscode.l10n.t('{0} (changed in this turn)', name);
}
