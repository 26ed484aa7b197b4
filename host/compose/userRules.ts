/**
 * The person's rules for all workspaces, as this host knows them (A12): of the folder that the client names, and of
 * nothing in a workspace.
 *
 * Owns: the list in memory, which is that of the disk. 1. What is added is on disk before it is in the list. 2. What
 * another window has changed is in the list as soon as the system tells of it, and the engine is told. 3. A folder or a
 * file that cannot be read takes no rule away; only a file that is gone does.
 */
import { RuleId, say, type Rule } from '../../protocol';
import { watchFolder } from '../base/channels';
import { chance } from '../base/ids';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import { ownParts, type CommandPort } from '../engine/approvals/reading';
import type { UserRules } from '../engine/approvals/rulePort';
import type { Engine } from '../engine/engine';
import { RequestError } from '../engine/errors';
import type { RuleRecord } from '../engine/records';
import { labelOf } from '../engine/approvals/ruleLabel';
import {
  idOfFile,
  readUserRules,
  removeUserRule,
  sweepUserRules,
  USER_RULES_MOST,
  writeUserRule,
} from '../store/userRules';
import { ruleView } from '../engine/views';

interface UserRulesOptions {
  /** Absolute; undefined where there is no such place. */
  readonly dir: string | undefined;
  readonly commands: CommandPort;
  readonly log: Log;
  /** Who is told what has changed; nobody before there is an engine, and in a window that has joined another's. */
  readonly engine: () => Pick<Engine, 'rulesChanged'> | undefined;
}

/** Ids behind all that a store gives: `r9` and this many digits, of chance. */
const DIGITS = 14;

export interface OpenUserRules extends UserRules, Disposable {
  /** What the person should know of the files, as sentences. */
  readonly warnings: readonly string[];
}

export async function openUserRules({
  dir,
  commands,
  log,
  engine,
}: UserRulesOptions): Promise<OpenUserRules> {
  let rules: readonly RuleRecord[] = [];
  let work: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(job: () => Promise<T>): Promise<T> => {
    const done = work.then(job);
    work = done.catch(() => undefined);
    return done;
  };
  const recordOf = async (rule: Rule): Promise<RuleRecord> => {
    const { match } = rule;
    // A label says what holds, whatever the file says.
    if (match.kind !== 'command') return { ...rule, label: labelOf(rule) };
    const parts = ownParts(await commands.read(match.command));
    return { ...rule, label: labelOf(rule, parts), parts };
  };

  async function look(place: string): Promise<readonly string[]> {
    const { rules: found, strange, folder } = await readUserRules(place);
    if (folder !== watched) watchAnew(place, folder);
    const known = new Map(rules.map((rule) => [rule.id, rule]));
    const unreadable = new Set(strange.map(idOfFile));
    const now = [
      ...(await Promise.all(found.map(async (rule) => known.get(rule.id) ?? recordOf(rule)))),
      ...rules.filter(({ id }) => unreadable.has(id)),
    ];
    if (now.length > found.length)
      log('warn', `user rules that cannot be read hold on: ${strange.join(', ')}`);
    const added = now.filter(({ id }) => !known.has(id));
    const removed = rules.filter(({ id }) => !now.some((rule) => rule.id === id));
    rules = now;
    if (added.length > 0 || removed.length > 0) await engine()?.rulesChanged(added, removed);
    return strange;
  }

  let isQueued = false;
  const lookAgain = (place: string): void => {
    // One change of a file is told several times.
    if (isQueued) return;
    isQueued = true;
    inTurn(() => {
      isQueued = false;
      return look(place);
    }).catch((error: unknown) => log('warn', `user rules: ${String(error)}`));
  };

  let watching: ReturnType<typeof watchFolder>;
  let watched: string | undefined;
  /** A folder that was removed and made anew is another one, of which the first watch tells nothing. */
  function watchAnew(place: string, folder: string): void {
    watching?.dispose();
    watching = watchFolder(place, () => lookAgain(place));
    watched = folder;
    // What has come between the reading and the watch.
    lookAgain(place);
  }

  const warnings: string[] = [];
  if (dir !== undefined) {
    try {
      const strange = await inTurn(() => look(dir));
      await sweepUserRules(dir);
      for (const file of strange)
        warnings.push(say('This file holds no rule that can be read: {file}', { file }));
    } catch (error) {
      warnings.push(say('The rules for all workspaces cannot be read: {error}', { error: String(error) }));
    }
  }

  return {
    warnings,
    dispose: () => watching?.dispose(),
    all: () => rules,
    add: (rule) =>
      inTurn(async () => {
        if (dir === undefined) throw noPlace();
        if (rules.length >= USER_RULES_MOST)
          throw new RequestError(
            'invalid_params',
            say('There are {count} rules for all workspaces, and no more can be: remove some.', {
              count: USER_RULES_MOST,
            }),
          );
        const record = { ...rule, id: freshId() };
        await onDisk(() => writeUserRule(dir, ruleView(record)));
        rules = [...rules, record];
        return record;
      }),
    remove: (id) =>
      inTurn(async () => {
        if (dir === undefined) throw noPlace();
        await onDisk(() => removeUserRule(dir, id));
        rules = rules.filter((rule) => rule.id !== id);
      }),
  };
}

const noPlace = (): RequestError =>
  new RequestError('invalid_params', say('This client keeps no rules for all workspaces.'));

const freshId = (): RuleId =>
  RuleId.parse(`r9${String(Math.floor(chance() * 10 ** DIGITS)).padStart(DIGITS, '0')}`);

async function onDisk(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new RequestError(
      'store_io',
      say('The rules for all workspaces cannot be written: {error}', { error: String(error) }),
    );
  }
}
