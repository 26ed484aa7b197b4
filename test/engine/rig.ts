/**
 * The whole engine on a real store, with a clock, a model and tools that a test holds in its hands. It owns a
 * folder and the store in it. Every start of an effect is written down, so that a test can say what must not
 * have begun.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  reduceSnapshot,
  type Agent,
  type BelayEvent,
  type ContextItem,
  type Image,
  type PlannedCall,
  type SessionId,
  type Snapshot,
} from '../../protocol';
import { handlesListed } from '../../host/api/hosts';
import { needsPage } from '../../host/api/requests';
import { createFiles } from '../../host/adapters/changes/files';
import { openEngine, type Engine } from '../../host/engine/engine';
import type { EngineSettings } from '../../host/engine/driver/core';
import type {
  CallResult,
  ModelAnswer,
  ModelPort,
  Run,
  Steps,
  StopReason,
  ToolPort,
} from '../../host/engine/ports';
import { ModelFailure } from '../../host/engine/ports';
import type { ProjectPort } from '../../host/engine/projectPort';
import { RigAgent } from './rigAgent';
import { RigClients } from './rigClients';
import { prepared, readCommand } from './rigTools';
import { messageView, sessionView } from '../../host/engine/views';
import { Blobs } from '../../host/store/blobs';
import type { OpenedStore, Query, Store } from '../../host/store/contract';
import { createLedger, type StoreLedger } from '../../host/store/ledger';
import { migrations } from '../../host/store/migrations';
import { openStore } from '../../host/store/store';
import type { FileOps } from '../../host/store/files';
import { HandClock, quiet, wasm } from '../store/support';

export interface PendingAnswer {
  readonly items: readonly ContextItem[];
  give(answer: { text?: string; calls?: readonly PlannedCall[] }): void;
  fail(failure?: ModelFailure): void;
  readonly signal: AbortSignal;
}

export interface PendingRun {
  readonly call: string;
  readonly turn: string;
  /** Where it runs. */
  readonly folder: string;
  finish(output?: Record<string, unknown>, images?: readonly Image[]): void;
  stopped: StopReason | undefined;
  /** What it may call itself. */
  readonly steps: Steps;
}

const MODEL: Agent = { kind: 'model', model: 'm/m' };
const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };

export const plannedCall = (callId: string, tool: string, args: object = {}): PlannedCall => ({
  callId,
  tool,
  args: JSON.stringify(args),
});

export class Rig {
  readonly clock = new HandClock();
  readonly dir: string;
  settings: EngineSettings = {
    defaultModel: 'm/m',
    mode: 'ask',
    holdMs: 2_000,
    lapseMs: undefined,
    wakeIdleSession: true,
    roundsPerTurn: 200,
    tokensPerTurn: undefined,
    costUsdPerTurn: undefined,
    modelAttempts: 3,
    backoffMs: 250,
    steerGraceMs: 250,
    protectedReads: false,
    clientGraceMs: 30_000,
  };
  trusted = true;
  /** What the folder's own file says; undefined: nobody looks for one. */
  project: ReturnType<ProjectPort['instructions']> = undefined;
  events: BelayEvent[] = [];
  /** Every effect that has begun, in order: `model t1`, `run t1/c1`. */
  readonly begun: string[] = [];
  readonly answers: PendingAnswer[] = [];
  readonly runs: PendingRun[] = [];
  readonly violations: string[] = [];
  /** The clients that serve tools; they outlive a crash of the host as little as real ones. */
  clients = new RigClients(this.clock, this.begun);
  /** The outside agent of sessions that have one. */
  agent = new RigAgent();
  opened!: OpenedStore;
  ledger!: StoreLedger;
  engine!: Engine;
  snapshot!: Snapshot;
  /** Statements that jobs have run, reads of the lists excluded. */
  statements = 0;
  private generation = 0;

  private readonly files: FileOps | undefined;

  constructor(files?: (clock: HandClock) => FileOps) {
    this.files = files?.(this.clock);
    this.dir = mkdtempSync(join(tmpdir(), 'belay-engine-'));
  }

