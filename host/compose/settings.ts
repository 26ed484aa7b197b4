/** Settings as the client sends them, parsed at the edge: what can't be used is told by its key, the rest holds (R11). */
import { z } from 'zod';
import {
  BACKOFF_FIRST_MS,
  HOLD_MS,
  MODEL_ATTEMPTS,
  ROUNDS_PER_TURN,
  SHELL_MS,
  STALL_MS,
  STEER_GRACE_MS,
  Settings,
} from '../../protocol';
import type { EngineSettings } from '../engine/driver/core';

export interface ParsedSettings {
  readonly settings: Settings;
  /** A sentence for each key that was left out. */
  readonly warnings: readonly string[];
}

/** Keeps each top-level part that is right; a wrong one is left out with a sentence that names the key. */
export function parseSettings(raw: unknown): ParsedSettings {
  const whole = Settings.safeParse(raw ?? {});
  if (whole.success) return { settings: whole.data, warnings: [] };
  const object = z.record(z.string(), z.unknown()).safeParse(raw);
  if (!object.success) return { settings: {}, warnings: ['The settings are no object: the defaults hold.'] };
  const warnings: string[] = [];
  let settings: Settings = {};
  for (const [key, value] of Object.entries(object.data)) {
    const part = Settings.safeParse({ [key]: value });
    if (part.success) settings = { ...settings, ...part.data };
    else
      for (const issue of part.error.issues.slice(0, 4)) {
        const path = ['belay', ...issue.path].join('.');
        warnings.push(`"${path}" is not right, so its default holds: ${issue.message}`);
      }
  }
  return { settings, warnings };
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
    modelAttempts: limits?.modelAttempts ?? MODEL_ATTEMPTS,
    backoffMs: limits?.backoffMs ?? BACKOFF_FIRST_MS,
    steerGraceMs: limits?.steerGraceMs ?? STEER_GRACE_MS,
  };
}

export const stallMs = (settings: Settings): number => settings.limits?.stallMs ?? STALL_MS;
export const shellMs = (settings: Settings): number => settings.limits?.shellMs ?? SHELL_MS;
