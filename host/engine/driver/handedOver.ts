/** Calls that a client has had: what has become of them there, nobody here knows (R3). */
import { say } from '../../../protocol';
import type { Tx } from '../ledger';
import type { CallResult } from '../ports';
import type { CallRecord, QuestionRecord } from '../records';
import { failure } from './calls';
import type { Job } from './core';

type Asked = Pick<QuestionRecord, 'id' | 'turn'>;

/** How often a client has taken it. */
export const attemptsOf = (tx: Pick<Tx, 'turnEvents'>, { id, turn }: Asked): number =>
  tx.turnEvents(turn).filter(({ event }) => event.type === 'question_taken' && event.data.id === id).length;

/** A client may have done by itself what the call asks for, also one that has gone since. */
export const mayHaveRun = (
  tx: Pick<Tx, 'turnEvents'>,
  question: Asked & { readonly person: boolean },
): boolean => !question.person && attemptsOf(tx, question) > 0;

/** What a call is told to have become whose turn ends before it (R3, T5). */
export function unfinished(job: Job, call: CallRecord): CallResult {
  if (call.status === 'running')
    return failure(
      'outcome_unknown',
      say('The host ended while it ran. It may have had effects: look before you repeat it.'),
    );
  const question = call.asks === 'answer' ? job.tx.questionOf(call.turn, call.call) : undefined;
  if (question?.state === 'open' && mayHaveRun(job.tx, question))
    return failure(
      'outcome_unknown',
      say('The turn ended while a client had it: whether it has run is unknown.'),
    );
  return failure('cancelled', say('The turn ended before it started: it has not run.'));
}
