/**
 * A command that the person has changed before allowing it. It is read and judged anew, as if the agent had asked for
 * it; from its verdict on it is the call's command, and what the agent asked for is kept beside it.
 */
import { say, type ApprovalId } from '../../../protocol';
import { judge, offersFor } from '../approvals/judge';
import { RequestError } from '../errors';
import type { Prepared } from '../ports';
import type { ApprovalRecord } from '../records';
import { editOf } from '../views';
import { workplace } from './calls';
import { circumstances } from './circumstances';
import type { Core, Job } from './core';

/** The call with the changed command; undefined where there is no such request, or nothing has changed. */
export async function prepareEdit(
  core: Core,
  id: ApprovalId,
  command: string,
): Promise<Prepared | undefined> {
  const found = core.ledger.read((tx) => {
    const approval = tx.approval(id);
    const turn = approval === undefined ? undefined : tx.turn(approval.turn);
    return approval === undefined || turn === undefined ? undefined : { approval, turn };
  });
  // What became of a request that waits no more, its verdict is told.
  if (found?.approval.state !== 'open') return undefined;
  const { prepared, call } = found.approval;
  if (prepared.editable !== true || prepared.subject.kind !== 'command' || !isArguments(prepared.args))
    throw new RequestError('invalid_params', say('Only the command of a call can be changed.'));
  if (command === prepared.subject.command) return undefined;
  const args = JSON.stringify({ ...prepared.args, command });
  const edited = await core.tools.prepare(prepared.tool, args, workplace(core, found.turn, call));
  if ('error' in edited)
    throw new RequestError(
      'invalid_params',
      say('The changed command cannot run: {why}', { why: edited.detail }),
    );
  return { ...edited, editedFrom: prepared.editedFrom ?? prepared.subject.command };
}

/** A request as it is decided; `rule` decides over a changed command. */
interface Decided extends ApprovalRecord {
  readonly rule?: string | undefined;
}

/** The request as it is with the changed command; refused where a rule of now denies that. Writes nothing. */
export function withEdit(
  core: Core,
  job: Job,
  approval: ApprovalRecord,
  prepared: Prepared | undefined,
): Decided {
  const turn = job.tx.turn(approval.turn);
  if (prepared === undefined || turn === undefined) return approval;
  const now = circumstances(core, job, turn);
  const judged = judge(prepared, now);
  if (judged.decision === 'deny')
    throw new RequestError(
      'invalid_params',
      say('The changed command is not allowed: {why}', { why: judged.why }),
      { approval: approval.id },
    );
  return { ...approval, prepared, why: judged.why, rule: judged.rule, offers: offersFor(prepared, now) };
}

/** Writes the changed command down in all places that name the call. */
export function keepEdit(job: Job, decided: Decided): void {
  const { id, turn, call, handle, prepared, why, rule, offers } = decided;
  const { title } = prepared;
  job.tx.changeCall(turn, call, { prepared, title });
  job.tx.changeApproval(id, { why, offers });
  if (handle !== undefined && job.tx.handle(handle)?.call === call) job.tx.changeHandle(handle, { title });
  job.tx.audit(turn, call, { title, why, rule, edited: editOf(prepared) });
}

/** Arguments are an object, to which the changed command is written. */
const isArguments = (args: unknown): args is Readonly<Record<string, unknown>> =>
  typeof args === 'object' && args !== null && !Array.isArray(args);
