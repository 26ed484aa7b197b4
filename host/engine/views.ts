/** Rows as the protocol shows them. Pure. */
import type { Approval, DataOf, Edited, Handle, Message, Question, Rule, Session } from '../../protocol';
import type { Prepared } from './ports';
import type {
  ApprovalRecord,
  CallRecord,
  HandleRecord,
  MessageRecord,
  QuestionRecord,
  RuleRecord,
  SessionRecord,
  TurnRecord,
} from './records';
import { hasEnded } from './turns/turn';

export function sessionView(session: SessionRecord, last: TurnRecord | undefined): Session {
  const open = last !== undefined && session.turn === last.id && !hasEnded(last.status) ? last : undefined;
  const ended = last !== undefined && hasEnded(last.status) ? last : undefined;
  return {
    id: session.id,
    title: session.title,
    folder: session.folder,
    agent: session.agent,
    mode: session.mode,
    archived: session.archived,
    state: open === undefined ? 'idle' : openState(open.status),
    usage: session.usage,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    ...(session.instructions === '' ? {} : { instructions: session.instructions }),
    ...(open === undefined ? {} : { turn: open.id }),
    ...(ended === undefined
      ? {}
      : {
          ended: {
            turn: ended.id,
            status: ended.status,
            at: ended.endedAt ?? ended.startedAt,
            ...(ended.code === undefined ? {} : { code: ended.code }),
          },
        }),
  };
}

const openState = (status: TurnRecord['status']): Session['state'] =>
  status === 'completed' || status === 'failed' || status === 'interrupted' ? 'idle' : status;

export function messageView(message: MessageRecord): Message {
  return {
    id: message.id,
    session: message.session,
    text: message.text,
    delivery: message.delivery,
    state: message.state,
    at: message.at,
    ...(message.images.length === 0 ? {} : { images: [...message.images] }),
    ...(message.context.length === 0 ? {} : { context: [...message.context] }),
    ...(message.handed === undefined ? {} : { handed: message.handed }),
    ...(message.turn === undefined ? {} : { turn: message.turn }),
    ...(message.step === undefined ? {} : { step: message.step }),
    ...(message.clientId === undefined ? {} : { clientId: message.clientId }),
  };
}

/** Both texts of a command that a person has changed. */
export function editOf(prepared: Prepared): Edited | undefined {
  const edited = lastEditOf(prepared);
  return edited?.from === edited?.to ? undefined : edited;
}

/** The same where the person has gone back, after a change that was dropped (A4), to what the agent asked for. */
export function lastEditOf({ editedFrom, subject }: Prepared): Edited | undefined {
  if (editedFrom === undefined || subject.kind !== 'command') return undefined;
  return { from: editedFrom, to: subject.command };
}

/** The same in an event, for a reader who knows of no verdict: a copy of the session has none. */
export function editTold(prepared: CallRecord['prepared']): Pick<DataOf<'tool_started'>, 'edited'> {
  if ('error' in prepared) return {};
  const edited = lastEditOf(prepared);
  const { title, args } = prepared;
  return edited === undefined ? {} : { edited: { ...edited, title, args } };
}

export function approvalView(approval: ApprovalRecord): Approval {
  const edited = editOf(approval.prepared);
  return {
    id: approval.id,
    session: approval.session,
    turn: approval.turn,
    call: approval.call,
    request: approval.request,
    tool: approval.prepared.tool,
    title: approval.prepared.title,
    args: approval.prepared.args,
    preview: approval.prepared.preview,
    why: approval.why,
    offers: [...approval.offers],
    folder: approval.folder,
    askedAt: approval.askedAt,
    ...(approval.prepared.editable === true ? { editable: true } : {}),
    ...(edited === undefined ? {} : { edited }),
    ...(approval.parent === undefined ? {} : { parent: approval.parent }),
    ...(approval.handle === undefined ? {} : { handle: approval.handle }),
    ...(approval.askedAgainAt === undefined ? {} : { askedAgainAt: approval.askedAgainAt }),
    ...(approval.lapsesAt === undefined ? {} : { lapsesAt: approval.lapsesAt }),
  };
}

export function questionView(question: QuestionRecord): Question {
  return {
    id: question.id,
    session: question.session,
    turn: question.turn,
    call: question.call,
    tool: question.tool,
    title: question.title,
    args: question.args,
    askedAt: question.askedAt,
    ...(question.parent === undefined ? {} : { parent: question.parent }),
    ...(question.handle === undefined ? {} : { handle: question.handle }),
    ...(question.lapsesAt === undefined ? {} : { lapsesAt: question.lapsesAt }),
    ...(question.owner === undefined ? {} : { owner: question.owner }),
    ...(question.person ? {} : { person: false as const }),
  };
}

export function handleView(handle: HandleRecord): Handle {
  return {
    id: handle.id,
    session: handle.session,
    turn: handle.turn,
    call: handle.call,
    kind: handle.kind,
    title: handle.title,
    folder: handle.folder,
    lifted: handle.lifted,
    state: handle.state,
    startedAt: handle.startedAt,
    ...(handle.runningAt === undefined ? {} : { runningAt: handle.runningAt }),
    ...(handle.waitsFor === undefined ? {} : { waitsFor: handle.waitsFor }),
    ...(handle.endedAt === undefined ? {} : { endedAt: handle.endedAt }),
    ...(handle.end === undefined ? {} : { end: handle.end }),
    ...(handle.exitCode === undefined ? {} : { exitCode: handle.exitCode }),
    ...(handle.signal === undefined ? {} : { signal: handle.signal }),
  };
}

export const ruleView = ({ parts: _parts, ...rule }: RuleRecord): Rule => rule;
