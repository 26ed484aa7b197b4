/**
 * The chat's webview and the way between it and the host. It passes on what both say and understands none of it;
 * what only the editor can do goes to `editorCommands`.
 *
 * Replies and events are posted in the order in which the host sent them. A page that is hidden loses what is
 * posted to it, and reads everything anew when it is shown.
 */
import * as vscode from 'vscode';
import type { Context, Need, SessionId } from '../../protocol';
import { needKey } from '../../protocol/needKey';
import type { EditorCommand, EditorState, FromPage, HostStage, ToPage } from '../../webview/bridgeProtocol';
import type { HostClient, HostStatus } from '../hostClient';
import { toHostError } from '../hostError';
import { VIEWS } from '../ids';
import type { KeptFile } from '../keptFile';
import type { Settings } from '../settingsWatch';
import type { WrittenFiles } from '../writtenFiles';
import { translations } from '../said';
import { chatPage } from './chatPage';
import type { Disposable } from '../disposable';

export interface ChatViewOptions {
  readonly host: HostClient;
  readonly dist: vscode.Uri;
  /** Where the translations lie. */
  readonly l10n: string;
  readonly settings: Settings;
  /** Where the session that was shown last is kept. Losing it costs the person one click. */
  readonly memory: KeptFile;
  /** Where what the person has written and not sent is kept. */
  readonly written: WrittenFiles;
  run(command: EditorCommand): void;
}

export class ChatView implements vscode.WebviewViewProvider, Disposable {
  private readonly subscriptions: Disposable[];
  private view: vscode.WebviewView | undefined;
  private pageReady = false;
  private strings: Readonly<Record<string, string>> = {};
  private open: SessionId | undefined;
  private drawn: ReadonlySet<string> = new Set();
  private readonly shown = new vscode.EventEmitter<SessionId | undefined>();
  /** Another session is shown, or none. */
  readonly onShown = this.shown.event;
  private readonly seen = new vscode.EventEmitter<void>();
  /** The session that is open has come into view. */
  readonly onSeen = this.seen.event;
  /** Kept until the page is ready to be told. */
  private waiting: ToPage[] = [];

