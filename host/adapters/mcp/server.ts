/**
 * One server: its life, its tools, and the attempt that it lives by.
 *
 * Owns at most one attempt with a process (M3). Does not own: the calls; they take a place of it and end with its
 * connection. 1. A start is decided here and begins inside the launch that was given, or one of now. 2. What an
 * earlier attempt does touches no later one.
 */
import { pathToFileURL } from 'node:url';
import {
  PLACES_A_SERVER,
  SERVER_BACKOFF_MS,
  SERVER_LOG_BYTES,
  SERVER_STABLE_MS,
  type Server,
  say,
} from '../../../protocol';
import type { Timer } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import { Places } from '../../base/places';
import { redact } from '../../base/redact';
import { Attempt, TOOL_PAGES } from './attempt';
import type { ClientHooks, Connection } from './client';
import { needsNoConsent, type ServerConfig } from './config';
import { InputMissing, Rejected, SignInNeeded, Unavailable } from './errors';
import { Gate } from './gate';
import { next, type Lack, type Life, type LifeEffect, type LifeEvent } from './lifecycle';
import { Remembered } from './remembered';
import type { ServersNeed } from './room';
import { ServerAccount } from './serverAccount';
import { serverView } from './serverView';
import { ServerTools } from './serverTools';
import type { Tool } from './tools';
import { Unusable } from './variables';
import { sentence, whyNot } from './words';

const BACKOFF_MOST_MS = 30_000;
/** A sign-in that is under way is for a server that is wanted, as it is configured now. */
const ENDS_SIGN_IN: readonly LifeEvent['kind'][] = ['stop', 'dropped', 'consent_missing', 'removed'];

export class McpServer {
  readonly places = new Places(PLACES_A_SERVER);
  /** Its calls under way, oldest first: the newest is asked when the server wants something of the person. */
  readonly asking: { readonly ask: ClientHooks['elicit'] }[] = [];
  readonly account: ServerAccount;
  private life: Life;
  private attempt: Attempt | undefined;
  private error: string | undefined;
  private missing: readonly string[] = [];
  private version: string | undefined;
  private backOff: Timer | undefined;
  private log = '';
  private changedAt: number;
  private readonly remembered: Remembered;
  private readonly tools: ServerTools;
  private readonly gate: Gate;
  private readonly watchers = new Set<() => void>();

  constructor(
    private config: ServerConfig,
    readonly key: string,
    private readonly need: ServersNeed,
  ) {
    this.gate = new Gate(need.cord);
    this.account = new ServerAccount(
      () => this.config,
      need,
      (signedIn) => {
        if (signedIn) this.tell({ kind: need.cord.pulled ? 'dropped' : 'restart' });
        this.told();
      },
    );
    this.remembered = new Remembered(key, need);
    this.tools = new ServerTools({
      need,
      config: () => this.config,
      remembered: this.remembered,
      ask: () => this.askForTools(),
      note: (text) => this.note(text),
      changed: () => this.told(),
    });
    this.life = { kind: this.isAllowed() ? 'idle' : 'needs_consent', restarts: 0 };
    this.changedAt = need.clock.now();
    this.checkConfig();
  }

  get id(): ServerConfig['id'] {
    return this.config.id;
  }

  get kind(): Life['kind'] {
    return this.life.kind;
  }

  get hash(): string {
    return this.config.hash;
  }

  /** Tools that may be offered: of a server that is there, or that starts when it is needed. */
  get offered(): readonly Tool[] {
    return this.life.kind === 'ready' || this.mayStart() ? (this.tools.known ?? []) : [];
  }

  /** True for a server that would start when it is needed, and whose tools nobody has seen. */
  get isUnknown(): boolean {
    return this.tools.known === undefined && this.mayStart();
  }

  get isOnItsWay(): boolean {
    const { life } = this;
    return (
      life.kind === 'starting' ||
      (life.kind === 'stopping' && (life.then === 'idle' || life.then === 'start'))
    );
  }

  /** Why it is not there, as far as it is known. */
  get trouble(): string | undefined {
    return this.life.kind === 'stopping' && this.life.then === 'stopped'
      ? 'The person has stopped it.'
      : this.error;
  }

  tool(name: string): Tool | undefined {
    return this.tools.find(name);
  }

