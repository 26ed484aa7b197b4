/**
 * The other side of the page: an editor that relays, and behind it a host that knows one thing only, how to fold
 * its own events. Tests publish events and answer requests; the page cannot tell the difference.
 */
import type {
  EditorCommand,
  EditorState,
  FromPage,
  ToPage,
  WrittenPart,
  WrittenParts,
} from '../../../webview/bridgeProtocol';
import type { Method, ParamsOf } from '../../../protocol/methods';
import type { BelayEvent, DataOf, EventType } from '../../../protocol/events';
import type { ModelInfo, Snapshot } from '../../../protocol/host';
import type { HarnessInfo } from '../../../protocol/harness';
import type { TurnView } from '../../../protocol/transcript';
import { reduceSnapshot } from '../../../protocol/snapshot';
import { reduceTranscript } from '../../../protocol/foldTranscript';
import { TRANSIENT } from '../../../protocol/events';

/** Fixed, so that pictures are equal from run to run. */
export const NOW = Date.UTC(2026, 10, 29, 10, 3, 0);

export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly data: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

type Answer<M extends Method> = (params: ParamsOf<M>) => unknown;

export class FakeEditor {
  readonly requests: { readonly method: Method; readonly params: unknown }[] = [];
  readonly commands: EditorCommand[] = [];
  /** The requests that the page has said to draw, each time. */
  readonly drawn: (readonly string[])[] = [];
  readonly opened: (string | undefined)[] = [];
  /** The page's own state, as the editor keeps it over reloads. */
  kept: unknown = undefined;
  /** What the person has written, as the extension keeps it. */
  written: WrittenParts = {};
  /** Each time that it was told something of it. */
  readonly writings: { readonly part: WrittenPart; readonly value: unknown }[] = [];
  /** The ids that pages have said to have. */
  readonly pages: string[] = [];
  at = NOW;
  state: EditorState = {
    trusted: true,
    hostState: 'ready',
    strings: {},
    folders: [{ path: '/w/shop', name: 'shop' }],
    defaults: { model: 'local/m1', mode: 'ask' },
  };
  models: ModelInfo[] = [
    { id: 'local/m1', name: 'M1', provider: 'local', ready: true, contextWindow: 200_000 },
    { id: 'big/large', name: 'Large', provider: 'big', ready: false },
    {
      id: 'rehearsal/rehearsal',
      name: 'Rehearsal',
      provider: 'rehearsal',
      ready: true,
      note: 'no AI, no network',
    },
  ];
  snapshot: Snapshot = {
    seq: 0,
    host: { paused: false, epoch: 0, ended: [], quiet: true, readOnly: false, trusted: true },
    sessions: [],
    needs: [],
    handles: [],
    unread: [],
    servers: [],
  };
  turns: readonly TurnView[] = [];
  /** What a release would start. */
  starting: { kind: string; id: string; title: string }[] = [];
  /** Outside agents that the host tells of. */
  harnesses: HarnessInfo[] = [];
  windows: { name: string; paused: boolean }[] = [];
  /** Whether what the person writes reaches the extension; a window that ends loses the last of it. */
  hearsKeys = true;
  /** Whether events reach the page; a hidden page loses them. */
  visible = true;
  pageSize = 16;

  readonly #answers = new Map<Method, (params: never) => unknown>();
  readonly #lookouts = new Set<() => void>();
  readonly #held = new Map<Method, (() => void)[]>();
  #post: (message: ToPage) => void = () => undefined;

  /** Connects a page that was (re)loaded. */
  attach(post: (message: ToPage) => void): void {
    this.#post = post;
  }

