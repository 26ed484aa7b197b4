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

/**
 * What may not be shown of them: passwords, and what is sent for them (X8). Of all that are named, whether or not the
 * host goes through them: commands read the environment's, and some of these are no proxies over HTTP.
 */
export function proxySecrets(settings: WebSettings, env: Env): readonly string[] {
  const inEnv = Object.keys(env).flatMap((name) => (PROXIES.test(name) ? [env[name] ?? ''] : []));
  const named = [settings.proxy ?? '', ...inEnv].map(userinfo).filter((pair) => pair !== '');
  const written = nonEmpty(settings.proxyAuthorization ?? undefined);
  const passwords = named.flatMap((pair) => {
    const password = pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : '';
    return [password, decoded(password)];
  });
  const sent = named.map((pair) => basic(decoded(pair.includes(':') ? pair : `${pair}:`)));
  const values = [...(written === undefined ? [] : [written]), ...sent].flatMap((value) => [
    value,
    value.replace(/^\w+ +/, ''),
  ]);
  return [...new Set([...passwords, ...values])].filter((value) => value !== '');
}

/** Variables that name a proxy, for whichever program: each is known in both cases. */
export const PROXIES = /^(https?|ftp|all)_proxy$/i;

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
export function isHere(hostname: string): boolean {
  const host = bare(hostname).replace(/\.$/, '');
  const family = familyOf(host);
  return family === undefined ? /^(.*\.)?localhost$/i.test(host) : HERE.check(host, family);
}

/** Also in the form of an IPv6 address that stands for one of IPv4. */
const HERE = new BlockList();
HERE.addSubnet('127.0.0.0', 8, 'ipv4');
HERE.addAddress('0.0.0.0', 'ipv4');
HERE.addAddress('::1', 'ipv6');
HERE.addAddress('::', 'ipv6');

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
  return basic(`${decoded(username)}:${decoded(password)}`);
}

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The beginning of an address up to its last `@`: a password that is not encoded may have any sign in it. */
const ACCOUNT = /^([a-z][a-z0-9+.-]*:\/\/)?(?:(.*)@)?/is;
const shownOf = (address: string): string => address.trim().replace(ACCOUNT, '$1');
const userinfo = (address: string): string => ACCOUNT.exec(address.trim())?.[2] ?? '';
const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');
const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
