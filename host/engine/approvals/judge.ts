/**
 * Whether a call may run, must be asked for, or is refused: one decision function for every path (A1, A12).
 * Pure. Deny beats ask beats allow; what is not understood asks.
 */
import { RuleId, say, type Mode, type Offer, type RuleMatch, type SessionId } from '../../../protocol';
import type { Prepared } from '../ports';
import type { RuleRecord } from '../records';
import { openEnded } from './commandRules';
import { accessOf, concerns, does, filesOf, folderOf, isOfFiles, isSecret, isUnder } from './files';
import { furtherHead } from './further';
import { judgeCommand, strikes, struckWhy } from './judgeCommand';
import { isSameOrigin } from './origin';
import { labelOf } from './ruleLabel';
import { ownParts, type CommandPart, type Subject } from './reading';

/** Stands for a rule that is not written yet. */
const REPLAYED = RuleId.parse('offer');

/** Why no rule allows some edits (A12). */
export const PROTECTED_WHY = say(
  'This file decides over the agent, or is run by the editor or git by itself.',
);

const SECRET_WHY = say(
  'Files of this name commonly hold secrets, and the setting "belay.protectedReads" asks before one is read.',
);

export interface Judgement {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** A sentence for the person. */
  readonly why: string;
  /** The rule or mode that decided. */
  readonly rule?: string;
}

export interface Circumstances {
  readonly mode: Mode;
  readonly trusted: boolean;
  readonly session: SessionId;
  /** The rules that hold for the session: its own, those of the workspace and those of the person. */
  readonly rules: readonly RuleRecord[];
  /** Whether files that commonly hold secrets are asked for before they are read. */
  readonly protectedReads?: boolean;
}

/** The mode as who decided. */
const MODE_WORDS: Readonly<Record<Mode, string>> = {
  ask: say('mode ask'),
  edits: say('mode edits'),
  full: say('mode full'),
};

export function judge(call: Prepared, now: Circumstances): Judgement {
  const rules = rulesOf(now);
  const deny = rules.find((rule) => rule.effect === 'deny' && isStruck(rule, call));
  if (deny !== undefined) return { decision: 'deny', why: struckWhy('deny', deny), rule: deny.label };
  if (!now.trusted)
    return {
      decision: 'deny',
      why: say('This workspace is not trusted: nothing runs in it.'),
      rule: say('untrusted'),
    };
  if (call.class === 'own')
    return { decision: 'allow', why: say('It only touches the agent’s own records.'), rule: say('own') };
  if (call.class === 'edit_protected') {
    return { decision: 'ask', why: PROTECTED_WHY };
  }
  const ask = rules.find((rule) => rule.effect === 'ask' && isStruck(rule, call));
  if (ask !== undefined) return { decision: 'ask', why: struckWhy('ask', ask), rule: ask.label };
  const allow = rules.find(
    (rule) => rule.effect === 'allow' && isNamed(rule.match, call) && !isTooWide(rule.match, call, now),
  );
  if (allow !== undefined)
    return {
      decision: 'allow',
      why: say('A rule allows it: {rule}.', { rule: allow.label }),
      rule: allow.label,
    };
  const command = commandOf(call.subject);
  const judged = command === undefined ? undefined : judgeCommand(command, rules, now);
  return judged ?? byMode(call, now);
}

/** The rules that hold for the session. */
export const rulesOf = (now: Circumstances): readonly RuleRecord[] =>
  now.rules.filter((rule) => rule.scope !== 'session' || rule.session === now.session);

export const commandOf = (subject: Subject) =>
  subject.kind === 'command' || subject.kind === 'typed' ? subject : undefined;

/** It tells of a file that commonly holds secrets. */
function isGuarded(call: Prepared, { mode, protectedReads }: Circumstances): boolean {
  if (protectedReads !== true || mode === 'full' || !(call.class === 'read' || call.tells === true))
    return false;
  const { paths, roots } = filesOf(call.subject);
  return paths.some((path) => isSecret(path, roots));
}

/** A rule for all edits of a folder is none for what they tell of its secrets. */
const isTooWide = (match: RuleMatch, call: Prepared, now: Circumstances): boolean =>
  match.kind === 'folder' && isGuarded(call, now);

function byMode(call: Prepared, now: Circumstances): Judgement {
  const { mode } = now;
  const free = { decision: 'allow', rule: MODE_WORDS[mode] } as const;
  if (mode === 'full') return { ...free, why: say('The mode “full” allows it.') };
  switch (call.class) {
    case 'own':
    case 'read':
      if (isGuarded(call, now)) return { decision: 'ask', why: SECRET_WHY };
      return { ...free, why: say('Reading inside the workspace is free.') };
    case 'edit':
      if (isGuarded(call, now)) return { decision: 'ask', why: SECRET_WHY };
      return mode === 'edits'
        ? { ...free, why: say('The mode “edits” allows edits inside the workspace.') }
        : { decision: 'ask', why: say('No rule allows this edit.') };
    case 'read_outside':
      return { decision: 'ask', why: say('It reads outside the workspace, and no rule allows that.') };
    case 'edit_outside':
      return { decision: 'ask', why: say('It writes outside the workspace, and no rule allows that.') };
    case 'edit_protected':
      return { decision: 'ask', why: say('This file is protected.') };
    case 'command':
      return { decision: 'ask', why: say('No rule allows this command.') };
  }
}

