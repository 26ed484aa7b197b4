import { join } from 'node:path';
import * as vscode from 'vscode';
import { followActiveEditor } from './activeEditor';
import { createApi, type BelayApi } from './api';
import type { Belay } from './belay';
import { ClientTools } from './clientTools/clientTools';
import { diagnosticsTool, openDiffTool } from './clientTools/editorTools';
import { systemClock } from './clock';
import { offerProblems } from './commands/attach';
import { registerCommands } from './commands/commands';
import { guarded } from './commands/guarded';
import { followContextKeys } from './contextKeys';
import { createHostClient, storeFolder } from './createHostClient';
import { Deeds, deedOf } from './deeds';
import { createSecrets } from './createSecrets';
import { provideAudit } from './documents/auditDocument';
import { provideChangeFiles } from './documents/changeFiles';
import { provideDiffs } from './documents/diffDocument';
import { provideOutput } from './documents/outputDocument';
import { runEditorCommand } from './editorCommands';
import { KeptFile } from './keptFile';
import { followHostNotices } from './notices/hostNotice';
import { followSilence } from './notices/silentHost';
import { followServers } from './notices/serverNotice';
import { announceEnds } from './notices/endNotice';
import { announceRequests } from './notices/requestNotice';
import { learnSentences } from './said';
import { Settings } from './settingsWatch';
import { takeSignInAnswers } from './signInAnswers';
import { followStartup } from './startup';
import { SnapshotStore } from './state';
import { createStatusItem } from './status/statusItem';
import { UnsavedFiles } from './unsavedFiles';
import { Unseen } from './unseen';
import { WrittenFiles } from './writtenFiles';
import { AuditView } from './views/auditView';
import { provideTerminalProfile, Terminals } from './terminals/terminals';
import { ChangesView } from './views/changesView';
import { ChatView } from './views/chatView';
import { createHandlesView, createServersView, createSessionsView } from './views/lists';
import { NeedsView } from './views/needsView';

let running: Belay | undefined;

export function activate(context: vscode.ExtensionContext): BelayApi {
  const began = performance.now();
  const l10n = vscode.Uri.joinPath(context.extensionUri, 'l10n').fsPath;
  learnSentences(l10n);
  const log = vscode.window.createOutputChannel('Belay', { log: true });
  const secrets = createSecrets(context);
  const settings = new Settings((text) => log.warn(text));
  const unsaved = new UnsavedFiles((text) => log.warn(text));
  const cord = () => state.current?.host;
  const clientTools = new ClientTools(cord, (text) => log.warn(text));
  for (const tool of [diagnosticsTool, openDiffTool]) void clientTools.add(tool);
  const host = createHostClient({ context, log, secrets, settings, unsaved, cord, clientTools });
  const state = new SnapshotStore(host, (text) => log.warn(text), systemClock);

  const start = (): void => void host.start().catch(() => undefined);
  const needs = new NeedsView(state, systemClock, start);
  const chat = new ChatView({
    host,
    settings,
    memory: new KeptFile(join(storeFolder(context), 'shown.json')),
    written: new WrittenFiles(join(storeFolder(context), 'written')),
    dist: vscode.Uri.joinPath(context.extensionUri, 'dist'),
    l10n,
    run: (command) => void guarded(belay, () => runEditorCommand(belay, command)),
  });

  const unseen = new Unseen();
  const deeds = new Deeds(context.globalState, context.extension.id);
  const audit = new AuditView(host, state, systemClock, start);
  const terminals = new Terminals();
  const changes = new ChangesView(host, state, chat, systemClock, start);
  const belay: Belay = {
    context,
    log,
    host,
    state,
    secrets,
    settings,
    unseen,
    needs,
    chat,
    audit,
    terminals,
    changes,
  };
  running = belay;
  context.subscriptions.push(
    log,
    settings,
    unsaved,
    needs,
    createSessionsView(host, state, unseen, systemClock, start),
    createHandlesView(state, systemClock, terminals, start),
    createServersView(state, systemClock, start),
    chat,
    audit,
    changes,
    createStatusItem(host, state),
    followContextKeys({ host, state, settings, did: (step) => deeds.did(step) }),
    host.onEvent((event) => deeds.did(deedOf(event))),
    announceRequests(belay),
    announceEnds(belay, systemClock),
    followHostNotices(belay, systemClock),
    followSilence(belay),
    followServers(belay),
    followActiveEditor(chat, systemClock),
    provideDiffs(belay),
    provideOutput(belay, systemClock),
    provideAudit(host, state),
    terminals,
    provideTerminalProfile(belay),
    provideChangeFiles(host),
    offerProblems(),
    registerCommands(belay),
    takeSignInAnswers(belay),
    followStartup(belay),
  );
  const activatedInMs = performance.now() - began;
  log.info(`Activated in ${activatedInMs.toFixed(1)} ms.`);
  return createApi(host, clientTools, activatedInMs);
}

/** VS Code waits about five seconds for this; the host needs less to close its store. */
export async function deactivate(): Promise<void> {
  await Promise.all([running?.host.close(), running?.chat.kept()]);
}
