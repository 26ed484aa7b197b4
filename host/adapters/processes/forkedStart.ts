/**
 * One start by the fork server, from its preparation to the program that runs (P2, P3).
 *
 * 1. It can be called off before each step, and is checked again after it. 2. Where there can be no fork server now,
 * this process starts the program itself. 3. When nobody can tell whether it was started, whatever carries its mark
 * is ended before that is said.
 */
import { STOP_STEP_MS } from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { StopReason } from '../../engine/ports';
import type { Family } from './family';
import type { ProgramRequest, Started, Starting } from './program';
import { CalledOff, Unanswered, type Asked, type Forked, type Prepared, type Starter } from './starter';
import { LADDER } from './stop';

/** What makes a start one of this host's commands. */
export interface Marked {
  readonly env: Readonly<Record<string, string>>;
  /** From now on the program and what comes from it are watched over. Without a leader (-1) only its mark tells. */
  watch(leader: number): { readonly family: Family; release(): void };
}

export interface ForkedStartParts {
  readonly starter: Starter;
  readonly log: Log;
  /** To be called in the tick of the start. */
  mark(launch: Launch): Marked;
  startHere(): Started | Starting;
}

export function forkedStart(parts: ForkedStartParts, request: ProgramRequest, launch: Launch): Starting {
  let calledOff: StopReason | undefined;
  let asked: Asked | undefined;

  const started = async (): Promise<Started> => {
    const prepared = await preparedOf(parts, launch);
    if (calledOff !== undefined) {
      prepared?.stock.giveBack(prepared.pipes);
      throw new CalledOff();
    }
    if (prepared === undefined) {
      const here = parts.startHere();
      return 'started' in here ? here.started : here;
    }
    const marked = parts.mark(launch);
    const { file, args, folder } = request;
    asked = parts.starter.start(launch, { file, args, cwd: folder, env: marked.env }, prepared);
    return startedOf(await answerOf(asked, marked), marked);
  };

  return {
    started: started(),
    callOff: (reason) => {
      calledOff ??= reason;
      asked?.callOff(reason);
    },
  };
}

/** Undefined when there is no fork server to be had. */
async function preparedOf({ starter, log }: ForkedStartParts, launch: Launch): Promise<Prepared | undefined> {
  try {
    return await starter.prepare(launch);
  } catch (error) {
    if (error instanceof CordPulled) throw error;
    log(
      'warn',
      `A command is started by the host itself: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}

async function answerOf(asked: Asked, marked: Marked): Promise<Forked> {
  try {
    return await asked.answer;
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    throw new Unanswered(await marked.watch(-1).family.end('tree', LADDER, STOP_STEP_MS));
  }
}

function startedOf({ pid, stdout, stderr, exited }: Forked, marked: Marked): Started {
  return { stdout, stderr, exited, ...marked.watch(pid), letGo: () => undefined };
}
