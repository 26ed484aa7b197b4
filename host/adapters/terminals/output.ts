/**
 * What a terminal prints: kept, read by the agent, drawn as a screen, shown to viewers.
 *
 * Owns the kept bytes, the agent's place and the viewers. 1. It takes everything at once, whoever reads (X4).
 * 2. After `end` nothing is added or shown.
 */
import { StringDecoder } from 'node:string_decoder';
import { SHOWN_BYTES, TERMINAL_KEPT_BYTES } from '../../../protocol';
import { Capture } from '../../base/capture';
import { redact, redactors, type Redactor, type Secrets } from '../../base/redact';
import type { TerminalLook, TerminalPiece, TerminalScreen, TerminalView } from '../../engine/terminalPort';
import { AgentReader, readable } from './agentReader';
import { Screen } from './screen';
import { Viewer } from './viewer';

export class Output {
  private readonly kept = new Capture(TERMINAL_KEPT_BYTES);
  private readonly reader: AgentReader;
  private readonly screens: Screen;
  private readonly viewers = new Set<Viewer>();
  private readonly redactor: Redactor;
  private readonly decoder = new StringDecoder('utf8');
  private isOver = false;
  private isPainted = false;
  private asText: { readonly total: number; readonly text: string } | undefined;

  constructor(
    private readonly secrets: () => Secrets,
    size: { readonly cols: number; readonly rows: number },
    private readonly onOutput: (text: string) => void,
  ) {
    this.redactor = redactors(secrets)();
    this.reader = new AgentReader(this.kept, secrets);
    this.screens = new Screen(this.kept, size);
  }

  /** Bytes that were printed in all. */
  get total(): number {
    return this.kept.total;
  }

  add(bytes: Buffer, omitted: number): void {
    if (this.isOver) return;
    this.kept.skip(omitted);
    this.kept.add(bytes);
    const text = this.decoder.write(this.redactor.push(bytes));
    if (text !== '') this.onOutput(text);
    for (const viewer of this.viewers) viewer.pump();
  }

  resize(cols: number, rows: number): void {
    this.screens.resize(cols, rows);
  }

  async look(): Promise<TerminalLook> {
    // While a program paints, and once more when it has given the screen back.
    const screen = this.isPainted || this.reader.look(this.isOver).paints ? await this.screen() : undefined;
    const unread = this.reader.look(this.isOver);
    if (screen?.alternate === true) {
      return { fields: { output: '', ...screenFields(screen) }, next: unread.next };
    }
    const isCut = Buffer.byteLength(unread.text) > SHOWN_BYTES;
    return {
      fields: {
        output: isCut ? cut(unread.text) : unread.text,
        ...(unread.omitted === 0 ? {} : { omitted_bytes: unread.omitted }),
        ...(screen === undefined ? {} : screenFields(screen)),
      },
      ...(isCut ? { kept: [{ name: 'output', text: unread.text }] } : {}),
      next: unread.next,
    };
  }

  told(look: TerminalLook): void {
    this.isPainted = look.fields['alternate'] === true;
    this.reader.told(look.next);
  }

  async screen(): Promise<TerminalScreen> {
    const secrets = this.secrets();
    const screen = await this.screens.look((line) => redact(line, secrets));
    return { ...screen, text: redact(screen.text, secrets), above: redact(screen.above, secrets) };
  }

  /** All that is kept, as plain text. */
  whole(): string {
    if (this.asText?.total !== this.kept.total) {
      const { text } = this.kept.shown(TERMINAL_KEPT_BYTES);
      this.asText = { total: this.kept.total, text: readable(text, this.secrets()) };
    }
    return this.asText.text;
  }

  attach(send: (piece: TerminalPiece) => void): TerminalView {
    const viewer: Viewer = new Viewer(this.kept, () => this.viewers.values().next().value === viewer, send);
    this.viewers.add(viewer);
    if (this.isOver) viewer.end();
    else viewer.pump();
    return {
      taken: (bytes) => viewer.taken(bytes),
      close: () => {
        viewer.close();
        this.viewers.delete(viewer);
      },
    };
  }

  end(): void {
    this.isOver = true;
    for (const viewer of this.viewers) viewer.end();
    this.viewers.clear();
  }
}

const screenFields = ({ text, cursor, alternate }: TerminalScreen): Readonly<Record<string, unknown>> => ({
  screen: text,
  cursor,
  ...(alternate ? { alternate } : {}),
});

/** Head and tail of a text that is kept whole beside. */
function cut(text: string): string {
  const capture = new Capture(SHOWN_BYTES);
  capture.add(Buffer.from(text));
  return capture.shown(SHOWN_BYTES).text;
}
