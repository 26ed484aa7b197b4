/**
 * An MCP server over HTTP that wants a sign-in, and its authorization server, on one port of this machine: real
 * requests, PKCE and state as the protocol has them, tokens that can be revoked. It notes what comes to it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Grant {
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scope: string | null;
}

/** One request with its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly text: string;
  readonly form: URLSearchParams;
  readonly json: (status: number, value: unknown) => unknown;
}

export class OAuthServer {
  /** `POST /token authorization_code`, `POST /mcp tools/call`, … in order. */
  readonly seen: string[] = [];
  /** Every secret that was given out. */
  readonly secrets: string[] = [];
  /** Lifetime of an access token, s; undefined says nothing of it. */
  lifetime: number | undefined;
  /** Each refresh token works once. */
  rotates = true;
  /** What a tool's call needs beside a token. */
  scope: string | undefined;
  /** The authorization server does nothing but fail. */
  broken = false;
  private readonly server: Server;
  private readonly clients = new Set<string>();
  private readonly codes = new Map<string, Grant>();
  private readonly access = new Map<string, string>();
  private readonly refreshes = new Map<string, string>();
  private readonly gates = new Map<string, { readonly open: Promise<void>; reached(): void }>();

  private constructor(private readonly host: string) {
    this.server = createServer((request, response) => {
      this.serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** `host` is an address of this machine's loopback. */
  static async start(host = '127.0.0.1'): Promise<OAuthServer> {
    const one = new OAuthServer(host);
    one.server.listen(0, host);
    await once(one.server, 'listening');
    return one;
  }

  get origin(): string {
    return `http://${this.host}:${String((this.server.address() as AddressInfo).port)}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /** As it stands in `mcp.servers`. */
  config(rest: object = {}) {
    return { type: 'http', url: this.url, ...rest };
  }

  /** The next request of this kind is held; it has come once `reached` resolves. */
  hold(kind: string): { readonly reached: Promise<void>; open(): void } {
    let open = (): void => {};
    let reached = (): void => {};
    const came = new Promise<void>((resolve) => (reached = resolve));
    this.gates.set(kind, { open: new Promise((resolve) => (open = resolve)), reached });
    return { reached: came, open };
  }

  count(kind: string): number {
    return this.seen.filter((one) => one === kind).length;
  }

  /** The access tokens are worth nothing any more; with `all` the refresh tokens as well. */
  revoke(all = false): void {
    this.access.clear();
    if (all) this.refreshes.clear();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    const text = await bodyOf(request);
    const form = new URLSearchParams(text);
    const kind = kindOf(request.method ?? '', url.pathname, text, form);
    this.seen.push(kind);
    const gate = this.gates.get(kind);
    if (gate !== undefined) {
      this.gates.delete(kind);
      gate.reached();
      await gate.open;
    }
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (this.broken && url.pathname !== '/mcp') json(500, { error: 'server_error' });
    else this.answer(url, { request, response, text, form, json });
  }

  private answer(url: URL, { request, response, text, form, json }: Exchange): unknown {
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(200, { resource: this.url, authorization_servers: [this.origin] });
      case '/.well-known/oauth-authorization-server':
        return json(200, this.metadata());
      case '/register':
        return json(201, this.register(text));
      case '/authorize':
        return this.authorize(url.searchParams, response);
      case '/token':
        return this.give(form, json);
      case '/mcp':
        return this.mcp(request, response, text, json);
      default:
        return json(404, {});
    }
  }

  private metadata() {
    return {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    };
  }

  private register(text: string) {
    const client_id = `client-${String(this.clients.size + 1)}`;
    this.clients.add(client_id);
    return { ...(JSON.parse(text) as object), client_id };
  }

  private authorize(asked: URLSearchParams, response: ServerResponse): unknown {
    const of = (name: string): string => asked.get(name) ?? '';
    const back = new URL(of('redirect_uri'));
    if (!this.clients.has(of('client_id')) || of('code_challenge_method') !== 'S256')
      return response.writeHead(400).end();
    const code = this.secret('code');
    this.codes.set(code, {
      client: of('client_id'),
      redirectUri: of('redirect_uri'),
      challenge: of('code_challenge'),
      scope: asked.get('scope'),
    });
    back.searchParams.set('code', code);
    back.searchParams.set('state', of('state'));
    return response.writeHead(302, { location: back.href }).end();
  }

  private give(form: URLSearchParams, json: Exchange['json']): unknown {
    const of = (name: string): string => form.get(name) ?? '';
    if (of('grant_type') === 'refresh_token') {
      const scope = this.refreshes.get(of('refresh_token'));
      if (scope === undefined) return json(400, { error: 'invalid_grant' });
      if (this.rotates) this.refreshes.delete(of('refresh_token'));
      return json(200, this.tokens(scope));
    }
    const grant = this.codes.get(of('code'));
    this.codes.delete(of('code'));
    const proof = createHash('sha256').update(of('code_verifier')).digest('base64url');
    const fits =
      grant?.client === of('client_id') &&
      grant.redirectUri === of('redirect_uri') &&
      grant.challenge === proof;
    if (!fits) return json(400, { error: 'invalid_grant', error_description: 'this code is worth nothing' });
    return json(200, this.tokens(grant.scope ?? ''));
  }

  private tokens(scope: string) {
    const access_token = this.secret('access');
    const refresh_token = this.secret('refresh');
    this.access.set(access_token, scope);
    this.refreshes.set(refresh_token, scope);
    const expires = this.lifetime === undefined ? {} : { expires_in: this.lifetime };
    return { access_token, refresh_token, token_type: 'Bearer', ...expires };
  }

  private secret(kind: string): string {
    const made = `${kind}-${randomBytes(16).toString('hex')}`;
    this.secrets.push(made);
    return made;
  }

  private mcp(
    request: IncomingMessage,
    response: ServerResponse,
    text: string,
    json: Exchange['json'],
  ): unknown {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const scope = this.access.get(token);
    const metadata = `resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined)
      return response.writeHead(401, { 'www-authenticate': `Bearer ${metadata}` }).end();
    if (request.method === 'GET') return response.writeHead(405).end();
    if (request.method === 'DELETE') return response.writeHead(200).end();
    const { id, method, params } = JSON.parse(text) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string; arguments?: { text?: string } };
    };
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'tools/call' && this.scope !== undefined && !scope.split(' ').includes(this.scope)) {
      const more = `Bearer error="insufficient_scope", scope="${this.scope}", ${metadata}`;
      return response.writeHead(403, { 'www-authenticate': more }).end();
    }
    return json(200, { jsonrpc: '2.0', id, result: resultOf(method, params) });
  }
}

function resultOf(
  method: string,
  params: { protocolVersion?: string; arguments?: { text?: string } } | undefined,
): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      };
    case 'tools/list':
      return {
        tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }],
      };
    default:
      return { content: [{ type: 'text', text: params?.arguments?.text ?? '' }] };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text;
}

/** A request in a few words: its method, its path, and what it is about. */
function kindOf(method: string, path: string, text: string, form: URLSearchParams): string {
  const about =
    path === '/token'
      ? (form.get('grant_type') ?? '')
      : path === '/mcp' && text !== ''
        ? (JSON.parse(text) as { method: string }).method
        : '';
  return [method, path, about].join(' ').trim();
}
