/** Rules that a person gives and takes back, and what the rules of now would say of a call. */
import {
  CallId,
  say,
  SessionId,
  TurnId,
  type Rule,
  type RuleDraft,
  type RuleId,
  type RuleMatch,
} from '../../../protocol';
import { commandOf, judge, offersFor, PROTECTED_WHY, rulesOf, type Circumstances } from '../approvals/judge';
import { cautionWhy, partWhy, unreadWhy } from '../approvals/cautions';
import { isFurtherHead } from '../approvals/further';
import { judgeParts } from '../approvals/judgeCommand';
import { ownParts, type CommandPart, type CommandReading } from '../approvals/reading';
import { labelOf } from '../approvals/ruleLabel';
import { refuse, RequestError } from '../errors';
import type { Tx } from '../ledger';
import type { Workplace } from '../ports';
import type { RuleRecord } from '../records';
import { ruleView } from '../views';
import { circumstancesIn } from './circumstances';
import { request, type Core } from './core';
import { deleteRule, insertRule, told } from './ruleRows';
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

export async function addRule(core: Core, given: RuleGiven): Promise<Rule> {
  const { match, label, parts } = await drafted(core, given);
  const draft = { ...given, match, label, ...(parts === undefined ? {} : { parts }) };
  if (given.scope === 'user') return addUserRule(core, draft);
  return request(core, (job) => {
    refuseDraft(core, job.tx, given);
    const written = insertRule(job, { ...draft, createdAt: job.tx.now });
    judgeAgain(core, job, given.scope === 'session' ? given.session : undefined);
    return written;
  });
}

/** It is on disk, outside of the store, before anyone is told of it (R1). */
async function addUserRule(core: Core, draft: RuleGiven & Drafted): Promise<Rule> {
  core.ledger.read((tx) => refuseDraft(core, tx, draft));
  const rule = await core.userRules.add({ ...draft, createdAt: core.clock.now() });
  await rulesChanged(core, [rule], []);
  return ruleView(rule);
}

export function rulesChanged(
  core: Core,
  added: readonly RuleRecord[],
  removed: readonly RuleRecord[],
): Promise<void> {
  return request(core, (job) => {
    for (const rule of removed) told(job, rule, 'removed');
    for (const rule of added) told(job, rule, 'added');
    judgeAgain(core, job, undefined);
  });
}

/** The words that the rule would be listed with; refused as it would be. */
export async function previewRule(core: Core, given: RuleDraft): Promise<string> {
  const { label } = await drafted(core, given);
  core.ledger.read((tx) => refuseDraft(core, tx, given));
  return label;
}

interface Drafted {
  readonly match: RuleMatch;
  readonly label: string;
  readonly parts?: readonly CommandPart[];
}

/** How a rule is listed. Refuses an allow rule that could never hold: it would promise what it never does. */
async function drafted(core: Core, draft: RuleDraft): Promise<Drafted> {
  const { effect, match, session } = draft;
  const label = (parts?: readonly CommandPart[]): string => labelOf(draft, parts);
  switch (match.kind) {
    case 'command': {
      const reading = await core.commands.read(match.command);
      if (effect === 'allow') refuseIdle(reading);
      const parts = ownParts(reading);
      if (
        match.further === true &&
        (effect !== 'allow' || match.folder === undefined || !isFurtherHead(parts))
      )
        throw idle(
          say('Only a command that is known to run nothing else can have further words; write * instead.'),
        );
      return { match, label: label(parts), parts };
    }
    case 'path':
      if (effect === 'allow' && match.access !== 'read') await refuseProtected(core, match.path, session);
      return { match, label: label() };
    case 'folder':
      if (effect === 'allow' && match.access === 'read') throw idle(ONE_BY_ONE);
      if (effect === 'allow') await refuseProtected(core, `${match.path}/file`, session);
      return { match, label: label() };
    case 'pattern':
      if (effect === 'allow') throw idle(ONE_BY_ONE);
      return { match, label: label() };
    case 'server':
      return { match, label: label() };
    case 'tool': {
      const whose = effect === 'allow' ? ofSomebody(core, match) : match;
      return { match: whose, label: labelOf({ ...draft, match: whose }) };
    }
  }
}

const ONE_BY_ONE = say('Files whose reading asks are allowed one by one.');

type ToolMatch = Extract<RuleMatch, { kind: 'tool' }>;

/** What allows is for the tool of one owner: that of whoever has the name now, where it names none. */
function ofSomebody(core: Core, match: ToolMatch): ToolMatch {
  if (match.origin !== undefined) return match;
  const origin = core.tools.originOf(match.tool);
  if (origin === undefined)
    throw idle(say('There is no tool {name} now; allow it when it is asked for.', { name: match.tool }));
  return origin === 'own' ? match : { ...match, origin };
}

async function refuseProtected(core: Core, path: string, session = NO_SESSION): Promise<void> {
  const place = placeOf(core, session, core.roots()[0] ?? path);
  const edit = await core.tools.prepare('write', JSON.stringify({ path, text: '' }), place);
  if ('class' in edit && edit.class === 'edit_protected') throw idle(PROTECTED_WHY);
}

function refuseDraft(core: Core, tx: Pick<Tx, 'session'>, { effect, session }: RuleDraft): void {
  if (session !== undefined && tx.session(session) === undefined)
    throw refuse('session_unknown', { session });
  if (effect === 'allow' && !core.trusted()) throw refuse('untrusted_workspace');
}

function refuseIdle(reading: CommandReading): void {
  const caution = reading.kind === 'parsed' ? reading.parts.find((part) => part.caution) : undefined;
  const why =
    reading.kind === 'unparsed'
      ? unreadWhy(reading.reason)
      : caution?.caution && partWhy(caution, cautionWhy(caution.caution));
  if (why !== undefined) throw idle(why);
}

const idle = (why: string): RequestError =>
  new RequestError('invalid_params', say('No rule can allow this. {why}', { why }));

export async function removeRule(core: Core, id: RuleId): Promise<void> {
  const ofUser = core.userRules.all().find((rule) => rule.id === id);
  if (ofUser !== undefined) {
    await core.userRules.remove(id);
    return rulesChanged(core, [], [ofUser]);
  }
  return request(core, (job) => {
    const rule = job.tx.rule(id);
    if (rule === undefined) throw refuse('rule_unknown', { rule: id });
    deleteRule(job, rule);
    judgeAgain(core, job, rule.session);
  });
}

/** Stand for what there is not, where a call is only thought of. */
const NO_SESSION = SessionId.parse('none');
const NO_TURN = TurnId.parse('none');
const NO_CALL = CallId.parse('none');

const placeOf = (core: Core, session: SessionId, folder: string): Workplace => ({
  session,
  turn: NO_TURN,
  call: NO_CALL,
  folder,
  roots: [folder, ...core.roots()],
  hidden: core.hidden,
  started: core.started?.() ?? [],
});

export async function explain(
  core: Core,
  session: SessionId,
  tool: string,
  args: unknown,
): Promise<Explained> {
  const { folder, ...now } = circumstancesOf(core, session);
  const prepared = await core.tools.prepare(tool, JSON.stringify(args), placeOf(core, session, folder));
  if ('error' in prepared) throw new RequestError('invalid_params', prepared.detail);
  const { decision, why } = judge(prepared, now);
  const command = commandOf(prepared.subject);
  const parts = command === undefined ? [] : judgeParts(command, rulesOf(now), now);
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
    return { ...circumstancesIn(core, tx, session, row.mode), folder: row.folder };
  });
}
