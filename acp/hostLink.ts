/** A host of one's own, in a worker beside this bundle, spoken to in plain JSON-RPC objects. It owns the worker. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { z } from 'zod';
import { PROTOCOL_VERSION, WINDOW_KEY } from '../protocol/host';
import type { BelayEvent } from '../protocol/events';
import { Methods, type Method, type ParamsOf, type ResultOf } from '../protocol/methods';
import { windowKey } from './windowKey';

export class HostRefusal extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

export interface HostStart {
  readonly storeDir: string;
  readonly settings: unknown;
  /** Path of the host's bundle; by default the one beside this file. */
  readonly bundle?: string;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class HostLink {
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners: ((event: BelayEvent) => void)[] = [];
  private ids = 0;
  private failure: Error | undefined;
  private tellEnd: (error: Error) => void = () => undefined;
  /** Settles with the reason once the host has ended, in whatever way; every request then fails with it. */
  readonly ended = new Promise<Error>((tell) => (this.tellEnd = tell));

  private constructor(
    private readonly worker: Worker,
    private readonly storeDir: string,
    private readonly say: (line: string) => void,
  ) {
    this.worker.on('message', (frame: unknown) => this.take(frame));
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () => this.fail(new Error('The host has ended.')));
  }

  static async start(
    { storeDir, settings, bundle = join(__dirname, 'host.js') }: HostStart,
    say: (line: string) => void,
  ): Promise<HostLink> {
    const link = new HostLink(new Worker(bundle), storeDir, say);
    await link.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      client: { name: 'acp', version: '1' },
      storeDir,
      folders: [],
      settings,
      // Whoever starts it in their editor has chosen the folder.
      trusted: true,
    });
    await link.request('events/subscribe', {});
    return link;
  }

  onEvent(listener: (event: BelayEvent) => void): void {
    this.listeners.push(listener);
  }

  request<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) {
        reject(this.failure);
        return;
      }
      const id = ++this.ids;
      const settle = (result: unknown) => {
        const parsed = results[method].result.safeParse(result);
        if (parsed.success) resolve(parsed.data);
        else reject(new Error(`The host's answer to ${method} could not be read.`));
      };
      this.waiting.set(id, { resolve: settle, reject });
      this.worker.postMessage({ jsonrpc: '2.0', id, method, params });
    });
  }

  async stop(): Promise<void> {
    await this.request('shutdown', {}).catch(() => undefined);
    await this.worker.terminate();
  }

  private take(frame: unknown): void {
    if (!isRecord(frame)) return;
    const { id, method, params } = frame;
    if (method === 'event') {
      if (isEvent(params)) for (const listener of this.listeners) listener(params);
    } else if (method === 'log') {
      if (isRecord(params)) this.say(`${String(params['level'])}: ${String(params['text'])}`);
    } else if (typeof method === 'string') {
      this.worker.postMessage({ jsonrpc: '2.0', id, result: this.answerTo(method, params) });
    } else if (typeof id === 'number') this.settle(id, frame);
  }

  /** Of secrets this client has the key of its windows alone (the others come from the environment), and no models. */
  private answerTo(method: string, params: unknown): object {
    if (method !== 'secret/get' || !isRecord(params) || params['name'] !== WINDOW_KEY) return {};
    try {
      return { value: windowKey(this.storeDir) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.say(`warn: Another process of this store cannot be joined: ${why}`);
      return {};
    }
  }

  private settle(id: number, frame: Readonly<Record<string, unknown>>): void {
    const call = this.waiting.get(id);
    this.waiting.delete(id);
    const { error } = frame;
    if (!isRecord(error)) {
      call?.resolve(frame['result']);
      return;
    }
    const code = isRecord(error['data']) ? String(error['data']['code']) : 'host_failed';
    call?.reject(new HostRefusal(String(error['message']), code));
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.tellEnd(this.failure);
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An event of this build's own host, whose schemas are the same. */
const isEvent = (value: unknown): value is BelayEvent => isRecord(value) && typeof value['seq'] === 'number';

/** The methods by name, so that a method and its result stay one type. */
const results: { readonly [M in Method]: { readonly result: z.ZodType<ResultOf<M>> } } = Methods;