/** A rule that denies or asks concerns a call of which it names any part. */
function isStruck(rule: RuleRecord, call: Prepared): boolean {
  const { match } = rule;
  const command = commandOf(call.subject);
  if (match.kind === 'command') return command !== undefined && strikes(rule, command);
  if (isOfFiles(match)) {
    const { paths, roots } = filesOf(call.subject);
    return does(call, match.access ?? 'edit') && paths.some((path) => concerns(match, path, roots));
  }
  if (match.kind === 'tool' && match.origin === undefined) return match.tool === call.tool;
  return isNamed(match, call);
}

/** The whole call is what the match names. Commands are judged by their parts. */
function isNamed(match: RuleMatch, call: Prepared): boolean {
  switch (match.kind) {
    case 'command':
      return false;
    case 'path':
      return (
        accessOf(call) === (match.access ?? 'edit') &&
        call.subject.kind === 'path' &&
        call.subject.path === match.path
      );
    case 'folder':
      return (
        match.access === undefined &&
        call.class === 'edit' &&
        call.subject.kind === 'path' &&
        isUnder(match.path, call.subject.path)
      );
    case 'pattern':
      return false;
    case 'tool':
      return call.tool === match.tool && isSameOrigin(match.origin, call.origin);
    case 'server':
      return isSameOrigin(match.server, call.origin);
  }
}

const isEdit = (call: Prepared): boolean => accessOf(call) === 'edit';

/**
 * The rules that an allow may leave behind, the narrowest first: only such as would have allowed this very call (A3).
 */
export function offersFor(call: Prepared, now: Circumstances): readonly Offer[] {
  return [narrowest(call), wider(call)].flatMap((match) =>
    match === undefined ? [] : SCOPES.flatMap((scope) => offerFor(call, now, scope, match)),
  );
}

const SCOPES = ['session', 'workspace'] as const;

function offerFor(
  call: Prepared,
  now: Circumstances,
  scope: Offer['scope'],
  match: RuleMatch,
): readonly Offer[] {
  const parts = partsFor(match, call);
  const label = labelOf({ effect: 'allow', scope, match }, parts);
  const rule = ruleFor({ scope, match, label }, parts, now.session);
  const replayed = judge(call, { ...now, rules: [...now.rules, rule] });
  return replayed.decision === 'allow' ? [{ scope, match, label }] : [];
}

/** What a rule that is offered for this call is matched by, beside what it names. */
export function partsFor(match: RuleMatch, call: Prepared): readonly CommandPart[] | undefined {
  const parts = partsOf(call);
  if (match.kind !== 'command' || match.further !== true || parts === undefined) return parts;
  return parts.map((part) => ({ words: furtherHead(part) ?? [], text: match.command }));
}

const partsOf = ({ subject }: Prepared): readonly CommandPart[] | undefined =>
  subject.kind === 'command' && subject.reading !== undefined ? ownParts(subject.reading) : undefined;

function narrowest(call: Prepared): RuleMatch | undefined {
  switch (call.subject.kind) {
    case 'command':
      // The same words as a rule would cover more than this call.
      return openEnded(partsOf(call) ?? []) === undefined
        ? { kind: 'command', command: call.subject.command, folder: call.subject.folder }
        : undefined;
    case 'path':
      if (isEdit(call)) return { kind: 'path', path: call.subject.path };
      return call.class === 'read' ? { kind: 'path', path: call.subject.path, access: 'read' } : undefined;
    // One rule names one file, and a rule for every call of the tool would cover far more.
    case 'paths':
      return undefined;
    case 'typed':
    case 'none':
      return {
        kind: 'tool',
        tool: call.tool,
        ...(call.origin === undefined ? {} : { origin: call.origin }),
      };
  }
}

/** What covers more of the same kind, where that can be told in words. */
function wider(call: Prepared): RuleMatch | undefined {
  switch (call.subject.kind) {
    case 'command': {
      const [part, ...others] = partsOf(call) ?? [];
      const head = part === undefined || others.length > 0 ? undefined : furtherHead(part);
      const { folder } = call.subject;
      return head && { kind: 'command', command: head.join(' '), folder, further: true };
    }
    case 'path': {
      const folder = folderOf(call.subject.path);
      return isEdit(call) && folder !== undefined ? { kind: 'folder', path: folder } : undefined;
    }
    case 'none':
      return call.origin?.kind === 'server' ? { kind: 'server', server: call.origin } : undefined;
    case 'paths':
    case 'typed':
      return undefined;
  }
}

/** An allow rule as the replay sees it; its id, time and author do not matter there. */
function ruleFor(offer: Offer, parts: readonly CommandPart[] | undefined, session: SessionId): RuleRecord {
  return {
    id: REPLAYED,
    effect: 'allow',
    scope: offer.scope,
    match: offer.match,
    label: offer.label,
    createdAt: 0,
    by: 'offer',
    ...(parts === undefined ? {} : { parts }),
    ...(offer.scope === 'session' ? { session } : {}),
  };
}
