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
});
