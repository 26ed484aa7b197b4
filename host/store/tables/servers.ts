import { z } from 'zod';
import type { ServerRecord } from '../../engine/records';
import { json, type Db } from '../rows';

const Remembered = z.object({
  consent: z.object({ hash: z.string(), by: z.string(), at: z.number().int() }).optional(),
  tools: z.object({ hash: z.string(), list: z.array(z.unknown()) }).optional(),
});

const keyOf = (server: string): string => `server:${server}`;

/** What is remembered of MCP servers: what a person has allowed, and the tools that each one had. */
export const serversTable = (db: Db) => ({
  serverRecord(server: string): ServerRecord {
    const row = db.q.get('SELECT value FROM host WHERE key = ?', keyOf(server));
    return row === undefined ? {} : json(Remembered, row[0]);
  },
  setServerRecord(server: string, record: ServerRecord): void {
    db.q.run(
      'INSERT INTO host (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      keyOf(server),
      JSON.stringify(record),
    );
  },
});
