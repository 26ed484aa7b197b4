/**
 * How two windows of one user know each other: both hold the user's secret, which the client keeps and no child of an
 * agent gets. Each proves it over the other's fresh random number, and what follows is sealed with keys made of both.
 *
 * 1. Before the other has proved itself no byte of it is read but its number and its proof. 2. The secret never
 * leaves: neither it nor anything that it can be guessed from is sent.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock';
import type { Socket } from '../../base/localSocket';

const NONCE_BYTES = 32;
const PROOF_BYTES = 32;
/** A guest that is not stopped answers in a few ms. */
const GUEST_MS = 5_000;
/** A host that hangs is to hear the question once it can; what asks does not wait that long for the answer, ms. */
const HOST_MS = 60_000;

/** Keys of 32 bytes for what each side seals. */
export interface Keys {
  readonly toHost: Buffer;
  readonly toGuest: Buffer;
}

/** Lets a guest in that knows the secret; undefined (and the socket is closed) for any other. */
export async function asHost(
  socket: Socket,
  secret: () => Promise<string | undefined>,
  clock: Clock,
): Promise<Keys | undefined> {
  const met = await inTime(socket, clock, GUEST_MS, async () => {
    const theirs = await take(socket, NONCE_BYTES);
    const key = await secret();
    if (key === undefined) return undefined;
    const nonces = Buffer.concat([theirs, randomBytes(NONCE_BYTES)]);
    socket.write(Buffer.concat([nonces.subarray(NONCE_BYTES), mac(key, 'host', nonces)]));
    const proof = await take(socket, PROOF_BYTES);
    return timingSafeEqual(proof, mac(key, 'guest', nonces)) ? keysOf(key, nonces) : undefined;
  });
  if (met === undefined) socket.destroy();
  return met;
}

/** Proves itself to a host that knows the secret; `stranger` (and the socket is closed) for one that does not. */
export async function asGuest(socket: Socket, secret: string, clock: Clock): Promise<Keys | 'stranger'> {
  const met = await inTime(socket, clock, HOST_MS, async () => {
    const own = randomBytes(NONCE_BYTES);
    socket.write(own);
    const told = await take(socket, NONCE_BYTES + PROOF_BYTES);
    const nonces = Buffer.concat([own, told.subarray(0, NONCE_BYTES)]);
    if (!timingSafeEqual(told.subarray(NONCE_BYTES), mac(secret, 'host', nonces))) return 'stranger' as const;
    socket.write(mac(secret, 'guest', nonces));
    return keysOf(secret, nonces);
  });
  if (met === undefined) throw new Error('It has closed the connection without a word.');
  if (met === 'stranger') socket.destroy();
  return met;
}

const keysOf = (secret: string, nonces: Buffer): Keys => ({
  toHost: mac(secret, 'to host', nonces),
  toGuest: mac(secret, 'to guest', nonces),
});

const mac = (secret: string, what: string, nonces: Buffer): Buffer =>
  createHmac('sha256', secret).update(`belay window 1 ${what}\0`).update(nonces).digest();

/** Undefined when the socket was closed, which it is after `ms`. */
async function inTime<T>(
  socket: Socket,
  clock: Clock,
  ms: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const timer = clock.after(ms, () => socket.destroy());
  try {
    return await work();
  } catch (error) {
    if (error instanceof Closed) return undefined;
    throw error;
  } finally {
    timer.clear();
  }
}

class Closed extends Error {}

/** So many bytes of the socket, and no more. */
function take(socket: Socket, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    const over = (): void => {
      socket.off('data', onData);
      socket.off('close', onClose);
    };
    const onData = (chunk: Buffer): void => {
      held = Buffer.concat([held, chunk]);
      if (held.length < bytes) return;
      over();
      socket.pause();
      if (held.length > bytes) socket.unshift(held.subarray(bytes));
      resolve(held.subarray(0, bytes));
    };
    const onClose = (): void => {
      over();
      reject(new Closed());
    };
    if (socket.destroyed) {
      reject(new Closed());
      return;
    }
    socket.on('data', onData);
    socket.on('close', onClose);
    socket.resume();
  });
}
