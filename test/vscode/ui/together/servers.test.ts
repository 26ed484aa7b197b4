import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StandIn } from '../../../support/mcpStandIn';
import { eventually, giveWork, goOnInBelay, type BelayWindow } from '../window';

describe('an MCP server of the workspace in VS Code', () => {
  let window: BelayWindow;
  let standIn: StandIn;

  before(async () => {
    standIn = new StandIn();
    window = await goOnInBelay();
    await window.workbench.container('Belay');
    mkdirSync(join(window.folder, '.vscode'));
    writeFileSync(
      join(window.folder, '.vscode', 'mcp.json'),
      JSON.stringify({ servers: { helper: standIn.config() } }),
    );
    await giveWork(window.workbench, 'start the servers', window.models, [{ text: 'Good morning.' }]);
    await window.workbench
      .view('Sessions')
      .row(/start the servers.*done/)
      .waitFor();
  });

  after(async () => {
    await window.close();
    await standIn.stop();
  });

  const servers = () => window.workbench.view('Servers');

  it('A12 asks for consent to its configuration, starts once it has it, and shows its tools', async () => {
    await servers().expand();
    await servers().row('waits for your consent').waitFor();
    await window.workbench.screenshot('server-consent');
    await servers().row('helper').action('Review and allow server');
    const dialog = window.workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText('mcpServer.mjs').waitFor();
    await window.workbench.screenshot('server-consent-dialog');
    await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
    await servers().row('ready').waitFor();
    await servers().row('helper').click();
    await servers().row('echo').waitFor();
    await window.workbench.screenshot('servers');
  });

  it('M2 A1 its tool is called once it is allowed where its arguments are shown, which is in the chat', async () => {
    window.models.script([
      { calls: [{ id: 'call_1', tool: 'helper__echo', args: { text: 'hi' } }] },
      { text: 'It said hi.' },
    ]);
    await window.workbench.runCommand('Belay: Steer…');
    await window.workbench.answerInput('use the helper');
    const needs = window.workbench.view('Needs you');
    await needs.row('helper: echo').waitFor();
    await needs.row('helper: echo').action('Show in chat');
    await window.workbench.webview().getByText('hi', { exact: true }).last().waitFor();
    await window.workbench.webview().getByRole('button', { name: 'Allow', exact: true }).click();
    await eventually('the call has come to the server', () => standIn.calls.includes('echo'));
    await window.workbench
      .view('Sessions')
      .row(/start the servers.*done/)
      .waitFor();
  });

  it('M3 it is stopped and started from its row', async () => {
    await servers().row('helper').action('Stop server');
    await servers().row('stopped').waitFor();
    await servers().row('helper').action('Start server');
    await servers().row('ready').waitFor();
  });
});
