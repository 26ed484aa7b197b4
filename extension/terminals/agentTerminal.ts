/**
 * One view of an agent's terminal in the editor's terminal panel.
 *
 * Owns its view in the host. 1. Closing it ends nothing. 2. What is typed goes in order, in pieces that the host
 * takes. 3. After the last output, or when its host goes, it says how the program ended, and the next key closes it.
 */
import * as vscode from 'vscode';
import type { HandleId, HandleShowing, ViewId } from '../../protocol';
import type { HostClient } from '../hostClient';
import { HostError, messageOf } from '../hostError';
import type { Disposable } from '../disposable';

/** What is typed goes in pieces of this size, characters: in UTF-8 at most three times as many bytes. */
const PIECE_CHARACTERS = 16 * 1024;

export interface AgentTerminalOptions {
  readonly host: Pick<HostClient, 'request' | 'onShowing' | 'shown' | 'onStatus' | 'onEvent'>;
  readonly handle: HandleId;
  /** How the program stands, in words. */
  readonly words: () => string;
  /** How it stands when its host has gone, in words. */
  readonly lost: () => string;
  readonly closed: () => void;
}

export class AgentTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly ended = new vscode.EventEmitter<void>();
  private readonly early: HandleShowing[] = [];
  private readonly hearing: readonly Disposable[];
  private view: ViewId | undefined;
  private typing: Promise<void> = Promise.resolve();
  private isOver = false;
  private isClosed = false;

  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.ended.event;

  constructor(private readonly options: AgentTerminalOptions) {
    const { host, handle } = options;
    this.hearing = [
      host.onShowing((showing) => {
        // The first output may overtake the reply that names the view.
        if (this.view === undefined) this.early.push(showing);
        else this.show(showing);
      }),
      // With its host the program has gone (X6), and nobody is left to send the last output.
      host.onStatus((status) => {
        if (status.kind !== 'ready' && this.view !== undefined) this.finish(options.lost());
      }),
      // Another window's host went: the one that has taken over tells the end.
      host.onEvent((event) => {
        if (event.type === 'handle_ended' && event.data.handle === handle && event.data.end === 'lost')
          this.finish(options.lost());
      }),
    ];
  }

  open(size: vscode.TerminalDimensions | undefined): void {
    void this.attach(size);
  }

  close(): void {
    this.isClosed = true;
    for (const one of this.hearing) one.dispose();
    if (this.view !== undefined && !this.isOver) this.detach(this.view);
    this.options.closed();
  }

  handleInput(text: string): void {
    if (this.isOver) {
      this.ended.fire();
      return;
    }
    for (const piece of piecesOf(text)) this.typing = this.typing.then(() => this.type(piece));
  }

  setDimensions({ columns, rows }: vscode.TerminalDimensions): void {
    if (this.view === undefined || this.isOver) return;
    this.options.host
      .request('handle/resize', { handle: this.options.handle, cols: columns, rows })
      .catch(() => undefined);
  }

  private async attach(size: vscode.TerminalDimensions | undefined): Promise<void> {
    const { host, handle } = this.options;
    try {
      const dimensions = size === undefined ? {} : { cols: size.columns, rows: size.rows };
      const { view } = await host.request('handle/attach', { handle, ...dimensions });
      this.view = view;
      if (this.isClosed) this.detach(view);
      for (const showing of this.early.splice(0)) this.show(showing);
    } catch (error) {
      this.finish(messageOf(error));
    }
  }

  private detach(view: ViewId): void {
    this.options.host.request('handle/detach', { view }).catch(() => undefined);
  }

  private show({ view, text, bytes, omitted, last }: HandleShowing): void {
    if (view !== this.view || this.isClosed) return;
    if (omitted > 0) this.written.fire(`\x1b[0m\r\n[${vscode.l10n.t('{0} bytes omitted', omitted)}]\r\n`);
    this.written.fire(text);
    if (last) this.finish(this.options.words());
    else this.options.host.shown({ view, bytes });
  }

  private async type(text: string): Promise<void> {
    if (this.isOver || this.isClosed) return;
    try {
      await this.options.host.request('handle/write', { handle: this.options.handle, text });
    } catch (error) {
      if (error instanceof HostError && error.code === 'handle_ended') return;
      this.written.fire(`\x1b[0m\r\n[${messageOf(error)}]\r\n`);
    }
  }

  private finish(words: string): void {
    if (this.isOver) return;
    this.isOver = true;
    // Out of whatever the program has left: another screen, colours, a hidden cursor.
    this.written.fire(
      `\x1b[?1049l\x1b[0m\x1b[?25h\r\n[${words} · ${vscode.l10n.t('press a key to close')}]\r\n`,
    );
  }
}

/** Pieces that the host takes; no character is cut in two. */
export function* piecesOf(text: string): Iterable<string> {
  for (let at = 0; at < text.length;) {
    const end = at + PIECE_CHARACTERS;
    const next = isHighHalf(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(at, next);
    at = next;
  }
}

/** The first of the two units of a character beyond the first 65,536. */
const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
