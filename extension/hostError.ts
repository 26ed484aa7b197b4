import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import type { RequestCode } from '../protocol';
import { said } from './said';

/** A request that the host has refused, or that no host is there to answer. `message` is in the person's language. */
export class HostError extends Error {
  override readonly name = 'HostError';

  constructor(
    readonly code: RequestCode,
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** Gives every failure of a request one shape. A closed connection means that the host is gone. */
export function toHostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  if (!(error instanceof ResponseError)) {
    return new HostError('host_failed', said(messageOf(error)));
  }
  const data: unknown = error.data;
  if (isRecord(data) && isCode(data.code)) return new HostError(data.code, said(error.message), data);
  const unsound = error.code === ErrorCodes.InvalidParams || error.code === ErrorCodes.MethodNotFound;
  return new HostError(unsound ? 'invalid_params' : 'host_failed', said(error.message));
}

/** The text of any failure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The host comes with this extension and sends no code outside the closed list. */
function isCode(value: unknown): value is RequestCode {
  return typeof value === 'string';
}
