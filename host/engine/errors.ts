import type { ErrorData, RequestCode } from '../../protocol';

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

const sentence: Partial<Record<RequestCode, string>> = {
  session_unknown: 'This session does not exist (any more).',
  turn_unknown: 'This turn does not exist (any more).',
  message_unknown: 'This message does not exist.',
  message_read_already: 'The agent has already read this message.',
  approval_unknown: 'There is no such request.',
  approval_superseded: 'This request was announced again: look at the newer one.',
  approval_withdrawn: 'This request was withdrawn: its call can no longer run.',
  question_unknown: 'There is no such question.',
  question_withdrawn: 'This question was withdrawn.',
  handle_unknown: 'There is no such handle.',
  rule_unknown: 'There is no such rule.',
  server_unknown: 'There is no such server.',
  untrusted_workspace: 'This workspace is not trusted: nothing runs in it. Trust it to go on.',
  host_stopping: 'Belay is stopping.',
};

export const refuse = (code: RequestCode, data: Readonly<Record<string, unknown>> = {}): RequestError =>
  new RequestError(code, sentence[code] ?? code, data);
