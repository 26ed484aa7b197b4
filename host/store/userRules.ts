/**
 * The person's rules for all workspaces on disk: one file for each, so that windows never write over each other's.
 * A file is there whole or not at all, and never changes; its name is the rule's id.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Rule, type RuleId } from '../../protocol';

/** More are no rules that a person has given one by one. */
export const USER_RULES_MOST = 256;
/** Files that are looked at: more than rules, for what else may lie there. */
const FILES_MOST = 1_024;
/** The longest command of a rule with all around it, bytes. */
const FILE_BYTES = 256 * 1024;

const Kept = Rule.omit({ session: true }).refine(({ scope }) => scope === 'user');

export interface RulesFound {
  readonly rules: readonly Rule[];
  /** Names of files that hold no rule. */
  readonly strange: readonly string[];
  /** Which folder it was: one that was made anew may have the number of the one before, and is younger. */
  readonly folder: string;
}

/** Makes the folder where it is missing. Rejects with the system's error. */
export async function readUserRules(dir: string): Promise<RulesFound> {
  await mkdir(dir, { recursive: true });
  const { ino, birthtimeMs } = await stat(dir);
  const names = (await readdir(dir)).filter((name) => name.endsWith('.json')).sort();
  const rules: Rule[] = [];
  const strange: string[] = names.slice(FILES_MOST);
  // One after the other: many at once may be more than the system lets a process open.
  for (const name of names.slice(0, FILES_MOST)) {
    const rule = await readRule(dir, name);
    if (rule === undefined) strange.push(name);
    else if (rule !== 'gone') rules.push(rule);
  }
  return { rules, strange, folder: `${String(ino)} ${String(birthtimeMs)}` };
}

/** Removes what a write that was cut off has left; what a process that lives is writing stays. */
export async function sweepUserRules(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const pid = Number(/\.json\.(\d+)$/.exec(name)?.[1] ?? 0);
    if (pid > 0 && isGone(pid)) await rm(join(dir, name), { force: true });
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** The rule that a file of this name would hold. */
export const idOfFile = (name: string): string => name.replace(/\.json$/, '');

async function readRule(dir: string, name: string): Promise<Rule | 'gone' | undefined> {
  try {
    const path = join(dir, name);
    const { size } = await stat(path);
    const parsed = Kept.safeParse(size > FILE_BYTES ? undefined : JSON.parse(await readFile(path, 'utf8')));
    return parsed.success && name === fileOf(parsed.data.id) ? parsed.data : undefined;
  } catch (error) {
    // Another window has taken it away in this moment.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'gone' : undefined;
  }
}

/** Resolves when the rule is on disk. */
export async function writeUserRule(dir: string, rule: Rule): Promise<void> {
  const path = join(dir, fileOf(rule.id));
  const unfinished = `${path}.${String(process.pid)}`;
  await mkdir(dir, { recursive: true });
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(rule));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFolder(dir);
}

/** Resolves when it is gone, also if it was gone before. */
export async function removeUserRule(dir: string, id: RuleId): Promise<void> {
  await rm(join(dir, fileOf(id)), { force: true });
  await syncFolder(dir);
}

const fileOf = (id: RuleId): string => `${id}.json`;

async function syncFolder(dir: string): Promise<void> {
  // Windows syncs no folder, and has no need to.
  const folder = await open(dir, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch {
    // Some file systems cannot; the file itself is on disk.
  } finally {
    await folder?.close();
  }
}
