/**
 * Files that tools have changed: recorded with the result of the call that changed them, and put back when the
 * person asks for it (R7: through the cord, and only where nobody has changed them since).
 */
import {
  type ChangeKind,
  type Reverted,
  type RevertRefusal,
  type SessionId,
  type TurnId,
  say,
} from '../../../protocol';
import { filesOf, type ChangedFile } from '../changes';
import { refuse, RequestError } from '../errors';
import type { CallResult, ToolChange } from '../ports';
import type { CallRecord, TurnRecord } from '../records';
import { request, type Core, type Job } from './core';
import { parentOf, where } from './calls';

/** Records what a call has changed; the result without it, for everybody else. */
export function keepChanges(job: Job, turn: TurnRecord, call: CallRecord, given: CallResult): CallResult {
  const { changes = [], ...result } = given;
  for (const change of changes) {
    job.tx.insertChange({ session: turn.session, turn: turn.id, call: call.call, ...change });
    job.tx.emit(
      'file_changed',
      {
        call_id: call.call,
        ...parentOf(call),
        path: change.path,
        kind: kindOf(change),
      },
      where(turn),
    );
  }
  return result;
}

const kindOf = ({ before, isUnknown, after, unkept }: ToolChange): ChangeKind => {
  if (after === undefined && unkept === undefined) return 'deleted';
  return before === undefined && isUnknown !== true ? 'created' : 'modified';
};

export interface RevertAsked {
  readonly session: SessionId;
  readonly turn: TurnId | undefined;
  /** All turns from this one on; not looked at where `turn` is given. */
  readonly since: TurnId | undefined;
  /** All by default. */
  readonly paths: readonly string[] | undefined;
  readonly by: string;
}

/** Puts files back, one after the other. What cannot be put back is told with its reason, and left as it is. */
export async function revertChanges(core: Core, asked: RevertAsked): Promise<Reverted[]> {
  if (core.stopping) throw refuse('host_stopping');
  if (!core.trusted()) throw refuse('untrusted_workspace');
  if (core.cord.pulled)
    throw new RequestError('host_paused', say('Paused: resume before you revert anything.'));
  const launch = core.cord.launch();
  const files = core.ledger.read((tx) => {
    if (tx.session(asked.session) === undefined) throw refuse('session_unknown', { session: asked.session });
    return filesOf(tx.changes(asked.session), turnsOf(tx.turnIds(asked.session), asked));
  });
  const wanted = asked.paths === undefined ? undefined : new Set(asked.paths);
  const outcomes: Reverted[] = [];
  for (const file of files) {
    if (wanted !== undefined && !wanted.has(file.path)) continue;
    const refusal = await putBack(core, launch, file);
    if (refusal === undefined) await request(core, (job) => recordRevert(job, asked, file));
    outcomes.push(
      refusal === undefined
        ? { path: file.path, outcome: 'reverted' }
        : { path: file.path, outcome: 'refused', ...refusal },
    );
  }
  return outcomes;
}

function turnsOf(all: readonly TurnId[], { turn, since }: RevertAsked): readonly TurnId[] | undefined {
  if (turn !== undefined) return [turn];
  if (since === undefined) return undefined;
  const from = all.indexOf(since);
  if (from < 0) throw refuse('turn_unknown', { turn: since });
  return all.slice(from);
}

type Refusal = { readonly reason: RevertRefusal; readonly detail: string };

async function putBack(
  core: Core,
  launch: Parameters<Core['files']['putBack']>[0],
  file: ChangedFile,
): Promise<Refusal | undefined> {
  if (file.isUnknown) return { reason: 'before_unknown', detail: SENTENCES.before_unknown };
  if (file.changedLater) return { reason: 'changed_later', detail: SENTENCES.changed_later };
  if (file.editedBetween) return { reason: 'edited_since', detail: EDITED_BETWEEN };
  const now = await core.files.now(file.path);
  // A crash after the write and before its record: it is as it was already.
  if (now.kind === 'file' && now.hash === file.before) return undefined;
  if (now.kind === 'missing' && file.before === undefined) return undefined;
  if (now.kind === 'file' && file.after === undefined)
    return { reason: 'edited_since', detail: SENTENCES.edited_since };
  const { before } = file;
  const content = before === undefined ? undefined : core.ledger.read((tx) => tx.content(before));
  if (before !== undefined && content === undefined)
    return { reason: 'not_written', detail: say('Its earlier content is no longer kept.') };
  const done = await core.files.putBack(launch, { path: file.path, expected: file.after, before: content });
  return done.ok ? undefined : { reason: done.refusal, detail: done.detail ?? SENTENCES[done.refusal] };
}

const EDITED_BETWEEN = say(
  'It was edited between two changes of the agent. Revert would lose that, so it was left as it is.',
);

const SENTENCES: Readonly<Record<RevertRefusal, string>> = {
  edited_since: say('It was edited since. Revert would lose that, so it was left as it is.'),
  changed_later: say('A later turn has changed it as well. Revert that turn first, or the whole session.'),
  before_unknown: say(
    'What it was before is not known for certain: the agent told of the change only afterwards, it may have been edited meanwhile, or its content is not kept.',
  ),
  missing: say('It is no longer there.'),
  unreadable: say('It cannot be read.'),
  unsaved: say('It has unsaved changes in an editor: save or discard them, then revert again.'),
  host_paused: say('Paused before it was reverted.'),
  not_written: say('It could not be written.'),
};

function recordRevert(job: Job, { session, by }: RevertAsked, file: ChangedFile): void {
  job.tx.markReverted(file.ids);
  for (const turn of file.turns)
    job.tx.emit('changes_reverted', { paths: [file.path], by }, { session, turn });
}
