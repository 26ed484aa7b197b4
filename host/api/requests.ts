import { z } from 'zod';
import {
  REQUEST_SECRET,
  SECRET_STORED,
  say,
  type Answer,
  type Need,
  type QuestionId,
  type Verdict,
} from '../../protocol';
import { refuse, RequestError } from '../engine/errors';
import { approvalView, questionView } from '../engine/views';
import type { Tables } from '../store/ledger';
import { cursorOf, limitOf, page, type Handlers } from './handler';
import type { Host } from './host';

/** Everything that waits for the person, in the order in which it was first asked. */
export function needsPage(
  tables: Tables,
  after: number,
  limit: number,
): { readonly place: number; readonly need: Need }[] {
  const approvals = tables.approvalPage(undefined, after, limit).map(({ approval, place }) => ({
    place,
    need: { kind: 'approval' as const, approval: approvalView(approval) },
  }));
  const questions = tables.personPage(after, limit).map(({ question, place }) => ({
    place,
    need: { kind: 'question' as const, question: questionView(question) },
  }));
  return [...approvals, ...questions].sort((a, b) => a.place - b.place).slice(0, limit);
}

const Named = z.object({ name: z.string() });

/**
 * An answer as it may be told. The value of a secret is known before its answer is told, so that nothing can print it
 * first (X8).
 */
async function withoutSecrets(host: Host, id: QuestionId, answer: Answer): Promise<Answer> {
  const question = await host.look((tables) => tables.question(id));
  if (question?.tool !== REQUEST_SECRET || 'error' in answer) return host.asked.clean(answer);
  const asked = Named.safeParse(question.args);
  if (answer.text !== SECRET_STORED) host.asked.hide(answer.text);
  else if (asked.success) await host.asked.learn([asked.data.name]);
  return answer;
}

/** A changed command is told to the model, so nothing that Belay keeps secret may stand in it (X8). */
function refuseEdit(host: Host, decision: Verdict, command: string): void {
  if (decision === 'deny')
    throw new RequestError('invalid_params', say('A changed "command" belongs to an allow.'));
  const told = host.asked.clean({ text: command });
  if (!('text' in told) || told.text !== command)
    throw new RequestError(
      'invalid_params',
      say('The changed command holds a value that Belay keeps secret, and the model would read it.'),
    );
}

export const requestHandlers: Handlers = {
  'approval/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const rows = tables.approvalPage(params.session, cursorOf(params.cursor, 0), limit + 1);
      const { items, next } = page(rows, limit, (row) => row.place);
      return {
        items: items.map((row) => approvalView(row.approval)),
        ...(next === undefined ? {} : { next }),
      };
    }),
  'approval/answer': async (params, host) => {
    if (params.reason !== undefined && params.decision === 'allow')
      throw new RequestError('invalid_params', say('"reason" belongs to a denial.'));
    if (params.match !== undefined && (params.scope ?? 'once') === 'once')
      throw new RequestError('invalid_params', say('"match" belongs to a scope that leaves a rule behind.'));
    if (params.command !== undefined) refuseEdit(host, params.decision, params.command);
    const recorded = await host.engine().verdict({
      approval: params.approval,
      request: params.request,
      decision: params.decision,
      reason: params.reason,
      scope: params.decision === 'deny' ? 'once' : (params.scope ?? 'once'),
      by: params.by ?? say('you'),
      match: params.match,
      command: params.command,
    });
    return {
      approval: params.approval,
      decision: recorded.decision,
      by: recorded.by,
      at: recorded.at,
      ...(recorded.rule === undefined ? {} : { rule: recorded.rule }),
    };
  },
  'approval/preview': async (params, host) => {
    const found = await host.look((tables) => {
      const approval = tables.approval(params.approval);
      const turn = approval === undefined ? undefined : tables.turn(approval.turn);
      if (approval === undefined || turn === undefined)
        throw refuse('approval_unknown', { approval: params.approval });
      return { approval, turn };
    });
    const sides = await host.tools.sides(found.approval.prepared, {
      session: found.turn.session,
      turn: found.turn.id,
      call: found.approval.call,
      folder: found.turn.folder,
      roots: [found.turn.folder, ...host.roots()],
      hidden: host.hidden,
    });
    if (sides === undefined)
      throw new RequestError(
        'invalid_params',
        say('This request has no diff, or the file has changed since it was asked.'),
      );
    return sides;
  },
  'question/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const rows = tables.questionPage(params.session, cursorOf(params.cursor, 0), limit + 1);
      const { items, next } = page(rows, limit, (row) => row.place);
      return {
        items: items.map((row) => questionView(row.question)),
        ...(next === undefined ? {} : { next }),
      };
    }),
  'question/take': async (params, host) => ({
    question: questionView(await host.engine().take(params.question, params.client)),
  }),
  'question/answer': async (params, host) => {
    const by = params.by ?? say('you');
    const answer = await withoutSecrets(host, params.question, params.answer);
    return {
      question: params.question,
      by,
      at: await host.engine().answer(params.question, answer, by),
    };
  },
  'need/list': (params, host) =>
    host.look((tables) => {
      const limit = limitOf(params.limit);
      const { items, next } = page(
        needsPage(tables, cursorOf(params.cursor, 0), limit + 1),
        limit,
        (row) => row.place,
      );
      return { items: items.map((row) => row.need), ...(next === undefined ? {} : { next }) };
    }),
};