  async open(): Promise<this> {
    const generation = ++this.generation;
    this.answers.length = 0;
    this.runs.length = 0;
    this.clients = new RigClients(this.clock, this.begun);
    this.agent = new RigAgent();
    this.opened = await openStore({
      dir: join(this.dir, 'store'),
      migrations,
      wasm,
      clock: this.clock,
      log: quiet,
      ...(this.files === undefined ? {} : { files: this.files }),
    });
    this.ledger = createLedger(
      this.counted(this.opened.store),
      new Blobs(join(this.dir, 'store')),
      this.clock,
      (events) => {
        if (generation !== this.generation) return;
        for (const event of events) {
          this.events.push(event);
          if (this.snapshot !== undefined) this.snapshot = reduceSnapshot(this.snapshot, event);
        }
      },
    );
    const current = () => generation === this.generation;
    this.engine = openEngine({
      ledger: this.ledger,
      tools: this.tools(current),
      commands: { read: (command) => Promise.resolve(readCommand(command)) },
      models: this.models(current),
      clientTools: this.clients,
      files: createFiles({ has: () => false, paths: () => [] }),
      project: { instructions: () => this.project },
      harnesses: this.agent,
      clock: this.clock,
      log: quiet,
      settings: () => this.settings,
      trusted: () => this.trusted,
      roots: () => [this.dir],
      hidden: [],
      userRules: {
        all: () => [],
        add: () => Promise.reject(new Error('no place for rules')),
        remove: () => Promise.reject(new Error('no place for rules')),
      },
      show: () => undefined,
      platform: 'linux',
      random: () => 0.5,
    });
    await this.engine.begin(undefined);
    this.snapshot = this.readSnapshot();
    // What was committed and not told before a crash is read by whoever subscribes afterwards.
    this.events = [...this.ledger.look((tables) => tables.eventPage(0, undefined, 100_000))];
    return this;
  }

  /** The store, with the statements of its jobs counted. */
  private counted(store: Store): Store {
    const count = (q: Query): Query => ({
      all: (sql, ...params) => (this.statements++, q.all(sql, ...params)),
      get: (sql, ...params) => (this.statements++, q.get(sql, ...params)),
      run: (sql, ...params) => (this.statements++, q.run(sql, ...params)),
    });
    return {
      readOnly: false,
      commit: (job) => store.commit((q) => job(count(q))),
      read: (query) => store.read(query),
      settled: () => store.settled(),
      explain: (sql) => store.explain(sql),
      stats: () => store.stats(),
      onTrouble: (listener) => store.onTrouble(listener),
      check: () => store.check(),
      dispose: () => store.dispose(),
    };
  }

  /** The lists as the store has them. */
  readSnapshot(): Snapshot {
    return this.ledger.look((tables) => ({
      seq: tables.lastSeq(),
      host: {
        paused: tables.cord().pulled,
        epoch: tables.cord().epoch,
        ended: [...tables.cord().ended],
        quiet: true,
        readOnly: false,
        trusted: this.trusted,
      },
      sessions: [...tables.sessions(undefined, undefined, 100)]
        .reverse()
        .map((row) => sessionView(row, tables.lastTurn(row.id))),
      needs: needsPage(tables, 0, 1000).map(({ need }) => need),
      handles: handlesListed(tables),
      unread: tables.allUnread().map(messageView),
      servers: [],
    }));
  }

  /** Lets go of what has been seen, so that only the engine's own memory is left. */
  forgetEvents(): void {
    this.events = [];
    this.begun.length = 0;
    this.snapshot = { ...this.snapshot, sessions: [], needs: [], handles: [], unread: [], servers: [] };
  }

  /** Ends the engine as a crash would: what it had under way comes to nothing. */
  async crash(): Promise<void> {
    this.generation++;
    this.engine.schedule.dispose();
    await this.opened.store.settled().catch(() => undefined);
    await this.opened.store.dispose();
    await this.open();
  }

