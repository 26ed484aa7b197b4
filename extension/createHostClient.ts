import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ClientTools } from './clientTools/clientTools';
import { systemClock } from './clock';
import { askEditorModel, offeredModels, type Cord } from './editorModels';
import { HostClient } from './hostClient';
import { isRecord, messageOf } from './hostError';
import { WINDOW_KEY } from '../protocol';
import { startHostWorker } from './hostWorker';
import { OAUTH_SECRETS, windowKey, type Secrets } from './secrets';
import type { Settings } from './settingsWatch';
import type { UnsavedFiles } from './unsavedFiles';
import type { Disposable } from './disposable';

export interface HostParts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly unsaved: UnsavedFiles;
  readonly cord: () => Cord | undefined;
  readonly clientTools: ClientTools;
}

/** The host of this window, with everything that it may ask of the editor. It is started by the first who needs it. */
export function createHostClient({
  context,
  log,
  secrets,
  settings,
  unsaved,
  cord,
  clientTools,
}: HostParts): HostClient {
  const version = versionOf(context);
  const place = {
    dist: join(context.extensionPath, 'dist'),
    version,
    compiled: vscode.Uri.joinPath(context.globalStorageUri, 'compiled').fsPath,
  };
  const host = new HostClient({
    clock: systemClock,
    start: () => startHostWorker(place, (text) => log.info(text)),
    initialize: () =>
      Promise.resolve({
        client: { name: 'vscode', version },
        storeDir: storeFolder(context),
        rulesDir: vscode.Uri.joinPath(context.globalStorageUri, 'rules').fsPath,
        ...settings.read(),
        unsaved: unsaved.read(),
      }),
    log: (level, text) => log[level](text),
    requests: {
      secret: async ({ name }) => {
        const value = await (name === WINDOW_KEY ? windowKey(context.secrets) : secrets.get(name));
        return value === undefined ? {} : { value };
      },
      keepSecret: async ({ name, value }) => {
        // The host keeps sign-ins to servers and nothing else: it cannot replace a key of the person's.
        if (!name.startsWith(OAUTH_SECRETS)) return {};
        await (value === undefined ? secrets.remove(name) : secrets.set(name, value));
        return {};
      },
      model: (request, tell, token) => askEditorModel(request, tell, token, cord),
      clientTool: (call, token) => clientTools.run(call, token),
    },
  });
  settings.follow(host);
  unsaved.follow(host);
  clientTools.follow(host);
  context.subscriptions.push(offerModels(host, log));
  return host;
}

/** The store of this workspace. A window without a folder has one of its own, for all such windows. */
export function storeFolder(context: vscode.ExtensionContext): string {
  return (context.storageUri ?? vscode.Uri.joinPath(context.globalStorageUri, 'no-workspace')).fsPath;
}

/** Tells the host which models the editor has, once it runs and whenever they change. Nothing waits for this. */
function offerModels(host: HostClient, log: vscode.LogOutputChannel): Disposable {
  const offer = async (): Promise<void> => {
    if (host.status.kind !== 'ready') return;
    try {
      await host.request('model/offer', await offeredModels());
    } catch (error) {
      log.debug(`The editor's models could not be offered: ${messageOf(error)}`);
    }
  };
  host.onStatus(() => void offer());
  return vscode.lm.onDidChangeChatModels(() => void offer());
}

function versionOf(context: vscode.ExtensionContext): string {
  const manifest: unknown = context.extension.packageJSON;
  return isRecord(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : '0.0.0';
}
