import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { COMMANDS, SCHEMES } from '../../../extension/ids';
import { Agent, eventually, extension, folder } from './belay';

const wants = (command: string, background = false): object => ({
  calls: [{ tool: 'shell', args: { command, ...(background ? { background } : {}) } }],
});

describe('Belay inside VS Code', () => {
  it('has registered every command', async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(COMMANDS).filter((id) => !known.has(id)),
      [],
    );
  });

  it('offers its protocol to others, but for what belongs to the owner of the host', async () => {
    const api = extension().exports;
    assert.equal(api.protocolVersion, 1);
    const { host } = await api.request('host/status', {});
    assert.equal(host.trusted, true);
    await assert.rejects(api.request('shutdown', {}), /own/);
    await assert.rejects(api.request('turn/get', { turn: 'nothing' }), { code: 'turn_unknown' });
  });

  it('keeps its store in the folder that VS Code gives this workspace', async () => {
    const { dir } = await extension().exports.request('store/status', {});
    assert.match(dir, /workspaceStorage/);
  });
});

describe('a request inside VS Code', () => {
  let agent: Agent;

  before(async () => {
    agent = await Agent.start();
  });

  after(() => agent.stop());

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('is allowed by the command of its row', async () => {
    await agent.send('make it', [wants('echo done > suite.txt'), { text: 'Made.' }]);
    const asked = await agent.next('approval_requested');
    await vscode.commands.executeCommand(COMMANDS.needAllow, { approval: asked.data.id });
    const answered = await agent.next('approval_answered');
    assert.equal(answered.data.decision, 'allow');
    assert.equal(answered.data.by, 'you from the tree');
    assert.equal((await agent.next('turn_ended')).data.status, 'completed');
    assert.equal(readFileSync(join(folder(), 'suite.txt'), 'utf8'), 'done\n');
  });

  it('of an edit opens both sides as a diff, which closes when it is denied', async () => {
    const args = { path: 'suite.txt', old: 'done', new: 'gone' };
    await agent.send('change it', [{ calls: [{ tool: 'edit', args }] }, { text: 'As you like.' }]);
    const asked = await agent.next('approval_requested');
    await vscode.commands.executeCommand(COMMANDS.openDiff, { approval: asked.data.id });
    const diff = await eventually('a diff editor', () =>
      vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .map((tab) => tab.input)
        .find((input) => input instanceof vscode.TabInputTextDiff),
    );
    const texts = await Promise.all(
      [diff.original, diff.modified].map(async (uri) =>
        (await vscode.workspace.openTextDocument(uri)).getText(),
      ),
    );
    assert.deepEqual(texts, ['done\n', 'gone\n']);
    await vscode.commands.executeCommand(COMMANDS.needDeny, diff.modified);
    assert.equal((await agent.next('approval_answered')).data.decision, 'deny');
    await eventually('no diff editor', () =>
      vscode.window.tabGroups.all
        .flatMap((group) => group.tabs)
        .every((tab) => !tab.label.includes('proposed')),
    );
    await agent.next('turn_ended');
  });

  it('leaves the output of what it started as a document that grows', async () => {
    await agent.send('serve', [
      wants('echo one; sleep 1; echo two', true),
      { text: 'Started.' },
      { text: 'Seen.' },
    ]);
    const asked = await agent.next('approval_requested');
    await vscode.commands.executeCommand(COMMANDS.needAllow, { approval: asked.data.id });
    const { data } = await agent.next('handle_started');
    await vscode.commands.executeCommand(COMMANDS.handleOutput, { handle: data.handle });
    const editor = await eventually('the output', () =>
      vscode.window.visibleTextEditors.find((one) => one.document.uri.scheme === SCHEMES.output),
    );
    await eventually('its end', () => /one\ntwo\n\[proc:\d+ · done\]/.test(editor.document.getText()));
  });

  it('is found in the audit, with who decided and how it ended', async () => {
    await vscode.commands.executeCommand(COMMANDS.auditPage);
    const document = await eventually('the audit', () =>
      vscode.workspace.textDocuments.find((one) => one.uri.scheme === SCHEMES.audit),
    );
    const line = document
      .getText()
      .split('\n')
      .find((one) => /echo done .*suite/.test(one));
    assert.match(line ?? '', /allowed by you from the tree \| yes/);
  });

  it('belongs to a session that can be forked on its row', async () => {
    await vscode.commands.executeCommand(COMMANDS.sessionFork, { session: agent.session });
    const { data } = await agent.next('session_created');
    assert.notEqual(data.session.id, agent.session);
    const { items } = await agent.api.request('transcript/read', { session: data.session.id });
    assert.ok(items.length > 0);
    await agent.api.request('session/delete', { session: data.session.id });
  });

  it('says nothing when a row is answered that no longer waits', async () => {
    await vscode.commands.executeCommand(COMMANDS.needAllow, { approval: 'a-nothing' });
  });
});

describe('the settings inside VS Code', () => {
  it('come from the person and never from the workspace', async () => {
    const settings = vscode.workspace.getConfiguration('belay');
    await assert.rejects(
      Promise.resolve(settings.update('approvals.mode', 'full', vscode.ConfigurationTarget.Workspace)),
    );
    await settings.update('approvals.mode', 'edits', vscode.ConfigurationTarget.Global);
    const agent = await Agent.start();
    const { session } = await agent.api.request('session/get', { session: agent.session });
    assert.equal(session.mode, 'edits');
    await settings.update('approvals.mode', undefined, vscode.ConfigurationTarget.Global);
    await agent.stop();
  });
});
