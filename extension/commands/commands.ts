/** Which command does what. */
import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { openDiff } from '../documents/diffDocument';
import { COMMANDS, type CommandId } from '../ids';
import { answerCommand } from './answer';
import { allowRow, allowRowFor, approve } from './approve';
import { attachFile, attachProblem, attachSelection, attachTerminalText } from './attach';
import { auditPage, exportAudit, filterAudit, moreAudit, showAudit, unfilterAudit } from './audit';
import { openChange, openChangedFile, revertAll, revertChange, reviewChanges, showChanges } from './changes';
import { changeAgentModel } from './agentModel';
import { chooseModel } from './chooseModel';
import { deny, denyRow, denyRowWith } from './deny';
import { explain } from './explain';
import { findSession } from './findSession';
import { guarded } from './guarded';
import { manageRules } from './manageRules';
import { newSession } from './newSession';
import { nextRequest } from './nextRequest';
import { openDemo } from './openDemo';
import { openOutput } from './openOutput';
import { openWalkthrough } from './openWalkthrough';
import { pause } from './pause';
import { prune } from './prune';
import { removeModelKey } from './removeModelKey';
import { restartHost } from './restartHost';
import { resume } from './resume';
import { queue, steer } from './sendMessage';
import { consentToServer, restartServer, showServerLog, startServer, stopServer } from './servers';
import {
  archiveSession,
  deleteSession,
  exportSession,
  forkSession,
  importSession,
  openSession,
  renameSession,
  restoreSession,
} from './sessions';
import { enterInputs } from './serverInputs';
import { setModelKey } from './setModelKey';
import { showFound } from './showFound';
import { showNeed } from './showNeed';
import { cancelSignIn, signInToServer, signOutOfServer } from './signIn';
import { stopHandle } from './stopHandle';
import { attachTerminal } from '../terminals/terminals';
import { continueTurn, stopTurn, summarise } from './turns';
import type { Disposable } from '../disposable';
import { openSettings } from '../openSettings';

/** `target` is the row, or what a caller has put in its place; `all` are the rows that are selected with it. */
type Run = (belay: Belay, target: unknown, all: unknown) => unknown;

const runs: Readonly<Record<CommandId, Run>> = {
  [COMMANDS.approve]: approve,
  [COMMANDS.deny]: deny,
  [COMMANDS.answer]: (belay) => answerCommand(belay, undefined),
  [COMMANDS.nextRequest]: nextRequest,
  [COMMANDS.pause]: pause,
  [COMMANDS.resume]: resume,
  [COMMANDS.steer]: steer,
  [COMMANDS.queue]: queue,
  [COMMANDS.newSession]: newSession,
  [COMMANDS.openChat]: (belay) => belay.chat.show(),
  [COMMANDS.stopTurn]: (belay) => stopTurn(belay, undefined),
  [COMMANDS.summarise]: summarise,
  [COMMANDS.continueTurn]: (belay) => continueTurn(belay, undefined),
  [COMMANDS.stopHandle]: (belay) => stopHandle(belay, undefined),
  [COMMANDS.openOutput]: (belay) => openOutput(belay, undefined),
  [COMMANDS.attachTerminal]: (belay) => attachTerminal(belay, undefined),
  [COMMANDS.setModelKey]: (belay) => setModelKey(belay),
  [COMMANDS.removeModelKey]: removeModelKey,
  [COMMANDS.chooseModel]: chooseModel,
  [COMMANDS.chooseAgentModel]: (belay) => changeAgentModel(belay, undefined),
  [COMMANDS.manageRules]: manageRules,
  [COMMANDS.explain]: explain,
  [COMMANDS.showAudit]: showAudit,
  [COMMANDS.exportAudit]: exportAudit,
  [COMMANDS.auditPage]: auditPage,
  [COMMANDS.auditFilter]: filterAudit,
  [COMMANDS.auditUnfilter]: unfilterAudit,
  [COMMANDS.auditMore]: moreAudit,
  [COMMANDS.prune]: prune,
  [COMMANDS.showLog]: (belay) => belay.log.show(),
  [COMMANDS.restartHost]: restartHost,
  [COMMANDS.openWalkthrough]: openWalkthrough,
  [COMMANDS.showFound]: showFound,
  [COMMANDS.openDemo]: openDemo,
  [COMMANDS.openDiff]: openDiff,
  [COMMANDS.openSettings]: ({ context }) => openSettings(`@ext:${context.extension.id}`),
  [COMMANDS.attachSelection]: attachSelection,
  [COMMANDS.attachFile]: attachFile,
  [COMMANDS.attachTerminalText]: attachTerminalText,
  [COMMANDS.attachProblem]: attachProblem,
  [COMMANDS.needAllow]: allowRow,
  [COMMANDS.needAllowFor]: allowRowFor,
  [COMMANDS.needDeny]: denyRow,
  [COMMANDS.needDenyWith]: denyRowWith,
  [COMMANDS.needAnswer]: answerCommand,
  [COMMANDS.needShow]: showNeed,
  [COMMANDS.needWithdraw]: stopHandle,
  [COMMANDS.sessionOpen]: openSession,
  [COMMANDS.sessionRename]: renameSession,
  [COMMANDS.sessionArchive]: archiveSession,
  [COMMANDS.sessionRestore]: restoreSession,
  [COMMANDS.sessionFork]: forkSession,
  [COMMANDS.sessionExport]: exportSession,
  [COMMANDS.sessionImport]: importSession,
  [COMMANDS.sessionFind]: findSession,
  [COMMANDS.sessionDelete]: deleteSession,
  [COMMANDS.sessionStop]: stopTurn,
  [COMMANDS.sessionContinue]: continueTurn,
  [COMMANDS.reviewChanges]: reviewChanges,
  [COMMANDS.showChanges]: showChanges,
  [COMMANDS.changeDiff]: openChange,
  [COMMANDS.changeOpen]: openChangedFile,
  [COMMANDS.changeRevert]: revertChange,
  [COMMANDS.changesRevert]: revertAll,
  [COMMANDS.handleOutput]: openOutput,
  [COMMANDS.handleStop]: stopHandle,
  [COMMANDS.handleAttach]: attachTerminal,
  [COMMANDS.serverStart]: startServer,
  [COMMANDS.serverRestart]: restartServer,
  [COMMANDS.serverStop]: stopServer,
  [COMMANDS.serverConsent]: consentToServer,
  [COMMANDS.serverLog]: showServerLog,
  [COMMANDS.serverSignIn]: signInToServer,
  [COMMANDS.serverSignInCancel]: cancelSignIn,
  [COMMANDS.serverSignOut]: signOutOfServer,
  [COMMANDS.serverInputs]: enterInputs,
};

export function registerCommands(belay: Belay): Disposable {
  return vscode.Disposable.from(
    ...Object.entries(runs).map(([id, run]) =>
      vscode.commands.registerCommand(id, (target: unknown, all: unknown) =>
        guarded(belay, () => run(belay, target, all)),
      ),
    ),
  );
}
