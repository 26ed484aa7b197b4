import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { extension } from './belay';

/** Where the benchmark `editor` finds what was measured here: beside the bundles of the tests. */
const METRICS = join(__dirname, '..', 'activation.json');

describe('Belay in VS Code', () => {
  it('activates, offers its log, and answers from its host', async () => {
    const begin = performance.now();
    const api = await extension().activate();
    const { host } = await api.request('host/status', {});
    const readyMs = performance.now() - begin;
    assert.equal(host.readOnly, false);
    const commands = await vscode.commands.getCommands(true);
    assert.ok(commands.includes('belay.showLog'));
    writeFileSync(METRICS, JSON.stringify({ activateMs: api.activatedInMs, readyMs }));
  });
});
