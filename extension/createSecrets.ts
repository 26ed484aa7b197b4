import { join } from 'node:path';
import * as vscode from 'vscode';
import { COMMANDS } from './ids';
import { KeptFile } from './keptFile';
import { Secrets, SERVER_SECRETS, type SecretNames } from './secrets';
import { noticeLine } from './views/line';

/** The keys of this person, with a word to them when VS Code has lost one. */
export function createSecrets(context: vscode.ExtensionContext): Secrets {
  const names = namesIn(new KeptFile(join(context.globalStorageUri.fsPath, 'secrets.json')));
  return new Secrets(context.secrets, names, (name) => {
    // A server says itself what it wants again.
    if (!name.startsWith(SERVER_SECRETS)) void tellLost(name.replace(/^model\//, ''));
  });
}

function namesIn(file: KeptFile): SecretNames {
  return {
    get: async () => {
      const names = await file.get();
      return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
    },
    set: (names) => file.set(names),
  };
}

async function tellLost(provider: string): Promise<void> {
  const again = vscode.l10n.t('Set model key…');
  const text = vscode.l10n.t(
    'VS Code has lost the key of {0}: it has no keyring here to keep it in. Set it again, or name an environment variable in "apiKeyEnv".',
    noticeLine(provider),
  );
  if ((await vscode.window.showWarningMessage(text, again)) === again) {
    await vscode.commands.executeCommand(COMMANDS.setModelKey);
  }
}
