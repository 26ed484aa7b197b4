/**
 * What outside agents say of their models. Owns the programs that are started for a moment to be asked, which end with
 * a pull and with the host, and what was said, in memory: it is of the programs as they are now.
 */
import {
  HARNESS_MODELS_MS,
  LISTED_MODELS_MOST,
  MODEL_LIST_KEPT_MS,
  say,
  type Ended,
  type HarnessModel,
} from '../../../protocol';
import type { Timer } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import type { HarnessModels, LadderStep } from '../../engine/harnessPort';
import type { AgentRequest, Surroundings } from './outside';
import { Seat } from './seat';

/** A short talk with an agent's program. */
export interface Talk {
  send(message: object): void;
  /** The first message from now on that `read` makes something of. */
  next<T>(read: (message: unknown) => T | undefined): Promise<T>;
}

/** How an agent is asked. */
export interface ModelLister {
  /** Undefined when its program is not here. */
  request(folder: string, around: Surroundings): AgentRequest | undefined;
  list(talk: Talk): Promise<readonly HarnessModel[]>;
}

interface Known {
  readonly items: readonly HarnessModel[];
  readonly at: number;
}

const STEPS: readonly LadderStep[] = [
  { kind: 'end_of_input' },
  { kind: 'signal', signal: 'SIGTERM' },
  { kind: 'signal', signal: 'SIGKILL' },
];

export class ModelLists {
  readonly replaced = new Map<string, string>();
  private readonly known = new Map<string, Known>();
  private readonly live = new Set<Asked>();
  private readonly looks = new Map<string, Promise<HarnessModels>>();

  constructor(private readonly around: () => Surroundings) {}

  keep(harness: string, models: readonly HarnessModel[]): void {
    const items = models.slice(0, LISTED_MODELS_MOST);
    this.known.set(harness, { items, at: this.around().clock.now() });
  }

  /** Two looks at once are one. Without a launch only what is known is told. */
  of(
    harness: string,
    lister: ModelLister | undefined,
    folder: string,
    launch: Launch | undefined,
  ): Promise<HarnessModels> {
    const known = this.known.get(harness);
    const isFresh = known !== undefined && this.around().clock.now() - known.at < MODEL_LIST_KEPT_MS;
    if (isFresh || lister === undefined || launch === undefined)
      return Promise.resolve({ items: known?.items ?? [] });
    const look =
      this.looks.get(harness) ??
      this.ask(harness, lister, folder, launch).finally(() => this.looks.delete(harness));
    this.looks.set(harness, look);
    return look;
  }

  /** Every program that has been started and not been seen gone, by its agent. */
  underWay(): readonly Ended[] {
    return [...this.live].map(({ harness }) => ({
      kind: 'agent',
      id: harness,
      title: say('Models of {agent}', { agent: harness }),
    }));
  }

  /** Settles when those that are ended now are gone. */
  async gone(): Promise<void> {
    await Promise.all([...this.live].map((asked) => asked.gone));
  }

  /** Ends what is being asked, for a pause; settles when it is gone. */
  pause(): Promise<void> {
    return this.endAll(new CordPulled());
  }

  /** Ends what is being asked; settles when it is gone. */
  stop(): Promise<void> {
    return this.endAll(new Error(say('It was ended before it answered.')));
  }

  private async endAll(why: Error): Promise<void> {
    await Promise.all([...this.live].map((asked) => asked.end(why)));
  }

  private async ask(
    harness: string,
    lister: ModelLister,
    folder: string,
    launch: Launch,
  ): Promise<HarnessModels> {
    const around = this.around();
    const request = lister.request(folder, around);
    const items = this.known.get(harness)?.items ?? [];
    if (request === undefined) return { items };
    const asked = new Asked(harness, around, launch);
    this.live.add(asked);
    try {
      asked.start(request);
      const models = await lister.list(asked);
      this.keep(harness, models);
      return { items: models.slice(0, LISTED_MODELS_MOST) };
    } catch (error) {
      if (error instanceof CordPulled)
        return { items, note: say('Paused: it was not asked for its models.') };
      const reason = error instanceof Error ? error.message : String(error);
      return { items, note: say('It could not be asked for its models: {reason}', { reason }) };
    } finally {
      void asked.end().finally(() => this.live.delete(asked));
    }
  }
}

class Asked implements Talk {
  private readonly seat: Seat;
  private readonly waiting = new Set<(message: unknown) => boolean>();
  private readonly over: Promise<never>;
  private readonly late: Timer;
  private ending: Promise<void> | undefined;
  private fail: (error: Error) => void = () => undefined;

  constructor(
    readonly harness: string,
    around: Surroundings,
    private readonly launch: Launch,
  ) {
    this.over = new Promise((_settle, fail) => (this.fail = fail));
    this.over.catch(() => undefined);
    this.late = around.clock.after(HARNESS_MODELS_MS, () => this.fail(new Error(say('It did not answer.'))));
    this.seat = new Seat(around, {
      onMessage: (message) => {
        for (const take of this.waiting) if (take(message)) this.waiting.delete(take);
        return undefined;
      },
      onNote: () => undefined,
      onEnd: (_end, errorText) => {
        this.late.clear();
        const last = errorText.split('\n').at(-1) ?? '';
        this.fail(new Error(last === '' ? say('Its process has gone.') : last));
      },
    });
  }

  start(request: AgentRequest): void {
    this.seat.start(request, this.launch);
  }

  send(message: object): void {
    if (!this.seat.send(message, this.launch)) throw new Error(say('Its process has gone.'));
  }

  next<T>(read: (message: unknown) => T | undefined): Promise<T> {
    const found = new Promise<T>((settle, fail) => {
      this.waiting.add((message) => {
        try {
          const value = read(message);
          if (value === undefined) return false;
          settle(value);
        } catch (error) {
          fail(error instanceof Error ? error : new Error(String(error)));
        }
        return true;
      });
    });
    const first = Promise.race([found, this.over]);
    // Whoever asked may have failed meanwhile, and waits for it no more.
    first.catch(() => undefined);
    return first;
  }

  /** `why` is told to whoever still waits for an answer. Called again it joins the end that is under way. */
  end(why: Error = new Error(say('It was ended before it answered.'))): Promise<void> {
    this.late.clear();
    this.fail(why);
    this.ending ??= this.seat.climb(STEPS, () => undefined, this.seat.exited).then(() => undefined);
    return this.ending;
  }

  /** Settles when it is gone, whoever ends it. */
  get gone(): Promise<void> {
    return this.ending ?? this.seat.exited;
  }
}
