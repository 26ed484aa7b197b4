/**
 * A proxy as companies have them, on 127.0.0.1: `CONNECT`, and whole addresses over plain HTTP. It leads every name to
 * one port, so that tests can ask for hosts that are nowhere. It owns its port and all sockets on it.
 */
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { Certified } from './certificates';

export interface ProxyServer {
  readonly url: string;
  readonly port: number;
  /** In order of arrival: what was asked for, and who was said to ask. */
  readonly asked: { readonly method: string; readonly target: string; readonly authorization?: string }[];
  /** Resolves once so many have come. */
  came(count: number): Promise<void>;
  /** Sockets of clients that are open. */
  open(): number;
  /** Resolves once none is. */
  quiet(): Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface Manners {
  /** Answers with this status and nothing else. */
  readonly status?: number;
  /** Takes the request and never answers. */
  readonly silent?: boolean;
  /** Only who says this gets through. */
  readonly authorization?: string;
  /** It speaks TLS itself. */
  readonly certified?: Certified;
}

export async function startProxy(port: number, manners: () => Manners = () => ({})): Promise<ProxyServer> {
  const asked: ProxyServer['asked'] = [];
  const watchers = new Set<() => void>();
  const clients = new Set<Socket>();
  const others = new Set<Socket>();
  const look = (): void => [...watchers].forEach((watch) => watch());
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const watch = (): void => {
        if (!isTrue()) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });

  const verdict = ({ headers, method = '', url = '' }: IncomingMessage): number | 'silent' => {
    const authorization = headers['proxy-authorization'];
    asked.push({ method, target: url, ...(authorization === undefined ? {} : { authorization }) });
    look();
    const now = manners();
    if (now.silent === true) return 'silent';
    if (now.authorization !== undefined && now.authorization !== authorization) return 407;
    return now.status ?? 200;
  };
  const onPlain: RequestListener = (incoming, outgoing) => {
    const status = verdict(incoming);
    if (status === 'silent') return;
    if (status !== 200) return void outgoing.writeHead(status).end();
    const { pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = httpRequest({ port, method, headers, path: `${pathname}${search}` }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  };

  const { certified } = manners();
  const server = certified === undefined ? createServer(onPlain) : createTlsServer(certified, onPlain);
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined);
    const status = verdict(incoming);
    // What is not read is not seen to close, and a server's socket stays half open by itself.
    if (status === 'silent') return void socket.on('end', () => socket.destroy()).resume();
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    others.add(onward);
    onward.on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.on('connection', (socket: Socket) => {
    clients.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clients.delete(socket);
      look();
    });
  });
  server.on('tlsClientError', () => undefined);
  const own = await listening(server);
  return {
    url: `${certified === undefined ? 'http' : 'https'}://127.0.0.1:${own}`,
    port: own,
    asked,
    came: (count) => until(() => asked.length >= count),
    open: () => clients.size,
    quiet: () => until(() => clients.size === 0),
    stop: () => stopped(server, [...clients, ...others]),
  };
}

/** TLS in front of a port that speaks plain HTTP. */
export async function startTls(
  port: number,
  certified: Certified,
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createTls(certified, (socket) => {
    const onward = connect(port, '127.0.0.1');
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
    onward.on('close', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.on('close', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  const own = await listening(server);
  return { port: own, stop: () => stopped(server, [...sockets]) };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function stopped(server: Server, sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}
