/** Every id that `package.json` knows as well. A test compares the two, so a slip on either side fails. */
import type { BY } from '../webview/bridgeProtocol';

export const COMMANDS = {
  approve: 'belay.approve',
  deny: 'belay.deny',
  answer: 'belay.answer',
  nextRequest: 'belay.nextRequest',
  pause: 'belay.pause',
  resume: 'belay.resume',
  steer: 'belay.steer',
  queue: 'belay.queue',
  newSession: 'belay.newSession',
  openChat: 'belay.openChat',
  stopTurn: 'belay.stopTurn',
  continueTurn: 'belay.continueTurn',
  summarise: 'belay.summarise',
  stopHandle: 'belay.stopHandle',
  openOutput: 'belay.openOutput',
  attachTerminal: 'belay.attachTerminal',
  setModelKey: 'belay.setModelKey',
  removeModelKey: 'belay.removeModelKey',
  chooseModel: 'belay.chooseModel',
  chooseAgentModel: 'belay.chooseAgentModel',
  manageRules: 'belay.manageRules',
  explain: 'belay.explain',
  showAudit: 'belay.showAudit',
  exportAudit: 'belay.exportAudit',
  auditPage: 'belay.audit.page',
  auditFilter: 'belay.audit.filter',
  auditUnfilter: 'belay.audit.unfilter',
  auditMore: 'belay.audit.more',
  prune: 'belay.prune',
  showLog: 'belay.showLog',
  restartHost: 'belay.restartHost',
  openWalkthrough: 'belay.openWalkthrough',
  showFound: 'belay.showFound',
  openDemo: 'belay.openDemo',
  openDiff: 'belay.openDiff',
  openSettings: 'belay.openSettings',
  attachSelection: 'belay.attachSelection',
  attachFile: 'belay.attachFile',
  attachTerminalText: 'belay.attachTerminalText',
  attachProblem: 'belay.attachProblem',
  needAllow: 'belay.need.allow',
  needAllowFor: 'belay.need.allowFor',
  needDeny: 'belay.need.deny',
  needDenyWith: 'belay.need.denyWith',
  needAnswer: 'belay.need.answer',
  needShow: 'belay.need.show',
  needWithdraw: 'belay.need.withdraw',
  sessionOpen: 'belay.session.open',
  sessionRename: 'belay.session.rename',
  sessionArchive: 'belay.session.archive',
  sessionRestore: 'belay.session.restore',
  sessionFork: 'belay.session.fork',
  sessionExport: 'belay.session.export',
  sessionImport: 'belay.session.import',
  sessionFind: 'belay.session.find',
  sessionDelete: 'belay.session.delete',
  sessionStop: 'belay.session.stop',
  sessionContinue: 'belay.session.continue',
  reviewChanges: 'belay.reviewChanges',
  showChanges: 'belay.showChanges',
  changeDiff: 'belay.change.diff',
  changeOpen: 'belay.change.open',
  changeRevert: 'belay.change.revert',
  changesRevert: 'belay.changes.revert',
  handleOutput: 'belay.handle.output',
  handleStop: 'belay.handle.stop',
  handleAttach: 'belay.handle.attach',
  serverStart: 'belay.server.start',
  serverRestart: 'belay.server.restart',
  serverStop: 'belay.server.stop',
  serverConsent: 'belay.server.consent',
  serverLog: 'belay.server.log',
  serverSignIn: 'belay.server.signIn',
  serverSignInCancel: 'belay.server.signInCancel',
  serverSignOut: 'belay.server.signOut',
  serverInputs: 'belay.server.inputs',
} as const;
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

export const CONTAINER = 'belay';

export const VIEWS = {
  needs: 'belay.needs',
  sessions: 'belay.sessions',
  handles: 'belay.handles',
  audit: 'belay.audit',
  changes: 'belay.changes',
  servers: 'belay.servers',
  chat: 'belay.chat',
} as const;

export const WALKTHROUGH = 'belay.start';

/** The steps of the walkthrough that end with a deed, each with what the deed is. */
export const STEPS = {
  model: 'a model can work, or one was chosen for new sessions or for one',
  session: 'there is a session',
  approve: 'a person has answered a request',
  steer: 'a turn at work has read a message',
  pause: 'everything was paused',
} as const;
export type Step = keyof typeof STEPS;

/** In the list of the terminal panel's profiles: one of the agent's terminals. */
export const TERMINAL_PROFILE = 'belay.agentTerminal';

/** Keys for `when` clauses. */
export const CONTEXT = {
  /** Files in the view of changes, `none` without a session; unset until it was shown. */
  changes: 'belay.changed',
  /** `stopped`, `starting`, `ready`, `restarting` or `failed`. */
  host: 'belay.host',
  paused: 'belay.paused',
  approvals: 'belay.approvals',
  questions: 'belay.questions',
  sessions: 'belay.sessions',
  running: 'belay.running',
  /** Sessions whose newest turn was cut off and can be continued. */
  cutOff: 'belay.cutOff',
  handles: 'belay.handles',
  openHandles: 'belay.openHandles',
  terminals: 'belay.terminals',
  servers: 'belay.serverCount',
  /**
   * What new sessions begin with: a model that can work (`ready`), the `rehearsal`, or one that cannot (`none`); unset
   * until it is known.
   */
  models: 'belay.models',
  /** Entries in the audit; unset until it was shown. */
  audited: 'belay.audited',
  auditFiltered: 'belay.auditFiltered',
  /** With the id of a step behind a dot: its deed was done for the first time, in this window. */
  did: 'belay.did',
} as const;

/** The settings under `belay.`, by the paths that the host knows them by. */
export const SETTINGS = [
  'models.providers',
  'models.default',
  'mcp.servers',
  'mcp.inputs',
  'harnesses',
  'approvals.mode',
  'approvals.holdMs',
  'approvals.lapseMs',
  'approvals.notify',
  'notifications.ends',
  'handles.wakeIdleSession',
  'projectInstructions',
  'protectedReads',
  'terminals.ownShell',
  'limits.roundsPerTurn',
  'limits.tokensPerTurn',
  'limits.costUsdPerTurn',
  'limits.modelAttempts',
  'limits.stallMs',
  'limits.backoffMs',
  'limits.steerGraceMs',
  'limits.clientGraceMs',
  'limits.shellMs',
  'limits.mcpCallMs',
  'limits.mcpCallMostMs',
  'limits.serverStartMs',
  'limits.serverBackoffMs',
  'limits.signInMs',
] as const;
export type SettingKey = (typeof SETTINGS)[number];

/** Settings of the editor that say how requests leave this machine; Belay's own requests obey them as well. */
export const HTTP_SETTINGS = [
  'http.proxy',
  'http.noProxy',
  'http.proxyStrictSSL',
  'http.proxyAuthorization',
  'http.proxySupport',
  'http.systemCertificates',
] as const;
export type HttpSettingKey = (typeof HTTP_SETTINGS)[number];

/** Who acted, by the place where it was done; the same words as the chat's. */
export const by: typeof BY = {
  chat: 'you from the chat',
  tree: 'you from the tree',
  notification: 'you from the notification',
  palette: 'you from the palette',
  statusBar: 'you from the status bar',
};
/** What the status bar item hands to its command, so that the audit can say where a person has clicked. */
export const FROM_STATUS_BAR = 'statusBar';
export type By = (typeof by)[keyof typeof by];

export const SCHEMES = {
  diff: 'belay-diff',
  output: 'belay-output',
  audit: 'belay-audit',
  change: 'belay-change',
} as const;

/** The path under which a browser comes back from a sign-in. */
export const SIGNED_IN_PATH = '/signed-in';
