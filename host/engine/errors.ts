import { say, type ErrorData, type RequestCode } from '../../protocol';

/** A request that is refused: its code, a sentence for the person, and what the client needs to go on. */
export class RequestError extends Error {
  readonly data: ErrorData;
  constructor(
    readonly code: RequestCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.data = { ...data, code };
  }
}

const SENTENCES = {
  session_unknown: say('This session does not exist (any more).'),
  turn_unknown: say('This turn does not exist (any more).'),
  message_unknown: say('This message does not exist.'),
  message_read_already: say('The agent has already read this message.'),
  approval_unknown: say('There is no such request.'),
  approval_superseded: say('This request was announced again: look at the newer one.'),
  approval_withdrawn: say('This request was withdrawn: its call can no longer run.'),
  question_unknown: say('There is no such question.'),
  question_withdrawn: say('This question was withdrawn.'),
  handle_unknown: say('There is no such handle.'),
  rule_unknown: say('There is no such rule.'),
  server_unknown: say('There is no such server.'),
  untrusted_workspace: say('This workspace is not trusted: nothing runs in it. Trust it to go on.'),
  host_stopping: say('Belay is stopping.'),
} satisfies Partial<Record<RequestCode, string>>;

/** Codes that have one sentence wherever they are refused. */
type PlainRefusal = keyof typeof SENTENCES;

export const refuse = (code: PlainRefusal, data: Readonly<Record<string, unknown>> = {}): RequestError =>
  new RequestError(code, SENTENCES[code], data);
