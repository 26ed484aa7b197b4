/** The files that the agent has changed, as rows. */
import { basename, dirname, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { FileChange, Session } from '../../protocol';
import { plain } from './markdown';
import { FAILED_COLOR, type Row } from './treeModel';

export function changeRows(changes: readonly FileChange[], session: Session): readonly Row[] {
  return changes.map((change) => {
    const words = stateWords(change);
    const lines = counts(change);
    const place = placeOf(change.path, session.folder);
    const open = change.state === 'as_left' && change.unknownBefore !== true;
    return {
      id: `change:${session.id}:${change.path}`,
      label: basename(change.path),
      description: [lines, words, place].filter((word) => word !== '').join(' · '),
      icon: iconOf(change),
      ...(change.state === 'unreadable' ? { color: FAILED_COLOR } : {}),
      context: `<change>${open ? '<revertible>' : ''}`,
      spoken: [place === '' ? basename(change.path) : change.path, kindWords(change), lines, words]
        .filter((word) => word !== '')
        .join(', '),
      tooltip: () =>
        [
          plain(change.path),
          [kindWords(change), lines].filter((word) => word !== '').join(' · '),
          why(change),
        ]
          .filter((line) => line !== '')
          .join('\n\n'),
      subject: { change: change.path, session: session.id },
    };
  });
}

/** What a person reads of the folder of a file; nothing for one that lies in the session's own. */
function placeOf(path: string, folder: string): string {
  const inside = relative(folder, dirname(path));
  return inside.startsWith(`..${sep}`) || inside === '..' ? dirname(path) : inside;
}

function iconOf(change: FileChange): string {
  switch (change.state) {
    case 'edited':
      return 'edit';
    case 'missing':
      return 'trash';
    case 'unreadable':
      return 'error';
    case 'as_before':
      return 'discard';
    case 'as_left':
      return ICONS[change.kind];
  }
}

const ICONS: Readonly<Record<FileChange['kind'], string>> = {
  created: 'diff-added',
  modified: 'diff-modified',
  deleted: 'diff-removed',
};

function kindWords({ kind }: FileChange): string {
  switch (kind) {
    case 'created':
      return vscode.l10n.t('created');
    case 'modified':
      return vscode.l10n.t('changed');
    case 'deleted':
      return vscode.l10n.t('deleted');
  }
}

function counts({ binary, added, removed, unknownBefore, unkept }: FileChange): string {
  if (unknownBefore === true) return vscode.l10n.t('unknown before');
  if (unkept === true) return vscode.l10n.t('content not kept');
  return binary ? vscode.l10n.t('binary') : `+${String(added ?? 0)} −${String(removed ?? 0)}`;
}

function stateWords({ state }: FileChange): string {
  switch (state) {
    case 'as_left':
      return '';
    case 'as_before':
      return vscode.l10n.t('as it was before');
    case 'edited':
      return vscode.l10n.t('edited since');
    case 'missing':
      return vscode.l10n.t('no longer there');
    case 'unreadable':
      return vscode.l10n.t('cannot be read');
  }
}

function why({ state, unknownBefore }: FileChange): string {
  if (unknownBefore === true)
    return vscode.l10n.t(
      'What it was before is not known for certain: the agent told of the change only afterwards, it may have been edited meanwhile, or its content is not kept. It cannot be compared or reverted.',
    );
  switch (state) {
    case 'as_left':
      return vscode.l10n.t('It is as the agent left it, and can be reverted.');
    case 'edited':
      return vscode.l10n.t('It was edited since, so it cannot be reverted without losing that.');
    case 'as_before':
    case 'missing':
    case 'unreadable':
      return vscode.l10n.t('There is nothing to revert.');
  }
}
