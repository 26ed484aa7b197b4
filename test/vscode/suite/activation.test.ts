import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { extension } from './belay';

describe('Belay in VS Code', () => {
  it('activates, offers its log, and answers from its host', async () => {
    const api = await extension().activate();
    const { host } = await api.request('host/status', {});
    assert.equal(host.readOnly, false);
    const commands = await vscode.commands.getCommands(true);
    assert.ok(commands.includes('belay.showLog'));
    assert.ok(api.activatedInMs > 0);
  });
});
