/**
 * What the agent has not read yet of one terminal (X3).
 *
 * Owns the agent's place in the output. 1. A look changes nothing; only what was told moves the place. 2. No
 * text begins or ends within a character or an escape sequence. 3. Secrets are out of it, also those that two
 * reads would share, and those with colours in between.
 */
import { afterCharacter, beforeCharacter, type Capture } from '../../base/capture';
import { begunSecret, redact, type Secrets } from '../../base/redact';
import { paints, plain, shownParts, unfinished } from './plain';

export interface Unread {
  readonly text: string;
  /** Bytes that came in between and are gone. */
  readonly omitted: number;
  /** The program paints the screen: its text makes sense as a screen only. */
  readonly paints: boolean;
  /** Where the next read begins. */
  readonly next: number;
}

export class AgentReader {
  private at = 0;

  constructor(
    private readonly kept: Capture,
    private readonly secrets: () => Secrets,
  ) {}

  /** `isEnd`: nothing follows, so that nothing is held back. */
  look(isEnd: boolean): Unread {
    const { before, omitted, after } = this.kept.since(this.at);
    const secrets = this.secrets();
    const last = omitted === 0 ? Buffer.concat([before, after]) : after;
    const whole = isEnd ? last : wholePart(last, secrets);
    const raw = (omitted === 0 ? whole : afterCharacter(whole)).toString('utf8');
    const first = omitted === 0 ? '' : beforeCharacter(before).toString('utf8');
    const gap = omitted === 0 ? '' : `${readable(first, secrets)}\n[… ${omitted} bytes omitted …]\n`;
    return {
      text: `${gap}${readable(raw, secrets)}`,
      omitted,
      paints: paints(first) || paints(raw),
      next: this.kept.total - (last.length - whole.length),
    };
  }

  told(next: number): void {
    this.at = Math.max(this.at, next);
  }
}

/** Up to what can only be understood together with what follows. */
function wholePart(bytes: Buffer, secrets: Secrets): Buffer {
  // Byte for byte, so that places in the text are places in the bytes.
  const finished = beforeCharacter(bytes.subarray(0, unfinished(bytes.toString('latin1'))));
  return finished.subarray(0, secretFrom(finished, secrets));
}

/** Where the end may be the beginning of a secret. */
function secretFrom(bytes: Buffer, secrets: Secrets): number {
  if (secrets.values.length === 0) return bytes.length;
  // What stands between the characters that are shown, such as colours, is no part of a secret.
  const parts = shownParts(bytes.toString('latin1'));
  let open = begunSecret(Buffer.from(parts.map(({ text }) => text).join(''), 'latin1'), secrets);
  if (open === 0) return bytes.length;
  for (const { at, text } of [...parts].reverse()) {
    if (open <= text.length) return at + text.length - open;
    open -= text.length;
  }
  return 0;
}

/** As plain text without secrets: out of what came, and out of what is seen of it. */
export const readable = (raw: string, secrets: Secrets): string =>
  redact(plain(redact(raw, secrets)), secrets);
