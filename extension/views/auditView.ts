/**
 * The audit as a tree. Nothing of it is read before it is shown.
 *
 * Owns: the entries that are shown, and what they are filtered by. 1. Older entries come when they are asked for.
 * 2. While it is visible, it is read anew soon after something has been decided, started or ended.
 */
import * as vscode from 'vscode';
import type { AuditEntry, BelayEvent, ParamsOf } from '../../protocol';
import type { Clock } from '../clock';
import { setKey } from '../contextKeys';
import type { Disposable } from '../disposable';
import type { HostClient } from '../hostClient';
import { COMMANDS, CONTEXT, VIEWS } from '../ids';
import type { SnapshotStore } from '../state';
import { auditRows, MORE } from './auditRows';
import { TreeList } from './treeList';

export type AuditFilter = Pick<ParamsOf<'audit/export'>, 'text' | 'decision'>;

/** Entries that are read at first, and with each wish for more. */
const PAGE = 100;

/** How long changes are gathered before the list is read anew, ms. */
const SOON_MS = 300;

const CHANGES: ReadonlySet<BelayEvent['type']> = new Set<BelayEvent['type']>([
  'approval_requested',
  'approval_answered',
  'approval_closed',
  'tool_started',
  'tool_completed',
  'lifted_ended',
  'handle_ended',
]);

export class AuditView implements Disposable {
  private readonly list = new TreeList((row) =>
    row.id === MORE
      ? { command: COMMANDS.auditMore, title: row.label }
      : {
          command: COMMANDS.sessionOpen,
          title: vscode.l10n.t('Open chat'),
          arguments: [{ subject: row.subject }],
        },
  );
  private readonly view: vscode.TreeView<unknown>;
  private readonly subscriptions: readonly Disposable[];
  private entries: readonly AuditEntry[] = [];
  private wanted = PAGE;
  private filtered: AuditFilter = {};
  private reading = 0;
  private stopWaiting: (() => void) | undefined;

  constructor(
    private readonly host: HostClient,
    private readonly state: SnapshotStore,
    private readonly clock: Clock,
    onVisible: () => void,
  ) {
    this.view = vscode.window.createTreeView(VIEWS.audit, { treeDataProvider: this.list });
    this.subscriptions = [
      this.view,
      host.onStatus(({ kind }) => {
        if (kind === 'ready') this.soon();
      }),
      state.onChange(({ event }) => {
        if (event !== undefined && CHANGES.has(event.type)) this.soon();
      }),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) onVisible();
        this.soon();
      }),
    ];
    if (this.view.visible) this.soon();
  }

  get filter(): AuditFilter {
    return this.filtered;
  }

  /** Shows only what fits; an empty filter shows all. */
  async setFilter(filter: AuditFilter): Promise<void> {
    this.filtered = filter;
    this.wanted = PAGE;
    const words = filterWords(filter);
    this.view.description = words;
    setKey(CONTEXT.auditFiltered, words !== '');
    await this.read();
  }

  async more(): Promise<void> {
    this.wanted += PAGE;
    await this.read();
  }

  dispose(): void {
    this.stopWaiting?.();
    for (const one of this.subscriptions) one.dispose();
  }

  private soon(): void {
    if (!this.view.visible || this.host.status.kind !== 'ready') return;
    this.stopWaiting ??= this.clock.after(SOON_MS, () => {
      this.stopWaiting = undefined;
      this.read().catch(() => undefined);
    });
  }

  private async read(): Promise<void> {
    const turn = ++this.reading;
    const entries: AuditEntry[] = [];
    let cursor: string | undefined;
    do {
      const { items, next } = await this.host.request('audit/list', {
        ...this.filtered,
        limit: Math.min(PAGE, this.wanted - entries.length),
        ...(cursor === undefined ? {} : { cursor }),
      });
      entries.push(...items);
      cursor = next;
    } while (cursor !== undefined && entries.length < this.wanted);
    const snapshot = this.state.current;
    if (turn !== this.reading || snapshot === undefined) return;
    this.entries = entries;
    setKey(CONTEXT.audited, entries.length);
    this.list.show(auditRows(this.entries, cursor !== undefined, snapshot, this.clock.now()));
    this.view.message =
      entries.length === 0 && filterWords(this.filtered) !== ''
        ? vscode.l10n.t('No entry fits the filter.')
        : '';
  }
}

function filterWords({ text, decision }: AuditFilter): string {
  const decisions = {
    allow: vscode.l10n.t('allowed'),
    deny: vscode.l10n.t('denied'),
    none: vscode.l10n.t('undecided'),
  };
  return [
    ...(decision === undefined ? [] : [decisions[decision]]),
    ...(text === undefined ? [] : [`"${text}"`]),
  ].join(' · ');
}
