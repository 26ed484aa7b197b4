import * as vscode from 'vscode';
import { COMMANDS } from './ids';
import { Secrets } from './secrets';

const NAMES = 'belay.secretNames';

/** The keys of this person, with a word to them when VS Code has lost one. */
export function createSecrets(context: vscode.ExtensionContext): Secrets {
  const { globalState } = context;
  const names = {
    get: () => globalState.get<readonly string[]>(NAMES, []),
    set: (all: readonly string[]) => globalState.update(NAMES, all),
  };
  return new Secrets(context.secrets, names, (name) => void tellLost(name.replace(/^model\//, '')));
}

async function tellLost(provider: string): Promise<void> {
  const again = vscode.l10n.t('Set model key…');
  const text = vscode.l10n.t(
    'VS Code has lost the key of {0}: it has no keyring here to keep it in. Set it again, or name an environment variable in "apiKeyEnv".',
    provider,
  );
  if ((await vscode.window.showWarningMessage(text, again)) === again) {
    await vscode.commands.executeCommand(COMMANDS.setModelKey);
  }
}
