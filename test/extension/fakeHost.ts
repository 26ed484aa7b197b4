/** A host in this thread: plain JSON-RPC objects over a message port, as a worker would speak. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { PortMessageReader, PortMessageWriter } from 'vscode-jsonrpc/node';
import type { HostPort } from '../../extension/hostClient';
import type { Snapshot } from '../../protocol';
import { snapshot } from './samples';

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export type Answer = (params: unknown) => unknown;

/** An error that the host answers with. */
export class Refusal {
  constructor(
    readonly code: string,
    readonly message: string,
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {}
}

/** A request that stays without an answer. */
export const NEVER = Symbol('never');

export class FakeHost {
  readonly port: HostPort;
  /** Every request and notification that came, in order. */
  readonly heard: Frame[] = [];
  snapshot: Snapshot = snapshot();
  terminated = false;
  private readonly own: MessagePort;
  private readonly answers = new Map<string, Answer>();
  private readonly waiting: { fits: (frame: Frame) => boolean; resolve: (frame: Frame) => void }[] = [];
  private end: (why: string) => void = () => undefined;
  private nextId = 0;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.own = port1;
    this.answers.set('initialize', () => ({
      protocolVersion: 1,
      hostVersion: '0',
      seq: 0,
      paused: false,
      readOnly: false,
      warnings: [],
    }));
    this.answers.set('events/subscribe', () => ({ seq: this.snapshot.seq, snapshot: this.snapshot }));
    this.answers.set('shutdown', () => ({}));
    port1.on('message', (frame: Frame) => this.hear(frame));
    this.port = {
      reader: new PortMessageReader(port2),
      writer: new PortMessageWriter(port2),
      gone: new Promise((resolve) => {
        this.end = resolve;
      }),
      terminate: () => {
        this.terminated = true;
        this.crash('terminated');
        return Promise.resolve();
      },
    };
  }

  answer(method: string, answer: Answer): this {
    this.answers.set(method, answer);
    return this;
  }

  event(seq: number, type: string, data: unknown, where: { session?: string; turn?: string } = {}): void {
    this.own.postMessage({ jsonrpc: '2.0', method: 'event', params: { seq, at: 0, type, data, ...where } });
  }

  /** Asks the client; resolves with its whole reply. */
  ask(method: string, params: unknown): Promise<Frame> {
    const id = this.nextId++;
    this.own.postMessage({ jsonrpc: '2.0', id, method, params });
    return this.next((frame) => frame.method === undefined && frame.id === id);
  }

  /** The first frame that fits, from now on or among those that came. */
  next(fits: (frame: Frame) => boolean): Promise<Frame> {
    const come = this.heard.find(fits);
    if (come !== undefined) return Promise.resolve(come);
    return new Promise((resolve) => this.waiting.push({ fits, resolve }));
  }

  crash(why: string): void {
    this.own.close();
    this.end(why);
  }

  private hear(frame: Frame): void {
    this.heard.push(frame);
    for (const one of this.waiting.filter(({ fits }) => fits(frame))) one.resolve(frame);
    if (frame.id === undefined || frame.method === undefined) return;
    const answer = this.answers.get(frame.method);
    const outcome =
      answer === undefined ? new Refusal('invalid_params', `no ${frame.method}`) : answer(frame.params);
    if (outcome === NEVER) return;
    const reply =
      outcome instanceof Refusal
        ? { error: { code: -32000, message: outcome.message, data: { code: outcome.code, ...outcome.more } } }
        : { result: outcome };
    this.own.postMessage({ jsonrpc: '2.0', id: frame.id, ...reply });
  }
}
