/** How an ACP agent is started: the command that the person's settings name for it. */
import { isAbsolute } from 'node:path';
import { findProgram } from '../../../base/programs';
import type { AgentRequest, Surroundings } from '../outside';

const PREFIX = 'acp:';

export const isAcp = (harness: string): boolean => harness.startsWith(PREFIX);
/** As the settings name it. */
export const nameOf = (harness: string): string => harness.slice(PREFIX.length);
export const acpId = (name: string): string => `${PREFIX}${name}`;

export function acpProgram(harness: string, around: Surroundings): string | undefined {
  const command = around.settings().acp?.[harness.slice(PREFIX.length)]?.command;
  if (command === undefined) return undefined;
  return isAbsolute(command) ? command : findProgram(command, around.env, around.platform);
}

export function acpRequest(harness: string, folder: string, around: Surroundings): AgentRequest | undefined {
  const file = acpProgram(harness, around);
  const setting = around.settings().acp?.[harness.slice(PREFIX.length)];
  if (file === undefined || setting === undefined) return undefined;
  return { file, args: setting.args ?? [], folder, env: setting.env ?? {}, input: true };
}
