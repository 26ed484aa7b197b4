/**
 * The person's rules for all workspaces on disk: one file for each, so that windows never write over each other's.
 * A file is there whole or not at all, and never changes; its name is the rule's id.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Rule, type RuleId } from '../../protocol';

/** More are no rules that a person has given one by one. */
export const USER_RULES_MOST = 256;
/** The longest command of a rule with all around it, bytes. */
const FILE_BYTES = 256 * 1024;

const Kept = Rule.omit({ session: true }).refine(({ scope }) => scope === 'user');

export interface RulesFound {
  readonly rules: readonly Rule[];
  /** Names of files that hold no rule. */
  readonly strange: readonly string[];
}

/** Makes the folder where it is missing. Rejects with the system's error. */
export async function readUserRules(dir: string): Promise<RulesFound> {
  await mkdir(dir, { recursive: true });
  const names = (await readdir(dir)).filter((name) => name.endsWith('.json')).sort();
  const found = await Promise.all(
    names.slice(0, USER_RULES_MOST).map(async (name) => ({ name, rule: await readRule(dir, name) })),
  );
  return {
    rules: found.flatMap(({ rule }) => (rule === undefined || rule === 'gone' ? [] : rule)),
    strange: [
      ...found.flatMap(({ name, rule }) => (rule === undefined ? name : [])),
      ...names.slice(USER_RULES_MOST),
    ],
  };
}

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
