/**
 * JSON-RPC between two windows that have proved themselves, sealed: whoever stands between them can read nothing,
 * change nothing, and repeat nothing. A frame is the length of its text (4 bytes), the text, and its tag.
 *
 * Owns: one socket. 1. The first frame that was not sealed by the other side ends it. 2. When more than
 * `UNREAD_BYTES` wait beside one message, of whatever size, the other side does not read: it is cut off, and joins
 * again once it can.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import type { Socket } from '../../base/localSocket';
import type { Keys } from './handshake';

export interface Channel {
  readonly socket: Socket;
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
}

/** What may wait for a side that does not read: far more than a busy window is ever behind. */
const UNREAD_BYTES = 16 * 1024 * 1024;
/** The largest message: the snapshot of a very large workspace has some 10 MiB. */
const FRAME_BYTES = 256 * 1024 * 1024;
const CIPHER = 'aes-256-gcm';
const HEAD_BYTES = 4;
const TAG_BYTES = 16;

export function sealed(socket: Socket, keys: Keys, side: 'host' | 'guest'): Channel {
  const [read, write] = side === 'host' ? [keys.toHost, keys.toGuest] : [keys.toGuest, keys.toHost];
  return { socket, reader: new SealedReader(socket, read), writer: new SealedWriter(socket, write) };
}

/** Each number is used once for a key, and each key for one direction of one connection. */
function nonce(count: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(count), 4);
  return bytes;
}

class SealedWriter extends AbstractMessageWriter {
  private count = 0;
  /** Bytes of the largest message that waits: it takes its time also with a side that reads. */
  private largest = 0;

  constructor(
    private readonly socket: Socket,
    private readonly key: Buffer,
  ) {
    super();
    socket.on('close', () => this.fireClose());
  }

  write(message: Message): Promise<void> {
    if (this.socket.writableLength - this.largest > UNREAD_BYTES) this.socket.destroy();
    if (this.socket.destroyed) return Promise.reject(new Error('The other window does not read any more.'));
    const cipher = createCipheriv(CIPHER, this.key, nonce(this.count++));
    const text = cipher.update(JSON.stringify(message), 'utf8');
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(text.length);
    const frame = Buffer.concat([head, text, cipher.final(), cipher.getAuthTag()]);
    this.largest = Math.max(this.largest, frame.length);
    this.socket.write(frame, () => {
      if (this.largest === frame.length) this.largest = 0;
    });
    return Promise.resolve();
  }

  end(): void {
    this.socket.end();
  }
}

class SealedReader extends AbstractMessageReader {
  private count = 0;
  private chunks: Buffer[] = [];
  private held = 0;
  /** Bytes that the next step needs: a head, or a whole frame. */
  private wanted = HEAD_BYTES;

  constructor(
    private readonly socket: Socket,
    private readonly key: Buffer,
  ) {
    super();
    socket.on('close', () => this.fireClose());
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer): void => {
      this.chunks.push(chunk);
      this.held += chunk.length;
      try {
        while (!this.socket.destroyed && this.held >= this.wanted) this.step(callback);
      } catch (error) {
        this.socket.destroy();
        this.fireError(error instanceof Error ? error : new Error(String(error)));
      }
    };
    this.socket.on('data', onData);
    this.socket.resume();
    return { dispose: () => void this.socket.off('data', onData) };
  }

  private step(callback: DataCallback): void {
    const all = this.chunks.length === 1 ? this.chunks[0] : undefined;
    const bytes = all ?? Buffer.concat(this.chunks);
    const frame = HEAD_BYTES + bytes.readUInt32BE(0) + TAG_BYTES;
    if (frame > FRAME_BYTES) throw new Error('The other window has sent too much at once.');
    this.chunks = [bytes];
    this.wanted = frame;
    if (bytes.length < frame) return;
    this.chunks = [bytes.subarray(frame)];
    this.held = bytes.length - frame;
    this.wanted = HEAD_BYTES;
    const message = this.open(bytes.subarray(HEAD_BYTES, frame));
    if (!isMessage(message)) throw new Error('The other window has sent something that is no message.');
    callback(message);
  }

  private open(text: Buffer): unknown {
    const decipher = createDecipheriv(CIPHER, this.key, nonce(this.count++), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(text.subarray(-TAG_BYTES));
    const clear = [decipher.update(text.subarray(0, -TAG_BYTES)), decipher.final()];
    return JSON.parse(Buffer.concat(clear).toString('utf8'));
  }
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'jsonrpc' in value;
