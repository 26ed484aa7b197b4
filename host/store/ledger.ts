/**
 * The engine's memory on the store: each job is one transaction, its events are published once it is on disk,
 * in order.
 *
 * Owns: the numbering and publication of stored events. Does not own: what is decided.
 * J1 An event is published after its commit is on disk and before `durable` resolves (R1).
 */
import {
  foldTranscript,
  type BelayEvent,
  type DataOf,
  type EventType,
  type TurnId,
  type TurnView,
} from '../../protocol';
import type { Clock } from '../base/clock';
import type { Hidden, Ledger, Reader, Tx, Where } from '../engine/ledger';
import type { Blobs } from './blobs';
import type { Query, Store } from './contract';
import { StoreMisuse } from './errors';
import type { Content } from './stagedFiles';
import type { Db } from './rows';
import { approvalsTable } from './tables/approvals';
import { auditTable } from './tables/audit';
import { callsTable } from './tables/calls';
import { copiesTable } from './tables/copies';
import { changesTable } from './tables/changes';
import { eventsTable } from './tables/events';
import { handlesTable } from './tables/handles';
import { harnessesTable } from './tables/harnesses';
import { hostTable } from './tables/host';
import { keptTable } from './tables/kept';
import { messagesTable } from './tables/messages';
import { projectTable } from './tables/project';
import { questionsTable } from './tables/questions';
import { rulesTable } from './tables/rules';
import { serversTable } from './tables/servers';
import { storedTable } from './tables/stored';
import { sessionsTable } from './tables/sessions';
import { turnsTable } from './tables/turns';
import { unlistedTable } from './tables/unlisted';

const noQuery: Query = {
  all: () => outside(),
  get: () => outside(),
  run: () => outside(),
};

const outside = (): never => {
  throw new StoreMisuse('Rows can only be used inside a job.');
};

function tablesOn(db: Db, blobs: Blobs) {
  const kept = keptTable(db, blobs);
  return {
    ...kept,
    ...sessionsTable(db),
    ...messagesTable(db, kept),
    ...turnsTable(db),
    ...copiesTable(db),
    ...unlistedTable(db),
    ...callsTable(db),
    ...approvalsTable(db),
    ...questionsTable(db),
    ...handlesTable(db, kept),
    ...rulesTable(db),
    ...storedTable(db),
    ...auditTable(db),
    ...changesTable(db, blobs),
    ...eventsTable(db, kept),
    ...harnessesTable(db),
    ...projectTable(db),
    ...hostTable(db),
    ...serversTable(db),
  };
}

/** What the door reads besides what the engine needs: pages of everything. */
export type Tables = ReturnType<typeof tablesOn> & Tx & Reader;

export interface StoreLedger extends Ledger {
  look<T>(query: (tables: Tables) => T): T;
  /** Writes what jobs to come will put beside the database, off the loop. Never rejects. */
  stage(contents: readonly Content[]): Promise<void>;
}

export function createLedger(
  store: Store,
  blobs: Blobs,
  clock: Clock,
  publish: (events: readonly BelayEvent[]) => void,
): StoreLedger {
  const db: Db = { q: noQuery, now: 0 };
  let emitted: BelayEvent[] = [];
  const tables = tablesOn(db, blobs);
  const tx: Tables = {
    ...tables,
    get now() {
      return db.now;
    },
    emit<T extends EventType>(type: T, data: DataOf<T>, where: Where = {}, hidden?: Hidden) {
      const seq = tables.insertEvent(type, data, where.session, where.turn, hidden);
      const event = { seq, at: db.now, type, data, ...where };
      if (isEvent(event)) emitted.push(event);
    },
    insertTold({ at, type, data }, { session, turn }, hidden) {
      tables.insertEvent(type, data, session, turn, hidden, at, tables.lastCopied(session) + 1);
    },
    turnText: (id) => turnText(tables, id),
  };

  const within = <T>(q: Query, job: (tables: Tables) => T): T => {
    const before = db.q;
    db.q = q;
    db.now = clock.now();
    try {
      return job(tx);
    } finally {
      db.q = before;
    }
  };

  return {
    commit<T>(job: (tx: Tx) => T) {
      emitted = [];
      const { value, durable } = store.commit((q) => within(q, job));
      const events = emitted;
      emitted = [];
      return {
        value,
        durable: durable.then(() => {
          if (events.length > 0) publish(events);
        }),
      };
    },
    read: (query) => store.read((q) => within(q, query)),
    look: (query) => store.read((q) => within(q, query)),
    stage: (contents) => blobs.stage(contents),
  };
}

/** An event is made of a type and the data that belongs to it; the compiler can't see it through the parameter. */
const isEvent = (event: { readonly seq: number }): event is BelayEvent => event.seq > 0;

/** A turn as lines of text, for the agent that looks back. */
function turnText(tables: ReturnType<typeof tablesOn>, id: TurnId): string {
  const [view] = viewOf(tables, id);
  if (view === undefined) return '';
  return view.parts
    .map((part) => {
      switch (part.kind) {
        case 'message':
          return `Person: ${part.text}`;
        case 'text':
          return `You: ${part.text}`;
        case 'call':
          return `Call ${part.title} ${JSON.stringify(part.args)}\nResult ${JSON.stringify(part.result ?? null)}`;
        case 'note':
          return part.text;
        default:
          return '';
      }
    })
    .filter((line) => line !== '')
    .join('\n');
}

export function viewOf(tables: Pick<Tables, 'turnEvents'>, id: TurnId): readonly TurnView[] {
  return foldTranscript(tables.turnEvents(id).map(({ event }) => event));
}
