/** Clients in a test's hands: who is there, what has been handed to them, and what they say. */
import type { Answer } from '../../protocol';
import { CordPulled } from '../../host/base/launch';
import type { ClientToolOutcome, ClientToolPort, ClientToolRequest } from '../../host/engine/ports';
import type { HandClock } from '../store/support';

export interface PendingDelivery {
  readonly owner: string;
  readonly request: ClientToolRequest;
  readonly signal: AbortSignal;
  answer(answer: Answer): void;
  vanish(): void;
}

export class RigClients implements ClientToolPort {
  readonly pending: PendingDelivery[] = [];
  private readonly owners = new Map<string, string>();
  private readonly gone = new Map<string, number>();
  private readonly listeners: (() => void)[] = [];
  private readonly startedAt: number;

  constructor(
    private readonly clock: HandClock,
    private readonly begun: string[],
  ) {
    this.startedAt = clock.now();
  }

  specs() {
    return ['ask', 'served', 'pick', 'gated_client', 'secret'].map((name) => ({
      name,
      description: name,
      schema: { type: 'object' },
    }));
  }

  ownerOf(tool: string): string | undefined {
    return this.owners.get(tool);
  }

  goneSince(tool: string): number {
    return this.gone.get(tool) ?? this.startedAt;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  come(tool: string, client: string): void {
    this.owners.set(tool, client);
    for (const listener of this.listeners) listener();
  }

  /** The client goes; what it had comes back. */
  go(tool: string): void {
    this.owners.delete(tool);
    this.gone.set(tool, this.clock.now());
    for (const one of [...this.pending]) if (one.request.tool === tool) one.vanish();
    for (const listener of this.listeners) listener();
  }

  async run(
    owner: string,
    request: ClientToolRequest,
    launch: <T>(effect: () => T) => T,
    signal: AbortSignal,
  ): Promise<ClientToolOutcome> {
    try {
      return await launch(() => {
        this.begun.push(`client ${request.turn}/${request.call}`);
        return new Promise<ClientToolOutcome>((resolve) => {
          const end = (outcome: ClientToolOutcome) => {
            const place = this.pending.indexOf(entry);
            if (place >= 0) this.pending.splice(place, 1);
            resolve(outcome);
          };
          const entry: PendingDelivery = {
            owner,
            request,
            signal,
            answer: (answer) => end({ kind: 'answered', answer }),
            vanish: () => end({ kind: 'gone' }),
          };
          this.pending.push(entry);
          signal.addEventListener('abort', () => end({ kind: 'gone' }));
        });
      });
    } catch (error) {
      if (error instanceof CordPulled) return { kind: 'paused' };
      throw error;
    }
  }
}