  constructor(private readonly options: ChatViewOptions) {
    const { host } = options;
    this.subscriptions = [
      host.onEvent((event) => {
        // What is hidden reads everything anew when it is shown: until then it costs nothing.
        if (this.view?.visible === true) this.post({ type: 'event', event });
      }),
      host.onStatus(() => this.postState()),
      // With each state the page asks for the models.
      host.onModelsTaken(() => this.postState()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.postState()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.postState()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('belay')) this.postState();
      }),
      vscode.window.registerWebviewViewProvider(VIEWS.chat, this, {
        // A draft, an open card and the place in a long answer survive a look at another view.
        webviewOptions: { retainContextWhenHidden: true },
      }),
    ];
  }

  /** The session that the page shows. */
  get session(): SessionId | undefined {
    return this.open;
  }

  /** Whether a person can see in the chat that this request waits: the page itself has said so since it came. */
  hasDrawn(need: Need): boolean {
    return this.view?.visible === true && this.drawn.has(needKey(need));
  }

  /** Whether a person can see this session's chat now. */
  shows(session: string): boolean {
    return this.view?.visible === true && this.open === session;
  }

  /** Brings the chat to the front, with this session. */
  async show(session?: SessionId, then?: ToPage): Promise<void> {
    await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
    if (session !== undefined) {
      this.remember(session);
      this.tell({ type: 'show', session });
    }
    if (then !== undefined) this.tell(then);
  }

  /** Resolves when everything that the page has written is on disk. */
  async kept(): Promise<void> {
    await this.options.written.kept();
  }

  /** Says something to the page, now or as soon as it listens. */
  tell(message: ToPage): void {
    if (this.pageReady) this.post(message);
    else this.waiting.push(message);
  }

  /** What is open in the editor; a page that nobody sees is told when it is shown. */
  postActive(context: Context | undefined): void {
    if (this.view?.visible === true)
      this.post({ type: 'active', ...(context === undefined ? {} : { context }) });
  }

  postState(): void {
    this.post({ type: 'state', ...this.editorState() });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.pageReady = false;
    this.drawn = new Set();
    view.webview.options = { enableScripts: true, localResourceRoots: [this.options.dist] };
    const own = [
      view.webview.onDidReceiveMessage((message: FromPage) => this.hear(message)),
      view.onDidChangeVisibility(() => {
        if (!view.visible) return;
        this.post({ type: 'visible' });
        this.seen.fire();
      }),
    ];
    view.onDidDispose(() => {
      for (const one of own) one.dispose();
      if (this.view !== view) return;
      this.view = undefined;
      this.pageReady = false;
      this.drawn = new Set();
    });
    this.strings = { ...translations(this.options.l10n, 'page'), ...translations(this.options.l10n, 'host') };
    // Read aloud in the language of the texts, which is English where there is no translation.
    const language = Object.keys(this.strings).length === 0 ? 'en' : vscode.env.language;
    view.webview.html = chatPage(view.webview, this.options.dist, language);
    this.options.host.start().catch(() => undefined);
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
    this.shown.dispose();
    this.seen.dispose();
  }

  private hear(message: FromPage): void {
    switch (message.type) {
      case 'ready':
        void this.welcome(message.page);
        return;
      case 'request':
        void this.relay(message.id, message.method, message.params);
        return;
      case 'open':
        // Before it is ready it has not been told yet what it showed before.
        if (this.pageReady) this.remember(message.session);
        return;
      case 'drawn':
        this.drawn = new Set(message.needs);
        return;
      case 'written':
        this.options.written.set(message.part, message.value);
        return;
      case 'command':
        this.options.run(message);
        return;
    }
  }

  /** The page listens: it is told everything, first of all which session it showed before. */
  private async welcome(page: string): Promise<void> {
    const kept = await this.options.memory.get();
    const written = await this.options.written.open(page);
    if (this.open === undefined && isSessionId(kept)) {
      this.open = kept;
      this.shown.fire(kept);
    }
    this.pageReady = true;
    this.post({ type: 'state', ...this.editorState(), written });
    for (const one of this.waiting.splice(0)) this.post(one);
    this.seen.fire();
  }

  private remember(session: SessionId | undefined): void {
    const changed = this.open !== session;
    this.open = session;
    void this.options.memory.set(session);
    if (changed) this.shown.fire(session);
    if (changed) this.seen.fire();
  }

  private async relay(id: number, method: string, params: unknown): Promise<void> {
    try {
      const result = await this.options.host.relay(method, params);
      this.post({ type: 'reply', id, result });
    } catch (error) {
      const failure = toHostError(error);
      const data = { ...failure.data, code: failure.code };
      this.post({ type: 'reply', id, error: { message: failure.message, data } });
    }
  }

  /** A page that has not been welcomed yet is told everything then; its first state must be a whole one. */
  private post(message: ToPage): void {
    if (this.pageReady) void this.view?.webview.postMessage(message);
  }

  private editorState(): EditorState {
    const { host, settings } = this.options;
    const { status } = host;
    const model = settings.defaultModel();
    return {
      trusted: vscode.workspace.isTrusted,
      strings: this.strings,
      folders: settings.folders(),
      defaults: { mode: settings.defaultMode(), ...(model === undefined ? {} : { model }) },
      hostState: stage(status),
      ...('why' in status ? { detail: status.why } : {}),
      ...(this.open === undefined ? {} : { session: this.open }),
    };
  }
}

/** The file holds what was once taken from the host; a session that is gone is shown as none. */
function isSessionId(value: unknown): value is SessionId {
  return typeof value === 'string';
}

function stage(status: HostStatus): HostStage {
  return status.kind === 'stopped' ? 'starting' : status.kind;
}
