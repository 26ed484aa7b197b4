/**
 * What a folder's own file tells the model: looked at when a turn first asks its model, and the same for the whole
 * turn, whatever becomes of the file, so that what a provider has cached of the turn stays good.
 *
 * The row holds what is told. It changes only when the file has, in a commit that stands before the request (R1); a
 * turn that goes on after a crash is told what its row says.
 */
import { say, type TurnId } from '../../../protocol';
import type { Launch } from '../../base/launch';
import type { Conversation } from '../context';
import type { ProjectInstructions } from '../projectPort';
import type { ProjectRecord, TurnRecord } from '../records';
import { hasEnded } from '../turns/turn';
import { gateOf, where } from './calls';
import { askOn } from './compact';
import type { Core, Job, LiveRequest } from './core';
import { record } from './facts';
import { ofTurn } from './unwritten';

interface Asked {
  readonly turn: TurnRecord;
  readonly conversation: Conversation;
  readonly project: ProjectRecord | undefined;
}

/**
 * Looks at the file if this turn has not done so; `goOn` asks the model once that is over and nothing has changed.
 * False when there is nothing to wait for.
 */
export function lookAtProject(
  core: Core,
  asked: Asked,
  launch: Launch,
  failed: (error: unknown, live: LiveRequest) => void,
  goOn: () => void,
): boolean {
  const { turn, conversation, project } = asked;
  if (turn.rounds > 0 || conversation.looked === turn.id || project?.turn === turn.id) return false;
  if (!core.trusted()) return false;
  conversation.looked = turn.id;
  const place = {
    folder: turn.folder,
    roots: core.roots(),
    hidden: core.hidden,
    gate: gateOf(core, turn),
  };
  const reading = core.project.instructions(place, launch);
  if (reading === undefined && project === undefined) return false;
  const live: LiveRequest = {
    abort: new AbortController(),
    done: Promise.resolve(),
    text: '',
    reasoning: '',
  };
  core.requests.set(turn.id, live);
  const over = () => {
    core.requests.delete(turn.id);
    live.abort.signal.throwIfAborted();
  };
  live.done = Promise.resolve(reading)
    .finally(over)
    .then(
      (found) => {
        if (isSame(found, project)) goOn();
        else record(core, ofTurn(turn.id), (job) => keep(core, job, turn.id, found));
      },
      (error: unknown) => failed(error, live),
    );
  return true;
}

const isSame = (found: ProjectInstructions | undefined, kept: ProjectRecord | undefined): boolean =>
  found?.path === kept?.path &&
  found?.text === kept?.text &&
  found?.of === kept?.of &&
  found?.why === kept?.why;

/** The person reads of it as the model does: what is told now, or that a file is told no longer. */
function keep(core: Core, job: Job, id: TurnId, found: ProjectInstructions | undefined): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status)) return;
  const before = job.tx.projectInstructions(turn.session);
  job.tx.setProjectInstructions(turn.session, found === undefined ? undefined : { ...found, turn: id });
  const told = found ?? (before === undefined ? undefined : { path: before.path, text: '', why: GONE });
  if (told !== undefined)
    job.tx.emit(
      'project_read',
      {
        path: told.path,
        bytes: Buffer.byteLength(told.text),
        ...(told.of === undefined ? {} : { of: told.of }),
        ...(told.why === undefined ? {} : { why: told.why }),
      },
      where(turn),
    );
  askOn(core, job, id);
}

const GONE = say('it is not there any more, is empty, or is turned off in the settings.');