  view(): Server {
    const { config, life, changedAt, error, version } = this;
    return serverView({
      config,
      life,
      changedAt,
      error,
      version,
      tools: this.tools.known ?? [],
      pid: this.attempt?.pid,
      isSigningIn: this.account.signIn.isUnderWay,
      isSignedIn: this.account.isSignedIn,
      missing: this.missing,
    });
  }

  /** The newest part of its log. */
  text(): string {
    return this.log;
  }

  /**
   * The connection, once it stands; starts the server if need be. Rejects with `CordPulled`, `Unavailable`, or the
   * signal's reason.
   */
  async connection(launch: Launch, signal: AbortSignal): Promise<Connection> {
    for (;;) {
      signal.throwIfAborted();
      const connection = this.attempt?.connection;
      if (this.life.kind === 'ready' && connection !== undefined) return connection;
      // Says at once that the cord has been pulled since.
      launch(() => undefined);
      if (!this.need.trusted())
        throw new Unavailable('This workspace is not trusted: no server starts in it.');
      this.tell({ kind: 'wanted' }, launch);
      if (this.isOnItsWay) await this.change(signal);
      else if (this.kind !== 'ready') throw new Unavailable(whyNot(this.config.name, this.life, this.error));
    }
  }

  /** Something has happened to it. `launch` is for what starts by it; without one that is decided now. */
  tell(event: LifeEvent, launch?: Launch): void {
    if (ENDS_SIGN_IN.includes(event.kind)) this.account.signIn.cancel();
    const before = this.life;
    const step = next(before, event);
    this.life = step.life;
    if (event.kind === 'start' || event.kind === 'restart' || event.kind === 'dropped') this.forgive();
    for (const effect of step.effects) this.perform(effect, launch ?? this.need.cord.launch());
    if (before !== this.life) this.told();
  }

  /** Another configuration stands in its place. */
  reconfigure(config: ServerConfig): void {
    this.config = config;
    this.version = undefined;
    this.tools.recall();
    this.tell({ kind: 'dropped' });
    this.tell({ kind: this.isAllowed() ? 'consented' : 'consent_missing' });
    this.checkConfig();
    this.told();
  }

  /** A person's word on exactly this configuration. */
  async consent(allow: boolean, by: string): Promise<void> {
    const consent = allow ? { hash: this.config.hash, by, at: this.need.clock.now() } : undefined;
    await this.remembered.change({ consent });
    this.tell({ kind: this.isAllowed() ? 'consented' : 'consent_missing' });
    this.checkConfig();
  }

  /** Forgets its tokens, and ends what lives by them. */
  async signOut(): Promise<void> {
    await this.account.signOut();
    this.tell({ kind: 'dropped' });
    this.told();
  }

  rootsChanged(): void {
    this.attempt?.connection?.rootsChanged();
  }

  /** The connection that a call had is gone, though its process may not be: it is made anew. */
  lost(connection: Connection, error: unknown): void {
    if (this.attempt?.connection === connection) this.attempt.fail(error);
  }

  /** Resolves once it was removed, and nothing of it is left. */
  async gone(): Promise<void> {
    const never = new AbortController().signal;
    while (this.kind !== 'removed') await this.change(never);
  }

