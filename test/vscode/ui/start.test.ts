import assert from 'node:assert/strict';
import { startVsCode, type VsCode } from '../server';
import { openWorkbench, type Workbench } from '../page';
import { demoWorkspace, repository } from '../paths';

describe('Belay in a browser', () => {
  let code: VsCode | undefined;
  let workbench: Workbench | undefined;

  before(async () => {
    code = await startVsCode({ workspace: demoWorkspace, extensionPath: repository });
    workbench = await openWorkbench(code.url());
  });

  after(async () => {
    await workbench?.close();
    await code?.stop();
  });

  it('shows its log from the palette', async () => {
    assert.ok(workbench);
    await workbench.runCommand('Belay: Show log');
    const output = workbench.page.getByRole('combobox', { name: 'Switch Output' });
    await output.waitFor();
    assert.equal(await output.inputValue(), 'Belay');
    await workbench.screenshot('log');
  });

  it('is back after its extension host was killed', async () => {
    assert.ok(workbench && code);
    await workbench.crashAndReload(code);
    await workbench.statusItem('Belay').waitFor();
    await workbench.runCommand('Belay: Show log');
    await workbench.page.getByRole('combobox', { name: 'Switch Output' }).waitFor();
  });

  it('leaves no process behind when VS Code ends', async () => {
    assert.ok(workbench && code);
    await workbench.close();
    assert.deepEqual(await code.stop(), []);
    assert.deepEqual(code.processes(), []);
  });
});
