import { z } from 'zod';

/** The number of every error reply of Belay's own; JSON-RPC's numbers are kept for malformed frames. */
export const ERROR_NUMBER = -32000;

/** Codes of error replies (`error.data.code`). Closed: a client may switch on it without a default. */
export const RequestCode = z.enum([
  'approval_unknown',
  'approval_superseded',
  'approval_answered',
  'approval_lapsed',
  'approval_withdrawn',
  'question_unknown',
  'question_answered',
  'question_lapsed',
  'question_withdrawn',
  'session_busy',
  'session_unknown',
  'turn_stale',
  'turn_unknown',
  'message_unknown',
  'message_read_already',
  'handle_unknown',
  'handle_ended',
  'rule_unknown',
  'server_unknown',
  'server_changed',
  /** No sign-in of this host has this state: it is over, or was never begun. */
  'sign_in_unknown',
  /** The person, or the server, has said no. */
  'sign_in_refused',
  'sign_in_cancelled',
  'sign_in_expired',
  /** It could not be prepared or finished. */
  'sign_in_failed',
  'model_unknown',
  'host_paused',
  'host_stopping',
  'host_failed',
  'not_initialized',
  'initialized_already',
  'protocol_version_unsupported',
  'store_read_only',
  'store_full',
  'store_io',
  'store_newer',
  'store_damaged',
  'store_locked',
  'untrusted_workspace',
  'client_gone',
  'tools_undeliverable',
  'invalid_params',
  'limit_exceeded',
]);
export type RequestCode = z.infer<typeof RequestCode>;

/** Codes of results that the model reads (`result.error`). */
export const ResultCode = z.enum([
  'approval_denied',
  'approval_lapsed',
  'cancelled',
  'outcome_unknown',
  'host_paused',
  'turn_ended',
  'tool_unknown',
  'tool_arguments_invalid',
  'tool_failed',
  'timed_out',
  'output_limit',
  'lost',
  'stopped',
  'withdrawn',
  'unserved',
  'server_unavailable',
  'request_undeliverable',
  /** The person has unsaved changes in the file that was to be written. */
  'file_unsaved',
  'handle_unknown',
]);
export type ResultCode = z.infer<typeof ResultCode>;

/** Why a turn failed or was interrupted (`turn_ended.code`). */
export const TurnCode = z.enum([
  'cancelled',
  'host_stopped',
  'host_lost',
  'round_limit',
  /** It has used the tokens or the money that the settings give to one turn. */
  'budget_limit',
  'model_unknown',
  'model_key_missing',
  'model_refused',
  'model_rejected',
  'model_unreachable',
  'model_overloaded',
  'model_stalled',
  'model_malformed',
  'model_output_limit',
  'context_limit',
  'store_full',
  'store_io',
  'store_read_only',
  'untrusted_workspace',
  'folder_missing',
  /** No tested way leads to the agent for the tools of its session (C2). */
  'tools_undeliverable',
  'agent_missing',
  'agent_failed',
  'agent_lost',
  'conversation_lost',
  'internal',
]);
export type TurnCode = z.infer<typeof TurnCode>;

/** What `error.data` of an error reply holds: the code, and what the code's request needs to go on. */
export const ErrorData = z.looseObject({ code: RequestCode });
export type ErrorData = z.infer<typeof ErrorData>;
