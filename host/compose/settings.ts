/** Settings as the client sends them, parsed at the edge: what can't be used is told by its key, the rest holds (R11). */
import { z } from 'zod';
import {
  BACKOFF_FIRST_MS,
  CLIENT_GRACE_MS,
  HOLD_MS,
  MODEL_ATTEMPTS,
  ROUNDS_PER_TURN,
  SHELL_MS,
  STALL_MS,
  STEER_GRACE_MS,
  Settings,
} from '../../protocol';
import type { EngineSettings } from '../engine/driver/core';
import { settingWarning } from './settingsWords';

export interface ParsedSettings {
  readonly settings: Settings;
  /** A sentence for each key that was left out. */
  readonly warnings: readonly string[];
}

/** Corrections that are made at most: more than this is no slip but another file. */
const CORRECTIONS = 64;

/** Leaves out what is not right, key by key, with a sentence that names the key; the rest holds. */
export function parseSettings(raw: unknown): ParsedSettings {
  const warnings: string[] = [];
  const rest: unknown = structuredClone(raw ?? {});
  for (let n = 0; n < CORRECTIONS; n++) {
    const parsed = Settings.safeParse(rest);
    if (parsed.success) return { settings: parsed.data, warnings };
    const issue = parsed.error.issues[0];
    if (issue === undefined) break;
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    for (const key of keys) {
      const path = whole([...issue.path, ...(key === undefined ? [] : [key])]);
      warnings.push(settingWarning(path, issue, valueAt(rest, issue.path)));
      if (path.length === 0 || !drop(rest, path)) return { settings: {}, warnings };
    }
  }
  return { settings: {}, warnings };
}

const NAMED: readonly string[] = ['models.providers', 'mcp.servers', 'harnesses.acp'];

/** A provider, server or agent is right or it is not: half of one would be another one. */
const whole = (path: readonly PropertyKey[]): readonly PropertyKey[] =>
  NAMED.includes(path.slice(0, 2).join('.')) ? path.slice(0, 3) : path;

function valueAt(from: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    from,
  );
}

const Holder = z.record(z.string(), z.unknown()).or(z.array(z.unknown()));

/** Removes one key; false when there is nothing of that kind. */
function drop(from: unknown, path: readonly PropertyKey[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined || typeof from !== 'object' || from === null) return false;
  if (rest.length === 0)
    return Array.isArray(from)
      ? from.splice(Number(first), 1).length > 0
      : Reflect.deleteProperty(from, first);
  const inner: unknown = Reflect.get(from, first);
  return Holder.safeParse(inner).success ? drop(inner, rest) : drop(from, [first]);
}

/** The model of a new session when the settings name none. */
export const REHEARSAL_MODEL = 'rehearsal/demo';

export function engineSettings(settings: Settings): EngineSettings {
  const { approvals, handles, limits, models } = settings;
  return {
    defaultModel: models?.default ?? REHEARSAL_MODEL,
    mode: approvals?.mode ?? 'ask',
    holdMs: approvals?.holdMs ?? HOLD_MS,
    lapseMs: approvals?.lapseMs ?? undefined,
    wakeIdleSession: handles?.wakeIdleSession ?? true,
    roundsPerTurn: limits?.roundsPerTurn ?? ROUNDS_PER_TURN,
    tokensPerTurn: limits?.tokensPerTurn ?? undefined,
    costUsdPerTurn: limits?.costUsdPerTurn ?? undefined,
    modelAttempts: limits?.modelAttempts ?? MODEL_ATTEMPTS,
    backoffMs: limits?.backoffMs ?? BACKOFF_FIRST_MS,
    clientGraceMs: limits?.clientGraceMs ?? CLIENT_GRACE_MS,
    protectedReads: settings.protectedReads ?? false,
    steerGraceMs: limits?.steerGraceMs ?? STEER_GRACE_MS,
  };
}

export const stallMs = (settings: Settings): number => settings.limits?.stallMs ?? STALL_MS;
export const shellMs = (settings: Settings): number => settings.limits?.shellMs ?? SHELL_MS;