  hear(message: FromPage): void {
    switch (message.type) {
      case 'ready':
        this.pages.push(message.page);
        return this.#welcome();
      case 'written':
        if (!this.hearsKeys) return;
        this.writings.push(message);
        this.written = { ...this.written, [message.part]: message.value };
        return;
      case 'drawn':
        this.drawn.push(message.needs);
        for (const look of this.#lookouts) look();
        return;
      case 'open':
        this.opened.push(message.session);
        this.#remember(message.session);
        return;
      case 'command':
        this.commands.push(message);
        for (const look of this.#lookouts) look();
        return;
      case 'request':
        this.requests.push({ method: message.method, params: message.params });
        for (const look of this.#lookouts) look();
        return this.#reply(message.id, message.method, message.params);
    }
  }

  /** Keeps the first state back until the returned function is called. */
  holdState(): () => void {
    const welcome = this.#welcome;
    this.#welcome = () => undefined;
    return () => {
      this.#welcome = welcome;
      welcome();
    };
  }

  #welcome = (): void => this.post({ type: 'state', ...this.state, written: this.written });

  /** As the extension does, on disk. */
  #remember(session: EditorState['session']): void {
    const { session: _before, ...rest } = this.state;
    this.state = session === undefined ? rest : { ...rest, session };
  }

  post(message: ToPage): void {
    if (this.visible) this.#post(message);
  }

  setState(change: Partial<EditorState>): void {
    this.state = { ...this.state, ...change };
    this.post({ type: 'state', ...this.state });
  }

  /** How this method is answered from now on; a thrown `Refusal` becomes an error reply. */
  answer<M extends Method>(method: M, answer: Answer<M>): void {
    this.#answers.set(method, answer);
  }

  /** Keeps the replies to a method back until the returned function is called. */
  hold(method: Method): () => void {
    const waiting: (() => void)[] = [];
    this.#held.set(method, waiting);
    return () => {
      this.#held.delete(method);
      for (const reply of waiting) reply();
    };
  }

  asked(method: Method): unknown[] {
    return this.requests.filter((request) => request.method === method).map((request) => request.params);
  }

  /** Waits until the page has asked for this so many times; gives what it asked. */
  async heard(method: Method, count = 1): Promise<unknown[]> {
    await this.until(() => this.asked(method).length >= count);
    return this.asked(method);
  }

  /** Waits until the page has asked the editor for something. */
  async commanded(): Promise<EditorCommand[]> {
    await this.until(() => this.commands.length > 0);
    return this.commands;
  }

  /** Resolves when what the page has said so far makes it true. */
  until(isThere: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isThere()) return;
        this.#lookouts.delete(look);
        resolve();
      };
      this.#lookouts.add(look);
      look();
    });
  }

  emit<T extends EventType>(type: T, data: DataOf<T>, where: { session?: string; turn?: string } = {}): void {
    const seq = TRANSIENT.has(type) ? this.snapshot.seq : this.snapshot.seq + 1;
    const event = { seq, at: this.at, type, data, ...where } as BelayEvent;
    this.snapshot = reduceSnapshot(this.snapshot, event);
    this.turns = reduceTranscript(this.turns, event);
    this.post({ type: 'event', event });
  }

  #reply(id: number, method: Method, params: unknown): void {
    const send = () => {
      try {
        this.post({ type: 'reply', id, result: this.#result(method, params) });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.post({
          type: 'reply',
          id,
          error: { message: error.message, data: { code: error.code, ...error.data } },
        });
      }
    };
    const held = this.#held.get(method);
    if (held === undefined) send();
    else held.push(send);
  }

  #result(method: Method, params: unknown): unknown {
    const own = this.#answers.get(method);
    if (own !== undefined) return own(params as never);
    if (method === 'events/subscribe') return { seq: this.snapshot.seq, snapshot: this.snapshot };
    if (method === 'transcript/read') return this.#transcript(params as ParamsOf<'transcript/read'>);
    if (method === 'host/status')
      return { host: this.snapshot.host, starting: this.starting, windows: this.windows };
    if (method === 'harness/list') return { items: this.harnesses };
    if (method === 'model/list') return { items: this.models, providers: [] };
    return {};
  }

  #transcript({ session, before, limit = this.pageSize }: ParamsOf<'transcript/read'>): unknown {
    const all = this.turns.filter((turn) => turn.session === session);
    const end = before === undefined ? all.length : all.findIndex((turn) => turn.turn === before);
    const begin = Math.max(0, end - limit);
    const items = all.slice(begin, end);
    return { items, seq: this.snapshot.seq, ...(begin > 0 ? { next: items[0]?.turn } : {}) };
  }
}
