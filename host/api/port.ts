/** JSON-RPC 2.0 as plain objects over a message port. What is no request, reply or notification is answered as such. */
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from 'vscode-jsonrpc/node';

/** A worker's `parentPort`, or anything that speaks like it. */
export interface Port {
  postMessage(value: unknown): void;
  on(event: 'message', listener: (value: unknown) => void): unknown;
  off(event: 'message', listener: (value: unknown) => void): unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isMessage = (value: unknown): value is Message & Record<string, unknown> => {
  if (!isRecord(value)) return false;
  const hasId = typeof value['id'] === 'string' || typeof value['id'] === 'number';
  if (typeof value['method'] === 'string')
    return (
      (value['id'] === undefined || hasId) && (value['params'] === undefined || isRecord(value['params']))
    );
  return hasId && ('result' in value || 'error' in value);
};

/** JSON-RPC's own numbers. */
const INVALID_REQUEST = -32600;

export class PortReader extends AbstractMessageReader {
  constructor(private readonly port: Port) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    const listener = (value: unknown) => {
      if (isMessage(value)) {
        callback({ ...value, jsonrpc: '2.0' });
        return;
      }
      const id =
        isRecord(value) && (typeof value['id'] === 'string' || typeof value['id'] === 'number')
          ? value['id']
          : null;
      this.port.postMessage({
        jsonrpc: '2.0',
        id,
        error: {
          code: INVALID_REQUEST,
          message: 'This is no JSON-RPC 2.0 request: it needs a "method", and "params" must be an object.',
          data: { code: 'invalid_params' },
        },
      });
    };
    this.port.on('message', listener);
    return { dispose: () => void this.port.off('message', listener) };
  }
}

export class PortWriter extends AbstractMessageWriter {
  constructor(private readonly port: Port) {
    super();
  }

  write(message: Message): Promise<void> {
    this.port.postMessage(message);
    return Promise.resolve();
  }

  end(): void {
    // The port belongs to the worker; it ends with it.
  }
}
