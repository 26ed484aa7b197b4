import { z } from 'zod';
import { Ended } from '../../../protocol';
import type { CordRecord, ModelListRecord } from '../../engine/records';
import { json, type Db } from '../rows';

const Cord = z.object({
  pulled: z.boolean(),
  epoch: z.number().int(),
  by: z.string(),
  at: z.number().int(),
  ended: z.array(Ended),
  told: z.boolean(),
});

const ModelList = z.object({
  address: z.string(),
  models: z.array(
    z.object({
      id: z.string(),
      name: z.string().optional(),
      contextWindow: z.number().optional(),
      maxOutput: z.number().optional(),
    }),
  ),
  left: z.number().int(),
});

const listKey = (provider: string): string => `models:${provider}`;

const FREE: CordRecord = { pulled: false, epoch: 0, by: '', at: 0, ended: [], told: true };

const Names = z.array(z.string());

/** What holds for the whole host: the cord, the names of secrets that agents have asked for, the lists of models. */
export const hostTable = (db: Db) => ({
  cord(): CordRecord {
    const row = db.q.get("SELECT value FROM host WHERE key = 'cord'");
    return row === undefined ? FREE : json(Cord, row[0]);
  },
  setCord(cord: CordRecord): void {
    db.q.run(
      "INSERT INTO host (key, value) VALUES ('cord', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      JSON.stringify(cord),
    );
  },
  secretNames(): readonly string[] {
    const row = db.q.get("SELECT value FROM host WHERE key = 'secrets'");
    return row === undefined ? [] : json(Names, row[0]);
  },
  setSecretNames(names: readonly string[]): void {
    db.q.run(
      "INSERT INTO host (key, value) VALUES ('secrets', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      JSON.stringify(names),
    );
  },
  modelList(provider: string): ModelListRecord | undefined {
    const row = db.q.get('SELECT value FROM host WHERE key = ?', listKey(provider));
    return row === undefined ? undefined : json(ModelList, row[0]);
  },
  setModelList(provider: string, list: ModelListRecord): void {
    db.q.run(
      'INSERT INTO host (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      listKey(provider),
      JSON.stringify(list),
    );
  },
  shiftLapses(pausedAt: number): void {
    db.q.run(
      "UPDATE approvals SET lapses_at = lapses_at + max(0, ? - max(?, coalesce(asked_again_at, asked_at))) WHERE state = 'open' AND lapses_at IS NOT NULL",
      db.now,
      pausedAt,
    );
    db.q.run(
      "UPDATE questions SET lapses_at = lapses_at + max(0, ? - max(?, asked_at)) WHERE state = 'open' AND lapses_at IS NOT NULL",
      db.now,
      pausedAt,
    );
  },
});
