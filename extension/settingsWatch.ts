import { Uri, commands, l10n, window, workspace } from 'vscode';
import type { Mode } from '../protocol';
import type { Disposable } from './disposable';
import type { HostClient } from './hostClient';
import { messageOf } from './hostError';
import { COMMANDS } from './ids';
import { keysInWorkspaceFile, namesIn, readHttpSettings, readUserSettings, settingsQuery } from './settings';
import { noticeLines, noticeText } from './views/line';
import { said } from './said';
import { openSettings } from './openSettings';

/** Hands the person's settings, the folders and the trust to the host, at its start and when they change. */
export class Settings implements Disposable {
  private readonly subscriptions: readonly Disposable[];
  private told: ReadonlySet<string> = new Set();
  private readonly toldIgnored = new Set<string>();

  private host: HostClient | undefined;
  /** Something changed after a host was told of it and before that host could be told again. */
  private late = false;

  constructor(private readonly warn: (text: string) => void) {
    this.subscriptions = [
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('belay') || change.affectsConfiguration('http')) void this.push();
      }),
      workspace.onDidChangeWorkspaceFolders(() => void this.push()),
      workspace.onDidGrantWorkspaceTrust(() => void this.push()),
    ];
  }

  /** From now on changes are told to this host. */
  follow(host: HostClient): void {
    this.host = host;
    host.onStatus((status) => {
      if (status.kind !== 'ready') return;
      this.tellInvalid(status.warnings);
      if (this.late) void this.push();
    });
  }

  /** What `initialize` and `settings/update` say of this window. */
  read(): { settings: unknown; folders: { path: string; name: string }[]; trusted: boolean } {
    const configuration = workspace.getConfiguration('belay');
    const { settings, ignored } = readUserSettings((key) => configuration.inspect(key));
    if (ignored.length > 0) this.tellIgnored(ignored);
    const http = readHttpSettings((key) => workspace.getConfiguration().inspect(key));
    return { settings: { ...settings, ...http }, folders: folders(), trusted: workspace.isTrusted };
  }

  /** The model that new sessions begin with, if the person has chosen one. */
  defaultModel(): string | undefined {
    const value: unknown = workspace.getConfiguration('belay').inspect('models.default')?.globalValue;
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  defaultMode(): Mode {
    const value: unknown = workspace.getConfiguration('belay').inspect('approvals.mode')?.globalValue;
    return value === 'edits' || value === 'full' ? value : 'ask';
  }

  /** Whether a new request is announced by a notification. */
  notifies(): boolean {
    return workspace.getConfiguration('belay').inspect('approvals.notify')?.globalValue !== false;
  }

  /** Whether the end of a turn that nobody looks at is announced. */
  notifiesEnds(): boolean {
    return workspace.getConfiguration('belay').inspect('notifications.ends')?.globalValue !== false;
  }

  folders(): { path: string; name: string }[] {
    return folders();
  }

  /** The host reads everything again, for example because a key was stored. */
  async push(): Promise<void> {
    const host = this.host;
    this.late = host?.status.kind === 'starting';
    if (host?.status.kind !== 'ready') return;
    try {
      const { warnings } = await host.request('settings/update', this.read());
      this.tellInvalid(warnings);
    } catch (error) {
      this.warn(`Settings were not taken: ${messageOf(error)}`);
    }
  }

  /** A warning names its key, what is wrong and the mend; the button goes to that key. Each is shown once. */
  tellInvalid(warnings: readonly string[]): void {
    const fresh = warnings.filter((text) => !this.told.has(text));
    this.told = new Set(warnings);
    for (const text of fresh) this.warn(text);
    const [first] = fresh;
    if (first === undefined) return;
    const open = l10n.t('Open settings');
    const text =
      fresh.length === 1
        ? said(first)
        : l10n.t('{0} Not right either: {1}.', said(first), namedTogether(first, fresh));
    const log = l10n.t('Show log');
    void window.showWarningMessage(noticeText(text), open, log).then((choice) => {
      if (choice === open) void openSettings(settingsQuery(warnings));
      if (choice === log) void commands.executeCommand(COMMANDS.showLog);
    });
  }

  /** Looks for settings of Belay in the workspace's own file and says that they count for nothing. */
  async lookIntoWorkspace(): Promise<void> {
    for (const folder of workspace.workspaceFolders ?? []) {
      try {
        const file = await workspace.fs.readFile(Uri.joinPath(folder.uri, '.vscode', 'settings.json'));
        const keys = keysInWorkspaceFile(new TextDecoder().decode(file));
        if (keys.length > 0) this.tellIgnored(keys);
      } catch {
        // Most workspaces have no such file.
      }
    }
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  private tellIgnored(keys: readonly string[]): void {
    const names = keys.map((key) => `belay.${key}`).join(', ');
    const text = l10n.t(
      'This workspace sets {0}. Belay ignores it: what decides over an agent is read from your user settings only.',
      names,
    );
    if (this.toldIgnored.has(text)) return;
    this.toldIgnored.add(text);
    this.warn(text);
    void window.showWarningMessage(noticeText(text));
  }
}

/** What the other warnings are about, each once; what is wrong with the first one's setting besides is in the log. */
function namedTogether(first: string, warnings: readonly string[]): string {
  const others = namesIn(warnings).filter((name) => !namesIn([first]).includes(name));
  return noticeLines(others.length > 0 ? others : namesIn([first]));
}

function folders(): { path: string; name: string }[] {
  return (workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === 'file')
    .map((folder) => ({ path: folder.uri.fsPath, name: folder.name }));
}
