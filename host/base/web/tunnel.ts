/**
 * A connection through a proxy: `CONNECT`, then TLS with whom the request is for. It owns its sockets and its timer
 * until it has handed over, or told why not; it does one of both, once.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import type { Clock } from '../clock';
import type { Proxy } from './proxy';
import { isUntrusted, ProxyFailure } from './proxyFailure';

/** How long a proxy may take to open a way, and whom it leads to for TLS, ms: it may look for a name and try several addresses. */
export const TUNNEL_MS = 20_000;

export interface Wanted {
  readonly proxy: Proxy;
  readonly hostname: string;
  readonly port: string;
  readonly servername: string | undefined;
  readonly strict: boolean;
  readonly clock: Clock;
}

export interface Opening {
  /** Ends it; nothing is said to whom it leads to any more. */
  giveUp(): void;
}

export function openTunnel(
  wanted: Wanted,
  done: (error: Error | null, socket: TLSSocket | null) => void,
): Opening {
  const { proxy, strict, clock } = wanted;
  const { url, shown } = proxy;
  const target = `${wanted.hostname.includes(':') ? `[${wanted.hostname}]` : wanted.hostname}:${wanted.port}`;
  let far: TLSSocket | undefined;
  let isOver = false;

  const end = (error: Error | null): void => {
    if (isOver) return;
    isOver = true;
    limit.clear();
    if (error === null && far !== undefined) return done(null, far);
    far?.destroy();
    ask.destroy();
    done(error, null);
  };
  const fault = (error: Error): ProxyFailure =>
    new ProxyFailure(isUntrusted(error) ? 'untrusted' : 'down', shown, error.message);

  const ask = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port,
    method: 'CONNECT',
    path: target,
    headers: {
      host: target,
      ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
    },
    agent: false,
    rejectUnauthorized: strict,
  });
  const limit = clock.after(TUNNEL_MS, () => end(new ProxyFailure('silent', shown, '')));
  ask.on('error', (error) => end(fault(error)));
  ask.on('connect', ({ statusCode = 0, statusMessage = '' }: IncomingMessage, socket: Socket) => {
    if (isOver) return void socket.destroy();
    if (statusCode < 200 || statusCode > 299) {
      socket.destroy();
      return end(
        new ProxyFailure(statusCode === 407 ? 'sign_in' : 'refused', shown, statusMessage, statusCode),
      );
    }
    const servername = wanted.servername ?? (isIP(wanted.hostname) === 0 ? wanted.hostname : undefined);
    far = tlsConnect({
      socket,
      rejectUnauthorized: strict,
      ALPNProtocols: ['http/1.1'],
      ...(servername === undefined ? {} : { servername }),
      ...(isIP(wanted.hostname) === 0 ? {} : { host: wanted.hostname }),
    });
    far.on('error', end);
    far.on('close', () => end(new ProxyFailure('down', shown, 'closed')));
    far.on('secureConnect', () => end(null));
  });
  ask.end();
  return { giveUp: () => end(new Error('given up')) };
}
