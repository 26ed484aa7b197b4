import * as vscode from 'vscode';
import type { Ended, OtherWindow } from '../../protocol';

/** What is told of other windows, each thing with the window's name. */
export function inWindows(
  windows: readonly OtherWindow[],
  of: (window: OtherWindow) => readonly Ended[],
): readonly Ended[] {
  return windows.flatMap((window) =>
    of(window).map((one) => ({ ...one, title: vscode.l10n.t('{0} (in {1})', one.title, window.name) })),
  );
}
