import { z } from 'zod';
import { MessageId, TurnId, Usage, type SessionId } from '../../../protocol';
import type { HarnessRecord } from '../../engine/records';
import { json, number, type Db } from '../rows';

const Row = z.object({
  harness: z.string(),
  folder: z.string(),
  conversation: z.string().optional(),
  resumable: z.boolean(),
  used: Usage,
  prompted: TurnId.optional(),
  resumed: TurnId.optional(),
  killed: z.array(z.string()),
  messages: z.array(MessageId),
  notes: z.array(z.string()),
  tools: z.array(z.string()).optional(),
});

/** What is kept of a session's outside agent: one row each, as JSON. */
export const harnessesTable = (db: Db) => ({
  harness(session: SessionId): HarnessRecord | undefined {
    const row = db.q.get('SELECT state FROM harnesses WHERE session = ?', number(session));
    if (row === undefined) return undefined;
    const { conversation, prompted, resumed, ...rest } = json(Row, row[0]);
    return { ...rest, conversation, prompted, resumed };
  },
  setHarness(session: SessionId, record: HarnessRecord): void {
    db.q.run(
      'INSERT INTO harnesses (session, state) VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET state = excluded.state',
      number(session),
      JSON.stringify(record),
    );
  },
});
