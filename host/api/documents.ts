/** Documents made of what is kept: a session to read or to keep, and the audit. */
import type { AuditWanted } from '../store/tables/audit';
import type { Handlers } from './handler';
import type { Host } from './host';
import { sessionDocument } from './sessionDocument';

/** Numbers of audit entries that are looked through at a time, whether or not they are wanted. */
const ENTRIES_AT_ONCE = 256;

/** JSON lines, oldest first; what is written meanwhile is left out. */
async function* auditDocument(host: Host, wanted: AuditWanted): AsyncGenerator<string, void> {
  const last = await host.look((tables) => tables.lastAudit());
  for (let after = 0; after < last; after += ENTRIES_AT_ONCE) {
    const from = after;
    const to = Math.min(after + ENTRIES_AT_ONCE, last);
    const entries = await host.look((tables) => tables.auditBetween(wanted, from, to));
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }
}

/** `cursor` is of a document in pieces, whatever else is asked. */
const isInPieces = ({ pieces, cursor }: { pieces?: boolean | undefined; cursor?: string | undefined }) =>
  pieces === true || cursor !== undefined;

export const documentHandlers: Handlers = {
  'session/export': (params, host) => {
    const begin = () => sessionDocument(host, params.session, params.format);
    return isInPieces(params) ? host.exports.piece(params.cursor, begin) : host.exports.whole(begin());
  },
  'audit/export': (params, host) => {
    const begin = () => auditDocument(host, params);
    return isInPieces(params) ? host.exports.piece(params.cursor, begin) : host.exports.whole(begin());
  },
};
