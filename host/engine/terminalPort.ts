/** What the engine needs of a program on a PTY (X3). */
import type { Launch } from '../base/launch';
import type { CallResult } from './ports';

/** Output of a terminal as a viewer gets it. */
export interface TerminalPiece {
  readonly text: string;
  /** How many bytes it stands for; the viewer confirms them once it has shown them. */
  readonly bytes: number;
  /** Bytes before it that this viewer can't have any more. */
  readonly omitted: number;
  /** Nothing follows. */
  readonly last: boolean;
}

/** What the agent is told of a terminal. */
export interface TerminalLook {
  /** `output`: what is new since the last look that was told; `screen` and `cursor` when the program paints. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly kept?: CallResult['kept'];
  /** Where the next look begins. */
  readonly next: number;
}

export interface TerminalScreen {
  /** Lines of the screen, without blanks at their ends and empty lines below. */
  readonly text: string;
  /** Lines that have been scrolled away. */
  readonly above: string;
  /** From 1. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly cols: number;
  readonly rows: number;
  /** A program uses the whole screen, and gives the former one back at its end. */
  readonly alternate: boolean;
}

/** A program on a PTY while its run lasts (X3). */
export interface Terminal {
  /** Resolves once the program runs, or when it is certain that it never will. */
  readonly started: Promise<void>;
  /** Types text, inside `launch`. `full`: the program has not taken what was typed before; nothing was typed. */
  write(text: string, launch: Launch): 'written' | 'full' | 'ended';
  resize(cols: number, rows: number, launch: Launch): void;
  readonly size: { readonly cols: number; readonly rows: number };
  /** What is new for the agent. Changes nothing, so that a look that nobody is told of is not lost (L7). */
  look(): Promise<TerminalLook>;
  told(look: TerminalLook): void;
  screen(): Promise<TerminalScreen>;
  /** Shows all that is kept, and what comes; never slows the program. The last piece comes before the run's end. */
  attach(send: (piece: TerminalPiece) => void): TerminalView;
}

export interface TerminalView {
  /** So many bytes have been shown. */
  taken(bytes: number): void;
  close(): void;
}
