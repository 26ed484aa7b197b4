/**
 * Whether a call may run, must be asked for, or is refused: one decision function for every path (A1, A12).
 * Pure. Deny beats ask beats allow; what is not understood asks.
 */
import {
  RuleId,
  say,
  type Mode,
  type Offer,
  type Rule,
  type RuleMatch,
  type SessionId,
} from '../../../protocol';
import type { Prepared } from '../ports';

/** Stands for a rule that is not written yet. */
const REPLAYED = RuleId.parse('offer');

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
  /** The rules that hold for the session: its own and those of the workspace. */
  readonly rules: readonly Rule[];
}

/** The mode as who decided. */
const MODE_WORDS: Readonly<Record<Mode, string>> = {
  ask: say('mode ask'),
  edits: say('mode edits'),
  full: say('mode full'),
};

export function judge(call: Prepared, now: Circumstances): Judgement {
  const matching = now.rules.filter(
    (rule) =>
      (rule.scope === 'workspace' || rule.session === now.session) && matches(rule.match, call, rule.effect),
  );
  const deny = matching.find((rule) => rule.effect === 'deny');
  if (deny !== undefined)
    return {
      decision: 'deny',
      why: say('A rule denies it: {rule}.', { rule: deny.label }),
      rule: deny.label,
    };
  if (!now.trusted)
    return {
      decision: 'deny',
      why: say('This workspace is not trusted: nothing runs in it.'),
      rule: say('untrusted'),
    };
  if (call.class === 'own')
    return { decision: 'allow', why: say('It only touches the agent’s own records.'), rule: say('own') };
  if (call.class === 'edit_protected') {
    return {
      decision: 'ask',
      why: say('This file decides over the agent, or is run by the editor or git by itself.'),
    };
  }
  const ask = matching.find((rule) => rule.effect === 'ask');
  if (ask !== undefined)
    return { decision: 'ask', why: say('A rule asks for it: {rule}.', { rule: ask.label }), rule: ask.label };
  const allow = matching.find((rule) => rule.effect === 'allow');
  if (allow !== undefined)
    return {
      decision: 'allow',
      why: say('A rule allows it: {rule}.', { rule: allow.label }),
      rule: allow.label,
    };
  return byMode(call, now.mode);
}

function byMode(call: Prepared, mode: Mode): Judgement {
  const free = { decision: 'allow', rule: MODE_WORDS[mode] } as const;
  if (mode === 'full') return { ...free, why: say('The mode “full” allows it.') };
  switch (call.class) {
    case 'own':
    case 'read':
      return { ...free, why: say('Reading inside the workspace is free.') };
    case 'edit':
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

/** A rule covers a call only if it names exactly what the call does. */
export function matches(match: RuleMatch, call: Prepared, effect: Rule['effect']): boolean {
  switch (match.kind) {
    case 'command':
      return (
        call.subject.kind === 'command' &&
        call.subject.command === match.command &&
        call.subject.folder === match.folder
      );
    case 'path':
      if (!isEdit(call)) return false;
      if (call.subject.kind === 'path') return call.subject.path === match.path;
      return effect !== 'allow' && call.subject.kind === 'paths' && call.subject.paths.includes(match.path);
    case 'tool':
      return call.tool === match.tool;
  }
}

const isEdit = (call: Prepared): boolean =>
  call.class === 'edit' || call.class === 'edit_outside' || call.class === 'edit_protected';

/** The words in which a rule is shown, the same on the button and in the list. */
export function labelOf(match: RuleMatch): string {
  switch (match.kind) {
    case 'command':
      return say('`{command}` exactly, in {folder}', { command: match.command, folder: match.folder });
    case 'path':
      return say('edits of {path}', { path: match.path });
    case 'tool':
      return say('every call of {tool}', { tool: match.tool });
  }
}

/** The rules that an allow may leave behind: only such as would have allowed this very call (A3). */
export function offersFor(call: Prepared, now: Circumstances): readonly Offer[] {
  const match = narrowest(call);
  if (match === undefined) return [];
  return (['session', 'workspace'] as const).flatMap((scope) => {
    const label = labelOf(match);
    const rule: Rule = ruleFor({ scope, match, label }, now.session);
    const replayed = judge(call, { ...now, rules: [...now.rules, rule] });
    return replayed.decision === 'allow' ? [{ scope, match, label }] : [];
  });
}

function narrowest(call: Prepared): RuleMatch | undefined {
  switch (call.subject.kind) {
    case 'command':
      return { kind: 'command', command: call.subject.command, folder: call.subject.folder };
    case 'path':
      return isEdit(call) ? { kind: 'path', path: call.subject.path } : undefined;
    // One rule names one file, and a rule for every call of the tool would cover far more.
    case 'paths':
      return undefined;
    case 'none':
      return { kind: 'tool', tool: call.tool };
  }
}

/** An allow rule as the replay sees it; its id, time and author do not matter there. */
function ruleFor(offer: Offer, session: SessionId): Rule {
  return {
    id: REPLAYED,
    effect: 'allow',
    scope: offer.scope,
    match: offer.match,
    label: offer.label,
    createdAt: 0,
    by: 'offer',
    ...(offer.scope === 'session' ? { session } : {}),
  };
}
