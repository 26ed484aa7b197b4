/**
 * What the agent has not read yet of one terminal (X3).
 *
 * Owns the agent's place in the output. 1. A look changes nothing; only what was told moves the place. 2. No
 * text begins or ends within a character or an escape sequence. 3. Secrets are out of it, also those that two
 * reads would share.
 */
import { afterCharacter, beforeCharacter, type Capture } from '../../base/capture';
import { redact, SECRET_CHARACTERS, type Secrets } from '../../base/redact';
import { paints, plain, unfinished } from './plain';

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
    const raw = redact((omitted === 0 ? whole : afterCharacter(whole)).toString('utf8'), secrets);
    const first = omitted === 0 ? '' : redact(beforeCharacter(before).toString('utf8'), secrets);
    const gap = omitted === 0 ? '' : `${plain(first)}\n[… ${omitted} bytes omitted …]\n`;
    return {
      text: `${gap}${plain(raw)}`,
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

/** Where the end may be the beginning of a secret; shorter ones than `SECRET_CHARACTERS` say nothing. */
function secretFrom(bytes: Buffer, { values }: Secrets): number {
  let from = bytes.length;
  for (const secret of values.map((value) => Buffer.from(value)))
    for (let length = Math.min(secret.length - 1, bytes.length); length >= SECRET_CHARACTERS; length -= 1)
      if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length)))
        from = Math.min(from, bytes.length - length);
  return from;
}
