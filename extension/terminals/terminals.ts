/** The agent's terminals in the editor's terminal panel: who is attached to what, and how one is opened. */
import * as vscode from 'vscode';
import type { Handle, Snapshot } from '../../protocol';
import { known, type Belay } from '../belay';
import { TERMINAL_PROFILE } from '../ids';
import { handleOf } from '../subjects';
import { isOpenTerminal } from '../summary';
import { handleWords } from '../views/handlesModel';
import { AgentTerminal } from './agentTerminal';
import { line, noticeLine, pickLine } from '../views/line';

export interface Attached {
  /** Whether a view of this handle is open. */
  has(handle: string): boolean;
  readonly onChange: vscode.Event<void>;
}

export class Terminals implements Attached, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly views = new Map<string, number>();

  readonly onChange = this.changed.event;

  has(handle: string): boolean {
    return (this.views.get(handle) ?? 0) > 0;
  }

  /** Options of a terminal of the editor that shows this one. */
  view(belay: Belay, handle: Handle): vscode.ExtensionTerminalOptions {
    this.count(handle.id, 1);
    let isOpen = true;
    const pty = new AgentTerminal({
      host: belay.host,
      handle: handle.id,
      words: () =>
        `${handle.id} · ${handleWords(handleOf(belay.state.current, { handle: handle.id }) ?? handle)}`,
      lost: () => `${handle.id} · ${handleWords({ ...handle, state: 'ended', end: 'lost' })}`,
      closed: () => {
        if (isOpen) this.count(handle.id, -1);
        isOpen = false;
      },
    });
    return { name: `${handle.id} ${line(handle.title)}`, pty, iconPath: new vscode.ThemeIcon('terminal') };
  }

  dispose(): void {
    this.changed.dispose();
  }

  private count(handle: string, by: number): void {
    this.views.set(handle, (this.views.get(handle) ?? 0) + by);
    this.changed.fire();
  }
}

/** Attach: to the terminal of a row or a card, or to one that the person picks. */
export async function attachTerminal(belay: Belay, target: unknown): Promise<void> {
  const snapshot = await known(belay);
  const handle = handleOf(snapshot, target) ?? (target === undefined ? await pick(snapshot) : undefined);
  if (handle === undefined) return;
  if (!isOpenTerminal(handle)) {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} has ended.', noticeLine(handle.title)));
    return;
  }
  vscode.window.createTerminal(belay.terminals.view(belay, handle)).show();
}

/** The terminal profile: it opens one of the agent's terminals. */
export function provideTerminalProfile(belay: Belay): vscode.Disposable {
  return vscode.window.registerTerminalProfileProvider(TERMINAL_PROFILE, {
    provideTerminalProfile: async () => {
      const handle = await pick(await known(belay));
      return handle === undefined
        ? undefined
        : new vscode.TerminalProfile(belay.terminals.view(belay, handle));
    },
  });
}

async function pick(snapshot: Snapshot): Promise<Handle | undefined> {
  const items = snapshot.handles
    .filter(isOpenTerminal)
    .sort((a, b) => b.startedAt - a.startedAt)
    .map((handle) => ({
      label: pickLine(handle.title),
      description: `${handle.id} · ${handle.folder}`,
      iconPath: new vscode.ThemeIcon('terminal'),
      handle,
    }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No agent has a terminal open.'));
    return undefined;
  }
  const choice = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Attach to which terminal?'),
    matchOnDescription: true,
  });
  return choice?.handle;
}
