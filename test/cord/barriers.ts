/** The test's side of an instrumented host: which place to hold, and what has been passed. Owns one end of a port. */
import { MessageChannel, type MessagePort, type WorkerOptions } from 'node:worker_threads';
import { join } from 'node:path';

/** The n-th time that a place is passed. */
export interface Passing {
  readonly id: string;
  readonly n: number;
}

export interface Report {
  /** In order, each with the number of effects that had begun before it; `over` when it is awaited no longer. */
  readonly passed: readonly (Passing & { readonly before: number; readonly over: boolean })[];
  /** The effects that have begun, in order. */
  readonly effects: readonly string[];
  /** Places that began since `arm` and are awaited still. */
  readonly open: readonly string[];
}

type Told = { readonly kind: 'armed' | 'held' | 'settled' } | ({ readonly kind: 'report' } & Report);

export class Barriers {
  /** For the worker of the instrumented bundle. */
  readonly worker: WorkerOptions;
  private readonly port: MessagePort;
  private waiting: { readonly kind: Told['kind']; readonly take: (told: Told) => void }[] = [];

  constructor(workerData: Record<string, unknown> = {}) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.worker = {
      workerData: { assets: join(__dirname, '../../dist'), ...workerData, cord: port2 },
      transferList: [port2],
    };
    port1.on('message', (told: Told) => {
      const taken = this.waiting.find((one) => one.kind === told.kind);
      this.waiting = this.waiting.filter((one) => one !== taken);
      taken?.take(told);
    });
  }

  /** Counts anew, and holds this passing from now on. `held` resolves when it is. */
  async arm(place?: Passing): Promise<{ readonly held: Promise<void> }> {
    this.waiting = [];
    const held = this.hear('held').then(() => undefined);
    const armed = this.hear('armed');
    this.port.postMessage({ kind: 'arm', place });
    await armed;
    return { held };
  }

  release(): void {
    this.port.postMessage({ kind: 'release' });
  }

  /** Resolves when nothing that began since `arm` is awaited any more, but at the places of what lives on. */
  async settled(living: readonly string[]): Promise<void> {
    const settled = this.hear('settled');
    this.port.postMessage({ kind: 'settle', living });
    await settled;
  }

  async report(): Promise<Report> {
    const report = this.hear('report');
    this.port.postMessage({ kind: 'report' });
    const told = await report;
    return told.kind === 'report' ? told : { passed: [], effects: [], open: [] };
  }

  close(): void {
    this.port.close();
  }

  private hear(kind: Told['kind']): Promise<Told> {
    return new Promise((take) => this.waiting.push({ kind, take }));
  }
}
