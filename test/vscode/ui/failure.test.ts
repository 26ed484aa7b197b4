import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../paths';
import { openBelay, type BelayWindow } from './window';

/** An extension whose host is broken, until somebody mends it. */
describe('a host that does not run', () => {
  let window: BelayWindow;
  let extension: string;

  before(async () => {
    extension = mkdtempSync(join(tmpdir(), 'belay-broken-'));
    for (const name of ['dist', 'media', 'l10n', 'package.json', 'package.nls.json'])
      cpSync(join(repository, name), join(extension, name), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(extension, 'node_modules'));
    writeFileSync(join(extension, 'dist', 'host.js'), "throw new Error('broken on purpose');");
    window = await openBelay({ extensionPath: extension });
  });

  after(async () => {
    await window.close();
    rmSync(extension, { recursive: true, force: true });
  });

  it('is started again a few times, and then says so with a way on', async () => {
    const { workbench } = window;
    await workbench.container('Belay');
    await workbench.notification('ended unexpectedly and is started again').waitFor();
    const failed = workbench.notification('The agent host does not run: Error: broken on purpose');
    await failed.waitFor();
    await failed.getByRole('button', { name: 'Show log' }).waitFor();
    await workbench.view('Needs you').welcome().getByText('The agent host does not run.').waitFor();
    await workbench.screenshot('host-failed');
  });

  it('runs again after Restart', async () => {
    const { workbench } = window;
    cpSync(join(repository, 'dist', 'host.js'), join(extension, 'dist', 'host.js'));
    await workbench.notification('does not run').getByRole('button', { name: 'Restart' }).click();
    await workbench.view('Needs you').welcome().getByText('Nothing waits for you.').waitFor();
  });
});
