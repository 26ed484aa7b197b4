import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureVsCode } from '../install';
import { buildVsix } from '../package';
import { openWorkbench, type Workbench } from '../page';
import { demoWorkspace } from '../paths';
import { installVsix, startVsCode, type VsCode } from '../server';

describe('the packaged extension', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'belay-vsix-'));
  const extensionsDir = join(scratch, 'extensions');
  const userDataDir = join(scratch, 'user');
  const workspace = join(scratch, 'workspace');
  let code: VsCode | undefined;
  let workbench: Workbench | undefined;

  before(async () => {
    cpSync(demoWorkspace, workspace, { recursive: true });
    installVsix(await buildVsix(), { extensionsDir, userDataDir });
    code = await startVsCode({
      workspace,
      extensionsDir,
      userDataDir,
      settings: { 'belay.models.default': 'rehearsal/demo' },
    });
    workbench = await openWorkbench(code.url());
  });

  after(async () => {
    await workbench?.close();
    await code?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('is installed whole, with its native parts fit to run', () => {
    const dist = join(installed(), 'dist');
    const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((file) => /\.(pdb|map|ts)$/.test(file)),
      [],
    );
    const ripgrep = join(
      dist,
      'node_modules',
      '@vscode',
      `ripgrep-${process.platform}-${process.arch}`,
      'bin',
      'rg',
    );
    assert.match(execFileSync(ripgrep, ['--version'], { encoding: 'utf8' }), /^ripgrep /);
    const script = `require('node-pty').spawn('echo', ['from a terminal'], {}).onData((text) => process.stdout.write(text))`;
    const printed = execFileSync(ensureVsCode().node, ['-e', script], { cwd: dist, encoding: 'utf8' });
    assert.equal(printed.trim(), 'from a terminal');
  });

  it('activates and shows its log', async () => {
    assert.ok(workbench);
    await workbench.runCommand('Belay: Show log');
    await workbench.page.getByRole('combobox', { name: 'Switch Output' }).waitFor();
    await workbench.screenshot('vsix');
  });

  it('mends the demo with the rehearsal model, each risky step allowed by a click: commands in the tree, changes of files beside their diff', async () => {
    assert.ok(workbench);
    await workbench.container('Belay');
    await workbench.runCommand('Belay: New session');
    await workbench.view('Sessions').expand();
    await workbench.view('Sessions').rows().first().waitFor();
    await workbench.runCommand('Belay: Steer…');
    await workbench.answerInput('the cart total test fails, find out why and mend it');
    const done = workbench.view('Sessions').row('done').locator;
    const needs = workbench.view('Needs you');
    const allowInChat = workbench.webview().getByRole('button', { name: 'Allow', exact: true });
    const allowed: string[] = [];
    for (;;) {
      await needs.rows().first().or(done).first().waitFor();
      if (await done.isVisible()) break;
      const label = await needs.row(/./).label();
      if (label.startsWith('All tests pass')) {
        await workbench.webview().getByRole('button', { name: 'Yes, add it' }).click();
      } else {
        if (/^(Edit|Write) /.test(label)) await allowInChat.click();
        else await needs.row(label).action('Allow');
        allowed.push(label);
      }
      await needs.row(label).gone();
    }
    await workbench.screenshot('vsix-done');
    assert.ok(allowed.length >= 2, `asked for: ${allowed.join(', ')}`);
    assert.equal(spawnSync(process.execPath, ['--test'], { cwd: workspace, encoding: 'utf8' }).status, 0);
  });

  function installed(): string {
    const name = readdirSync(extensionsDir).find((one) => one.startsWith('belay.belay-'));
    assert.ok(name, 'VS Code has not installed the extension');
    return join(extensionsDir, name);
  }
});
