/**
 * Which proxy a request goes through: what the editor's `http.…` settings say, else the environment. Pure.
 *
 * What is on this machine is never asked for through a proxy.
 */
import { BlockList, isIP } from 'node:net';
import { variable } from '../programs';
import { ProxyFailure } from './proxyFailure';

/** VS Code's own settings `http.…`, as the person has set them. */
export interface WebSettings {
  readonly proxy?: string | undefined;
  readonly noProxy?: readonly string[] | undefined;
  /** False takes any certificate. */
  readonly proxyStrictSSL?: boolean | undefined;
  /** The whole value of the header `proxy-authorization`. */
  readonly proxyAuthorization?: string | null | undefined;
  /** `off` knows no proxy, that of the environment neither. */
  readonly proxySupport?: string | undefined;
  /** False trusts only the certificates that come with Node. */
  readonly systemCertificates?: boolean | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

export interface Proxy {
  /** Without credentials. */
  readonly url: URL;
  /** The same, as it may be shown. */
  readonly shown: string;
  readonly authorization: string | undefined;
}

/** Undefined for the direct way. Throws `ProxyFailure` where a proxy is named that cannot be used. */
export function proxyFor(address: URL, settings: WebSettings, env: Env): Proxy | undefined {
  if (isHere(address.hostname)) return undefined;
  const named = addressFor(address.protocol, settings, env);
  if (named === undefined || isLeftOut(address, exceptions(settings, env))) return undefined;
  const url = parsed(named);
  if (url === undefined) throw new ProxyFailure('unusable', shownOf(named), '');
  const own = credentials(url);
  url.username = '';
  url.password = '';
  const authorization = nonEmpty(settings.proxyAuthorization ?? undefined) ?? own;
  return { url, shown: url.origin, authorization };
}

/** Whether any request at all may go through one. */
export const hasProxy = (settings: WebSettings, env: Env): boolean =>
  addressFor('https:', settings, env) !== undefined || addressFor('http:', settings, env) !== undefined;

/** What may not be shown of them: passwords, and what is sent for them (X8). */
export function proxySecrets(settings: WebSettings, env: Env): readonly string[] {
  const urls = ['https:', 'http:'].flatMap((protocol) => parsed(addressFor(protocol, settings, env)) ?? []);
  const raw = [settings.proxyAuthorization ?? undefined, ...urls.map(credentials)];
  const passwords = urls.flatMap(({ password }) => [password, decoded(password)]);
  const sent = raw.flatMap((value) => (value === undefined ? [] : [value, value.replace(/^\w+ +/, '')]));
  return [...new Set([...passwords, ...sent])].filter((value) => value !== '');
}

function addressFor(protocol: string, settings: WebSettings, env: Env): string | undefined {
  if (settings.proxySupport === 'off') return undefined;
  const set = nonEmpty(settings.proxy?.trim());
  if (set !== undefined) return set;
  const plain = nonEmpty(variable(env, 'http_proxy')?.trim());
  return protocol === 'https:' ? (nonEmpty(variable(env, 'https_proxy')?.trim()) ?? plain) : plain;
}

function exceptions(settings: WebSettings, env: Env): readonly string[] {
  const set = settings.noProxy ?? [];
  return set.length > 0 ? set : (variable(env, 'no_proxy') ?? '').split(/[\s,]+/);
}

/** `host` and `.host` stand for it and all below it, `*` for everything; a port and a subnet may be written. */
function isLeftOut({ hostname, port, protocol }: URL, list: readonly string[]): boolean {
  const host = bare(hostname).toLowerCase();
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return list.some((entry) => {
    const text = entry.trim().toLowerCase();
    if (text === '*') return true;
    if (text.includes('/')) return isWithin(host, text);
    const [, name = '', wantedPort] = /^(\[[^\]]+\]|[^:]+|.*:.*:.*?)(?::(\d+))?$/.exec(text) ?? [];
    if (wantedPort !== undefined && wantedPort !== ownPort) return false;
    const wanted = bare(name).replace(/^\*?\./, '');
    return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
  });
}

function isWithin(host: string, subnet: string): boolean {
  const [net = '', prefix = ''] = subnet.split('/');
  const family = familyOf(host);
  if (family === undefined || familyOf(net) !== family || !/^\d+$/.test(prefix)) return false;
  const bits = Number(prefix);
  if (bits > (family === 'ipv4' ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(net, bits, family);
  return list.check(host, family);
}

const familyOf = (host: string): 'ipv4' | 'ipv6' | undefined =>
  isIP(host) === 4 ? 'ipv4' : isIP(host) === 6 ? 'ipv6' : undefined;

/** An address of this machine alone. */
export const isHere = (hostname: string): boolean =>
  /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i.test(hostname);

/** An address without a scheme is one of http, as programs read it. Undefined for one that is no proxy over HTTP. */
function parsed(address: string | undefined): URL | undefined {
  if (address === undefined) return undefined;
  const whole = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  return /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}

function credentials({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const shownOf = (address: string): string => address.replace(/[^/]*@/, '');
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