  async close(): Promise<void> {
    this.generation++;
    this.engine.schedule.dispose();
    await this.opened.store.dispose();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async session(mode: 'ask' | 'full' = 'ask', agent: Agent = MODEL): Promise<SessionId> {
    const row = await this.engine.createSession({
      folder: this.dir,
      agent,
      title: 'test',
      mode,
      instructions: '',
    });
    return row.id;
  }

  send(session: SessionId, text: string, delivery: 'steer' | 'queue' = 'steer') {
    return this.engine.send({
      session,
      text,
      images: [],
      context: [],
      delivery,
      clientId: undefined,
      expectedTurn: undefined,
    });
  }

  /** Resolves once nothing moves any more without the clock, a model or a tool. */
  async quiet(): Promise<void> {
    let before = -1;
    for (let still = 0; still < 3;) {
      await this.opened.store.settled().catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.opened.store.stats().commits + this.begun.length + this.events.length;
      still = now === before ? still + 1 : 0;
      before = now;
    }
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.quiet();
  }

  private models(current: () => boolean): ModelPort {
    return {
      list: () => Promise.resolve({ items: [], providers: [] }),
      contextWindow: () => undefined,
      answer: async (call, launch, signal) => {
        if (!current()) return new Promise<ModelAnswer>(() => undefined);
        this.checkConversation(call.items);
        return launch(() => {
          this.begun.push(`model ${call.session}`);
          return new Promise<ModelAnswer>((resolve, reject) => {
            const entry: PendingAnswer = {
              items: [...call.items],
              signal,
              give: (answer) => {
                drop(this.answers, entry);
                resolve({
                  text: answer.text ?? '',
                  reasoning: '',
                  calls: answer.calls ?? [],
                  usage,
                  stop: 'end',
                });
              },
              fail: (failure) => {
                drop(this.answers, entry);
                reject(failure ?? new ModelFailure('model_unreachable', 'gone', true));
              },
            };
            this.answers.push(entry);
            signal.addEventListener('abort', () => {
              drop(this.answers, entry);
              reject(new Error(String(signal.reason)));
            });
          });
        });
      },
    };
  }

  /** Every call of a transcript has its result behind it, in order, before anything else is said. */
  private checkConversation(items: readonly ContextItem[]): void {
    let open: string[] = [];
    for (const item of items) {
      if (item.kind === 'result') {
        if (open.shift() !== item.callId) this.violations.push(`result ${item.callId} out of place`);
      } else {
        if (open.length > 0) this.violations.push(`no result for ${open.join(' ')}`);
        open = item.kind === 'assistant' ? item.calls.map((call) => call.callId) : [];
      }
    }
    if (open.length > 0) this.violations.push(`no result for ${open.join(' ')}`);
  }

  private tools(current: () => boolean): ToolPort {
    return {
      specs: () => [],
      originOf: () => 'own',
      prepare: (tool, args) => Promise.resolve(prepared(tool, JSON.parse(args) as object, this.dir)),
      sides: () => Promise.resolve(undefined),
      run: (_call, place, launch, _onOutput, steps): Run => {
        const name = `${place.turn}/${place.call}`;
        let end: (result: CallResult) => void = () => undefined;
        const done = new Promise<CallResult>((resolve) => (end = resolve));
        const run: PendingRun = {
          call: place.call,
          turn: place.turn,
          folder: place.folder,
          stopped: undefined,
          steps,
          finish: (output, images) => {
            drop(this.runs, run);
            end({
              output: output ?? { stdout: 'out', exit_code: 0, success: true },
              failed: false,
              ...(images === undefined ? {} : { images }),
              end: { end: 'exited', exitCode: 0 },
            });
          },
        };
        if (current())
          launch(() => {
            this.begun.push(`run ${name}`);
            this.runs.push(run);
          });
        return {
          done,
          detach: () => undefined,
          read: () => ({ text: '', offset: 0, total: 0 }),
          stop: (reason) => {
            run.stopped = reason;
            drop(this.runs, run);
            end({
              output: {
                error:
                  reason === 'host_paused' ? 'host_paused' : reason === 'stopped' ? 'stopped' : 'cancelled',
                detail: 'ended',
              },
              failed: true,
              end: { end: reason === 'host_paused' ? 'host_paused' : 'stopped' },
            });
            return Promise.resolve({ stopped: true, survivors: [], signal: 'SIGTERM' });
          },
        };
      },
    };
  }
}

/** This rig drives models alone. */
function drop<T>(list: T[], item: T): void {
  const place = list.indexOf(item);
  if (place >= 0) list.splice(place, 1);
}