  /** Resolves with its next change; rejects with the signal's reason. */
  change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => (): void => {
        this.watchers.delete(done);
        signal.removeEventListener('abort', gone);
        settle();
      };
      const done = end(resolve);
      const gone = end(() => reject(reasonOf(signal)));
      this.watchers.add(done);
      signal.addEventListener('abort', gone, { once: true });
    });
  }

  private perform(effect: LifeEffect, launch: Launch): void {
    switch (effect) {
      case 'open':
        this.open(launch);
        return;
      case 'close':
        this.close();
        return;
      case 'back_off': {
        const first = this.need.settings().limits?.serverBackoffMs ?? SERVER_BACKOFF_MS;
        const ms = Math.min(BACKOFF_MOST_MS, first * 2 ** (this.life.restarts - 1));
        this.backOff = this.need.clock.after(ms, () =>
          this.tell({ kind: this.need.cord.pulled ? 'held' : 'due' }),
        );
        return;
      }
      case 'forget_back_off':
        this.backOff?.clear();
    }
  }

  private open(launch: Launch): void {
    // Its first list is on its way: what changes meanwhile may not be in it.
    let isStale = false;
    const attempt: Attempt = new Attempt({
      config: this.config,
      need: this.need,
      gate: this.gate,
      launch,
      hooks: {
        roots: () => this.need.folders().map(rootOf),
        elicit: async (...asked) => (await this.asking.at(-1)?.ask(...asked)) ?? { action: 'cancel' },
        toolsChanged: () => (attempt.readyAt === 0 ? (isStale = true) : this.tools.listChanged()),
        lost: (error) => attempt.fail(error),
        note: (text) => this.note(text),
      },
      inputs: ({ missing }) => (this.missing = missing.map(({ id }) => id)),
      account: (target) => this.account.of(target),
      ready: (connection, tools) => {
        this.version = redact(connection.version, this.need.secrets());
        this.forgive();
        this.tools.take(tools);
        this.tell({ kind: 'connected' });
        if (isStale) this.tools.listChanged();
      },
      broke: (error) => this.broke(attempt, error),
    });
    this.attempt = attempt;
    attempt.open();
  }

  private broke(attempt: Attempt, error: unknown): void {
    if (error instanceof CordPulled) {
      this.tell({ kind: 'held' });
      return;
    }
    this.blame(sentence(error));
    this.note(sentence(error));
    const { readyAt } = attempt;
    const stable = readyAt > 0 && this.need.clock.now() - readyAt >= SERVER_STABLE_MS;
    // A start that failed for its configuration, or for want of a sign-in, would fail again.
    const lacks = lackOf(error);
    const retry = !(error instanceof Unusable || error instanceof Rejected);
    this.tell({ kind: 'broke', retry, stable, ...(lacks === undefined ? {} : { lacks }) });
  }

  private close(): void {
    const { attempt } = this;
    if (attempt === undefined) return;
    attempt.end(!this.need.cord.pulled).then(
      (survivors) => {
        this.attempt = undefined;
        if (survivors.length > 0)
          this.blame(say('These processes of it survive: {pids}.', { pids: survivors.join(', ') }));
        this.tell({ kind: survivors.length > 0 ? 'stuck' : 'gone' });
      },
      (error: unknown) => {
        this.blame(sentence(error));
        this.tell({ kind: 'stuck' });
      },
    );
  }

  private askForTools(): Promise<readonly unknown[] | undefined> | undefined {
    const { attempt } = this;
    return attempt?.connection
      ?.listTools(this.need.cord.launch(), TOOL_PAGES)
      .then((tools) => (this.attempt === attempt ? tools : undefined));
  }

  private note(text: string): void {
    const clean = redact(text.trimEnd(), this.need.secrets());
    const line = `${new Date(this.need.clock.now()).toISOString()} ${clean}\n`;
    this.log = `${this.log}${line}`.slice(-SERVER_LOG_BYTES);
  }

  private told(): void {
    this.changedAt = this.need.clock.now();
    this.need.changed(this.config.id, this.life.kind === 'removed' ? undefined : this.view());
    for (const watcher of [...this.watchers]) watcher();
  }

  /** What it says of itself goes into events: without the secrets that it may have been given (X8). */
  private blame(error: string): void {
    this.error = redact(error, this.need.secrets());
  }

  private forgive(): void {
    this.error = undefined;
  }

  private isAllowed(): boolean {
    return needsNoConsent(this.config) || this.remembered.record.consent?.hash === this.config.hash;
  }

  private mayStart(): boolean {
    return this.life.kind === 'idle' || this.life.kind === 'backing_off' || this.isOnItsWay;
  }

  /** A configuration that no start can help is told as such before anyone needs it. */
  private checkConfig(): void {
    if (this.config.launch.kind !== 'unusable' || this.life.kind !== 'idle') return;
    this.error = this.config.launch.problem;
    this.life = { kind: 'failed', restarts: 0 };
  }
}

function lackOf(error: unknown): Lack | undefined {
  if (error instanceof SignInNeeded) return 'needs_sign_in';
  return error instanceof InputMissing ? 'needs_input' : undefined;
}

const rootOf = (path: string) => ({
  uri: pathToFileURL(path).href,
  name: path.split(/[\\/]/).at(-1) ?? path,
});

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
