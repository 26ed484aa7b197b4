import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('Belay in VS Code', () => {
  it('activates and offers its log', async () => {
    const extension = vscode.extensions.getExtension('belay.belay');
    assert.ok(extension, 'the extension is not installed');
    await extension.activate();
    const commands = await vscode.commands.getCommands(true);
    assert.ok(commands.includes('belay.showLog'));
  });
});
