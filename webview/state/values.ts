import type { ReplyError } from '../bridgeProtocol';
import { said } from '../said';

/** What the host said to a request that it refused, in the person's language. */
export class RequestRefused extends Error {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
  constructor(error: ReplyError) {
    super(said(error.message));
    this.data = isRecord(error.data) ? error.data : {};
    this.code = textOf(this.data, 'code') ?? 'internal';
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(record: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(record: Readonly<Record<string, unknown>>, key: string): number | undefined {
  const value = record[key];
  return typeof value === 'number' ? value : undefined;
}
