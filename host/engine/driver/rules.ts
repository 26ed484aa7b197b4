/** Rules that a person gives and takes back, and what the rules of now would say of a call. */
import { CallId, say, TurnId, type Rule, type RuleId, type SessionId } from '../../../protocol';
import { commandOf, judge, labelOf, offersFor, rulesOf, type Circumstances } from '../approvals/judge';
import { cautionWhy, partWhy, unreadWhy } from '../approvals/cautions';
import { judgeParts } from '../approvals/judgeCommand';
import { ownParts, type CommandReading } from '../approvals/reading';
import { refuse, RequestError } from '../errors';
import { request, type Core } from './core';
import { deleteRule, insertRule } from './ruleRows';
import { judgeAgain } from './verdicts';

export type RuleGiven = Omit<Rule, 'id' | 'createdAt' | 'label'>;

export interface Explained {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly why: string;
  readonly offers: string[];
  /** Of a command, each part with the rule that decides it. */
  readonly parts: {
    readonly command: string;
    readonly decision: 'allow' | 'ask' | 'deny';
    readonly why: string;
    readonly rule?: string;
  }[];
}

export async function addRule(core: Core, rule: RuleGiven): Promise<Rule> {
  const reading = rule.match.kind === 'command' ? await core.commands.read(rule.match.command) : undefined;
  if (reading !== undefined && rule.effect === 'allow') refuseIdle(reading);
  const parts = reading === undefined ? undefined : ownParts(reading);
  return request(core, (job) => {
    if (rule.session !== undefined && job.tx.session(rule.session) === undefined)
      throw refuse('session_unknown', { session: rule.session });
    const label = labelOf(rule.match, parts);
    const written = insertRule(job, {
      ...rule,
      label,
      createdAt: job.tx.now,
      ...(parts === undefined ? {} : { parts }),
    });
    judgeAgain(core, job, rule.scope === 'session' ? rule.session : undefined);
    return written;
  });
}

/** Refuses an allow rule for what asks whatever rules there are: it would promise what it never does. */
function refuseIdle(reading: CommandReading): void {
  const caution = reading.kind === 'parsed' ? reading.parts.find((part) => part.caution) : undefined;
  const why =
    reading.kind === 'unparsed'
      ? unreadWhy(reading.reason)
      : caution?.caution && partWhy(caution, cautionWhy(caution.caution));
  if (why !== undefined)
    throw new RequestError('invalid_params', say('No rule can allow this. {why}', { why }));
}

export function removeRule(core: Core, id: RuleId): Promise<void> {
  return request(core, (job) => {
    const rule = job.tx.rule(id);
    if (rule === undefined) throw refuse('rule_unknown', { rule: id });
    deleteRule(job, rule);
    judgeAgain(core, job, rule.session);
  });
}

/** Stand for the turn and the call that there are not. */
const EXPLAIN_TURN = TurnId.parse('explain');
const EXPLAIN_CALL = CallId.parse('explain');

export async function explain(
  core: Core,
  session: SessionId,
  tool: string,
  args: unknown,
): Promise<Explained> {
  const { folder, ...now } = circumstancesOf(core, session);
  const place = {
    session,
    turn: EXPLAIN_TURN,
    call: EXPLAIN_CALL,
    folder,
    roots: [folder, ...core.roots()],
    hidden: core.hidden,
  };
  const prepared = await core.tools.prepare(tool, JSON.stringify(args), place);
  if ('error' in prepared) throw new RequestError('invalid_params', prepared.detail);
  const { decision, why } = judge(prepared, now);
  const command = commandOf(prepared.subject);
  const parts = command === undefined ? [] : judgeParts(command, rulesOf(now), now.mode);
  return {
    decision,
    why,
    offers: offersFor(prepared, now).map((offer) => offer.label),
    parts: parts.map(({ part, ...judged }) => ({ command: part.text, ...judged })),
  };
}

function circumstancesOf(core: Core, session: SessionId): Circumstances & { readonly folder: string } {
  return core.ledger.read((tx) => {
    const row = tx.session(session);
    if (row === undefined) throw refuse('session_unknown', { session });
    return {
      mode: row.mode,
      trusted: core.trusted(),
      session,
      rules: tx.rules(session),
      folder: row.folder,
    };
  });
}
