/** Calls over a local socket: one line of JSON each way; the first line says who this is. */
import { createConnection } from 'node:net';
import { parseJson, readAnswer, type RelayAnswer, type ToHost } from '../protocol/relay';
import { lines } from './lines';
import type { Way } from './way';

interface Waiting {
  readonly settle: (answer: RelayAnswer) => void;
  readonly fail: (error: Error) => void;
  readonly progress: (text: string) => void;
}

export function socketWay(path: string, nonce: string, turn: string): Way {
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  let gone: Error | undefined;
  const socket = createConnection(path);
  const lost = (why: string): void => {
    gone ??= new Error(`The editor is gone: ${why}`);
    for (const { fail } of waiting.values()) fail(gone);
    waiting.clear();
  };
  socket.on('error', (error) => lost(error.message));
  socket.on('close', () => lost('it has closed the connection.'));
  socket.on(
    'data',
    lines((line) => take(waiting, line)),
  );
  socket.write(`${JSON.stringify({ nonce, turn })}\n`);
  const send = (message: ToHost): void => void socket.write(`${JSON.stringify(message)}\n`);

  return {
    call: (call) =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) {
          reject(gone);
          return;
        }
        const id = ++ids;
        const end = (): void => {
          waiting.delete(id);
          call.signal.removeEventListener('abort', cancel);
        };
        const cancel = (): void => {
          end();
          send({ cancel: id });
          reject(new Error('aborted'));
        };
        waiting.set(id, {
          settle: (answer) => {
            end();
            resolve(answer);
          },
          fail: (error) => {
            end();
            reject(error);
          },
          progress: call.progress,
        });
        call.signal.addEventListener('abort', cancel, { once: true });
        const named = call.callId === undefined ? {} : { toolCallId: call.callId };
        send({ id, toolName: call.tool, args: call.args ?? {}, ...named });
      }),
    close: () => socket.destroy(),
  };
}

function take(waiting: ReadonlyMap<number, Waiting>, line: string): void {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'number') return;
  const call = waiting.get(value.id);
  if ('progress' in value) {
    if (typeof value.progress === 'string') call?.progress(value.progress);
    return;
  }
  const answer = 'answer' in value ? readAnswer(value.answer) : undefined;
  call?.settle(answer ?? { ok: false, error: 'The editor’s answer could not be read.' });
}
