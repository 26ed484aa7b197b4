/**
 * What a command prints: cleaned of secrets, kept, and told as it comes (X1, X4, X8).
 * Owns the kept bytes. 1. Nothing is kept or told before secrets are out of it. 2. Told texts never split a
 * UTF-8 character. 3. Nothing is told after `end`.
 */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { SHOWN_BYTES, STREAM_KEPT_BYTES } from '../../../protocol';
import { redactors, type Redactor, type Secrets } from '../../base/redact';
import { Capture } from '../../base/capture';

export type StreamName = 'stdout' | 'stderr';
export type OnOutput = (stream: StreamName, text: string) => void;

interface Stream {
  readonly name: StreamName;
  readonly kept: Capture;
  readonly redactor: Redactor;
  readonly decoder: StringDecoder;
}

export class Outputs {
  /** Both streams as they came, for readers of a handle. */
  readonly together = new Capture(2 * STREAM_KEPT_BYTES);
  private readonly stdout: Stream;
  private readonly stderr: Stream;
  private ended = false;

  constructor(
    secrets: () => Secrets,
    private readonly onOutput: OnOutput,
  ) {
    const clean = redactors(secrets);
    this.stdout = streamOf('stdout', clean());
    this.stderr = streamOf('stderr', clean());
  }

  /** Bytes that came in, of both streams. */
  get total(): number {
    return this.together.total;
  }

  listen(from: { readonly stdout: Readable; readonly stderr: Readable }): void {
    for (const stream of [this.stdout, this.stderr]) {
      const source = from[stream.name];
      source.on('data', (bytes: Buffer) => this.take(stream, stream.redactor.push(bytes)));
      source.on('error', () => {
        // The pipe has broken: what came before it counts.
      });
    }
  }

  /** Gives out what was held back; later bytes are dropped. */
  end(): void {
    if (this.ended) return;
    for (const stream of [this.stdout, this.stderr]) {
      this.take(stream, stream.redactor.end());
      const last = stream.decoder.end();
      if (last !== '') this.onOutput(stream.name, last);
    }
    this.ended = true;
  }

  /** Both streams as a model gets them: together at most `SHOWN_BYTES`, a short one whole. */
  shown(): Readonly<Record<string, unknown>> {
    const { stdout, stderr } = this;
    const half = SHOWN_BYTES / 2;
    const forErrors = Math.max(half, SHOWN_BYTES - stdout.kept.total);
    const out = stdout.kept.shown(Math.max(half, SHOWN_BYTES - stderr.kept.total));
    const errors = stderr.kept.shown(forErrors);
    const omitted = {
      ...(out.omitted > 0 ? { stdout: out.omitted } : {}),
      ...(errors.omitted > 0 ? { stderr: errors.omitted } : {}),
    };
    return {
      stdout: out.text,
      stderr: errors.text,
      ...(Object.keys(omitted).length > 0 ? { omitted_bytes: omitted } : {}),
    };
  }

  /** Streams that `shown` cuts, as far as they are kept. */
  cut(): readonly { readonly name: StreamName; readonly text: string }[] {
    const shown = this.shown()['omitted_bytes'];
    if (shown === undefined) return [];
    return [this.stdout, this.stderr]
      .filter(({ kept }) => kept.total > SHOWN_BYTES / 2)
      .map(({ name, kept }) => ({ name, text: kept.shown(STREAM_KEPT_BYTES).text }));
  }

  private take(stream: Stream, bytes: Buffer): void {
    if (this.ended || bytes.length === 0) return;
    stream.kept.add(bytes);
    this.together.add(bytes);
    const text = stream.decoder.write(bytes);
    if (text !== '') this.onOutput(stream.name, text);
  }
}

function streamOf(name: StreamName, redactor: Redactor): Stream {
  return {
    name,
    kept: new Capture(STREAM_KEPT_BYTES),
    redactor,
    decoder: new StringDecoder('utf8'),
  };
}
