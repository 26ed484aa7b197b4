import { z } from 'zod';
import { textOf } from './bounded';
import { COMMAND_BYTES } from './limits';
import { ApprovalId, At, CallId, HandleId, RuleId, SessionId, TurnId } from './ids';

/** An MCP server: `hash` is of exactly its configuration, as a consent is bound to it. */
const ServerOrigin = z.object({
  kind: z.literal('server'),
  name: z.string().max(256),
  hash: z.string().max(64),
});

/**
 * Where a tool comes from that is none of Belay's own. A name alone says nothing: an outside agent gives its calls any
 * name, and a server's name goes to whoever is configured under it.
 */
export const ToolOrigin = z.discriminatedUnion('kind', [
  ServerOrigin,
  /** An extension's tool, by the client that serves it. */
  z.object({ kind: z.literal('client'), client: z.string().min(1).max(128) }),
  /** What an outside agent names so, by the agent's id. */
  z.object({ kind: z.literal('agent'), agent: z.string().min(1).max(256) }),
]);
export type ToolOrigin = z.infer<typeof ToolOrigin>;

/** Absolute. */
const Path = z.string().min(1).max(4096);
/** A rule of files is for their edits, or with this for what reads, lists and searches them. */
const access = z.literal('read').optional();

/**
 * What a rule covers. A `command` is one exact command line, in one folder or, with the scope `user`, in every one; a
 * `path` is one file; a `folder` all that is under it; a `pattern` all of its names, wherever they are, and what is under
 * them (`.env*`, `secrets/*.json`, `**` for any folders); a `tool` all its calls; a `server` all calls of its tools.
 * A pattern, and a folder for reads, can deny and ask, and not allow; a folder for edits allows none that is outside of
 * the workspace or protected. What a search finds in files that a rule keeps from being read is left out of its result.
 * `further`, only to allow: the line with further words behind it. They are names, paths inside of the folder, and
 * options that only choose or show; the line is of a program of which such words are known to run nothing else.
 * Without `origin` a rule that allows is for a tool of Belay's own, and one that denies or asks for all of that name;
 * `rule/add` fills in the origin of one that allows.
 */
export const RuleMatch = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    command: textOf(COMMAND_BYTES),
    folder: Path.optional(),
    further: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('path'), path: Path, access }),
  z.object({ kind: z.literal('folder'), path: Path, access }),
  z.object({ kind: z.literal('pattern'), pattern: z.string().min(1).max(256), access }),
  z.object({
    kind: z.literal('tool'),
    tool: z.string().min(1).max(128),
    origin: ToolOrigin.optional(),
  }),
  z.object({ kind: z.literal('server'), server: ServerOrigin }),
]);
export type RuleMatch = z.infer<typeof RuleMatch>;

/** `user`: in all workspaces of the person, kept outside of the stores (`rulesDir` of `initialize`). */
export const RuleScope = z.enum(['session', 'workspace', 'user']);

export const Rule = z.object({
  id: RuleId,
  effect: z.enum(['allow', 'ask', 'deny']),
  scope: RuleScope,
  /** Only with scope `session`. */
  session: SessionId.optional(),
  match: RuleMatch,
  /** The words in which the rule is shown everywhere. */
  label: z.string(),
  createdAt: At,
  by: z.string(),
});
export type Rule = z.infer<typeof Rule>;

/** A rule that a person thinks of. `session` belongs to the scope `session`, and only to it. */
export const RuleDraft = Rule.pick({ effect: true, scope: true, session: true, match: true });
export type RuleDraft = z.infer<typeof RuleDraft>;

/** A rule that an allow may leave behind. It is offered only if it would have allowed this very call (A3). */
export const Offer = z.object({ scope: RuleScope.exclude(['user']), match: RuleMatch, label: z.string() });
export type Offer = z.infer<typeof Offer>;

/** What a person needs to see to decide. */
export const Preview = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('command'), command: z.string(), folder: z.string() }),
  z.object({
    kind: z.literal('diff'),
    path: z.string(),
    /** Unified diff, cut after 64 KiB; `approval/preview` gives both sides whole. */
    diff: z.string(),
    added: z.number().int(),
    removed: z.number().int(),
    created: z.boolean(),
    cut: z.boolean(),
  }),
  /** What the agent has written for the person to read: its plan, for one. Cut after 64 KiB. */
  z.object({ kind: z.literal('text'), text: z.string(), cut: z.boolean() }),
  z.object({ kind: z.literal('arguments') }),
]);
export type Preview = z.infer<typeof Preview>;

export const Verdict = z.enum(['allow', 'deny']);
export type Verdict = z.infer<typeof Verdict>;

/** Both texts of a command that a person has changed before allowing it. `from`: as the agent wrote it. */
export const Edited = z.object({ from: z.string(), to: z.string() });
export type Edited = z.infer<typeof Edited>;

/** A call or step that waits for a verdict. */
export const Approval = z.object({
  id: ApprovalId,
  session: SessionId,
  turn: TurnId,
  call: CallId,
  /** Grows by 1 each time the call is announced again (A4); a verdict names it. */
  request: z.number().int().positive(),
  /** The call that this step was made from. */
  parent: CallId.optional(),
  /** Set once the call was lifted. */
  handle: HandleId.optional(),
  tool: z.string(),
  title: z.string(),
  args: z.unknown(),
  preview: Preview,
  /** Why it asks, as a sentence. */
  why: z.string(),
  offers: z.array(Offer),
  /** An allow may carry another `command`: that of a shell or of a terminal. */
  editable: z.literal(true).optional(),
  /** It was changed before, and is announced again since (A4): it still has the command as it was changed. */
  edited: Edited.optional(),
  folder: z.string(),
  /** When it was announced for the first time: it waits since then. */
  askedAt: At,
  /** When it was announced again, the last time (A4). */
  askedAgainAt: At.optional(),
  lapsesAt: At.optional(),
});
export type Approval = z.infer<typeof Approval>;

export const ApprovalAnswer = z.object({
  approval: ApprovalId,
  request: z.number().int().positive(),
  decision: Verdict,
  /** Only with deny: the model reads it. */
  reason: z.string().max(4096).optional(),
  scope: z.enum(['once', 'session', 'workspace']).optional(),
  /** Which of the offers of that scope is meant; the first of them by default. Refused if it is none of them now. */
  match: RuleMatch.optional(),
  /**
   * Only with allow, and only for a request that is `editable`: the command as the person has changed it. It is read
   * and judged anew: what a rule denies, or a tool refuses, is refused with `invalid_params` and the request stays; a
   * scope covers the changed command alone. The call keeps both texts, and its result begins with what was run.
   */
  command: textOf(COMMAND_BYTES).optional(),
  by: z.string().min(1).max(128).optional(),
});

export const ApprovalAnswered = z.object({
  approval: ApprovalId,
  decision: Verdict,
  by: z.string(),
  at: At,
  /** The rule that a scope has written. */
  rule: Rule.optional(),
});
