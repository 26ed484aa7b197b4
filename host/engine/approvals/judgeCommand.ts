/** What the rules say about each part of a command (A10). Pure. */
import { say } from '../../../protocol';
import type { RuleRecord } from '../records';
import { cautionWhy, partWhy, unreadWhy } from './cautions';
import { covers, isObscure, names } from './commandRules';
import type { Circumstances, Judgement } from './judge';
import type { CommandPart, CommandReading, Subject } from './reading';
import { strays } from './strays';

export type CommandSubject = Extract<Subject, { kind: 'command' | 'typed' }>;

/** What was prepared before commands were read. */
const UNREAD: CommandReading = { kind: 'unparsed', reason: 'unread' };

export interface PartJudgement extends Judgement {
  readonly part: CommandPart;
}

type Under = Pick<Circumstances, 'mode' | 'protectedReads'>;

export const readingOf = (subject: CommandSubject): CommandReading => subject.reading ?? UNREAD;

/** A deny or ask rule strikes a command with one part that it names, or with exactly its line. */
export function strikes(rule: RuleRecord, subject: CommandSubject): boolean {
  if (!isOf(rule, subject)) return false;
  const reading = readingOf(subject);
  const line = rule.match.kind === 'command' && rule.match.command === subject.command;
  return line || (reading.kind === 'parsed' && reading.parts.some((part) => names(rule, part)));
}

/** By the rules that allow, and else by the mode; what denies or asks has been looked at before. */
export function judgeCommand(
  subject: CommandSubject,
  rules: readonly RuleRecord[],
  { mode, protectedReads }: Under,
): Judgement | undefined {
  const reading = readingOf(subject);
  const judgePart = judgeBy(rules, subject, protectedReads);
  const judged = reading.kind === 'parsed' ? reading.parts.map(judgePart) : [];
  const open = judged.find(({ decision }) => decision !== 'allow');
  if (subject.kind === 'command' && judged.length > 0 && open === undefined) return allowed(judged);
  if (mode === 'full') return outOfSight(subject, reading, rules);
  if (subject.kind === 'typed') return undefined;
  if (reading.kind === 'unparsed') return { decision: 'ask', why: unreadWhy(reading.reason) };
  if (open === undefined || (judged.length === 1 && open.part.caution === undefined)) return undefined;
  return { decision: 'ask', why: open.why };
}

/** Each part with the rule that decides it; a denial of the whole line is not among them. */
export function judgeParts(
  subject: CommandSubject,
  rules: readonly RuleRecord[],
  { mode, protectedReads }: Under,
): readonly PartJudgement[] {
  const reading = readingOf(subject);
  const judgePart = judgeBy(rules, subject, protectedReads);
  if (reading.kind === 'unparsed') return [];
  return reading.parts.map((part) => {
    for (const decision of ['deny', 'ask'] as const) {
      const rule = rules.find((one) => one.effect === decision && isOf(one, subject) && names(one, part));
      if (rule !== undefined) return { part, decision, why: struckWhy(decision, rule), rule: rule.label };
    }
    const judged = judgePart(part);
    return mode === 'full' && judged.decision === 'ask'
      ? { part, decision: 'allow', why: say('The mode “full” allows it.'), rule: 'mode full' }
      : judged;
  });
}

export const struckWhy = (decision: 'deny' | 'ask', rule: RuleRecord): string =>
  decision === 'deny'
    ? say('A rule denies it: {rule}.', { rule: rule.label })
    : say('A rule asks for it: {rule}.', { rule: rule.label });

function judgeBy(
  rules: readonly RuleRecord[],
  subject: CommandSubject,
  protectedReads: boolean | undefined,
): (part: CommandPart) => PartJudgement {
  const straying = strays(subject, { rules, protectedReads });
  return (part) => {
    if (part.caution !== undefined)
      return { part, decision: 'ask', why: partWhy(part, cautionWhy(part.caution)) };
    const rule = rules.find(
      (one) => one.effect === 'allow' && isOf(one, subject) && covers(one, part, straying),
    );
    return rule === undefined
      ? { part, decision: 'ask', why: partWhy(part, say('no rule allows this command.')) }
      : {
          part,
          decision: 'allow',
          why: say('A rule allows it: {rule}.', { rule: rule.label }),
          rule: rule.label,
        };
  };
}

function allowed(judged: readonly PartJudgement[]): Judgement {
  const labels = [...new Set(judged.flatMap(({ rule }) => rule ?? []))];
  const [rule = '', ...others] = labels;
  if (others.length === 0)
    return { decision: 'allow', why: say('A rule allows it: {rule}.', { rule }), rule };
  const rules = labels.join('; ');
  return {
    decision: 'allow',
    why: say('Rules allow each of its commands: {rules}.', { rules }),
    rule: rules,
  };
}

/** In the mode `full` only rules speak (A1): where one might that cannot be told from the line, it asks. */
function outOfSight(
  subject: CommandSubject,
  reading: CommandReading,
  rules: readonly RuleRecord[],
): Judgement | undefined {
  const feared = rules.find((rule) => rule.effect !== 'allow' && isOf(rule, subject));
  if (subject.kind === 'typed' || feared === undefined || !isObscure(reading)) return undefined;
  return {
    decision: 'ask',
    why: say('It cannot be read well enough to tell whether this rule is meant: {rule}.', {
      rule: feared.label,
    }),
    rule: feared.label,
  };
}

const isOf = (rule: RuleRecord, subject: CommandSubject): boolean =>
  rule.match.kind === 'command' && (rule.match.folder === undefined || rule.match.folder === subject.folder);
