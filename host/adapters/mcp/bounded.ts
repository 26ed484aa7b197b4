/**
 * The body of an HTTP answer, with a bound on one message and an eye on its end: the SDK waits for ever for an answer
 * whose stream broke. What a refusal says is bounded as well; the SDK reads it at once and sees it break by itself.
 */
import { say } from '../../../protocol';
export interface Bounds {
  /** Bytes of one message: of one event of a stream, or of the whole of any other body. */
  readonly most: number;
  /** The connection broke, or a message was too long. Called once at most. */
  broke(error: Error): void;
}

export function bounded(response: Response, bounds: Bounds): Response {
  if (response.body === null) return response;
  const body: ReadableStream<Uint8Array> = response.body;
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
  const reader = body.getReader();
  let size = 0;
  let blank = false;
  let over = false;
  const isOver = (): boolean => over;
  const count = (bytes: Uint8Array): void => {
    for (const byte of bytes) {
      size += 1;
      if (byte === NEWLINE && blank && isStream) size = 0;
      if (byte !== RETURN) blank = byte === NEWLINE;
      if (size > bounds.most)
        throw new Error(say('It sent a message of more than {most} bytes.', { most: bounds.most }));
    }
  };
  const watched = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        // Who reads it has let go of it meanwhile.
        if (isOver()) return;
        if (done) {
          controller.close();
          return;
        }
        count(value);
        controller.enqueue(value);
      } catch (error) {
        if (isOver()) return;
        const broken = error instanceof Error ? error : new Error(String(error));
        if (response.ok) bounds.broke(broken);
        controller.error(broken);
        void reader.cancel(broken).catch(() => undefined);
      }
    },
    cancel: (reason) => {
      over = true;
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(watched, { status, statusText, headers });
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
