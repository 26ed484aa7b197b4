import type { Page } from 'playwright-core';
import { OAuthServer } from '../../support/oauthServer';
import { eventually, openBelay, type BelayWindow } from './window';

describe('an MCP server that wants a sign-in, in VS Code', () => {
  let window: BelayWindow;
  let guarded: OAuthServer;

  before(async () => {
    // A VS Code in a browser leads 127.0.0.1 through its own proxy, which its server has none of here.
    guarded = await OAuthServer.start('127.0.0.2');
    const asking = guarded.config({ headers: { 'x-region': '${input:region}' } });
    window = await openBelay({
      settings: {
        'belay.mcp.servers': {
          guarded: guarded.config(),
          asking: { ...asking, url: `${guarded.url}?asking` },
        },
        'belay.mcp.inputs': [
          { id: 'region', type: 'pickString', description: 'Region', options: ['eu', 'us'] },
        ],
      },
    });
    await window.workbench.container('Belay');
  });

  after(async () => {
    await window.close();
    await guarded.stop();
  });

  const servers = () => window.workbench.view('Servers');
  const dialog = () => window.workbench.page.locator('.monaco-dialog-box');

  it('M2 opens a browser by a person’s click alone, takes what it brings back, and shows its tools', async () => {
    const { page } = window.workbench;
    await servers().expand();
    await servers().row('guarded').action('Start server');
    await servers().row('wants you to sign in').waitFor();
    await window.workbench.notification('wants you to sign in').waitFor();
    await window.workbench.screenshot('server-wants-sign-in');
    const opened = page.context().waitForEvent('page');
    await servers().row('guarded').action('Sign in to server');
    const browser = await firstOf(opened, async () => {
      // A browser that opens nothing by itself asks the person, who wants it.
      await dialog().getByRole('button', { name: /open/i }).first().click();
      return opened;
    });
    await eventually(
      'the browser has been at the authorization server',
      () => guarded.count('GET /authorize') === 1,
    );
    await browser.getByText('You can close this page now').waitFor();
    await browser.close();
    await servers().row('guarded').locator.filter({ hasText: 'ready' }).waitFor();
    await servers().row('guarded').click();
    await servers().row('echo').waitFor();
    await window.workbench.screenshot('server-signed-in');
  });

  it('M2 is signed out of from its row', async () => {
    await servers().row('guarded').menu('Sign out of server');
    await dialog().getByRole('button', { name: 'Sign out' }).click();
    await servers().row('guarded').locator.filter({ hasText: 'starts when it is needed' }).waitFor();
  });

  it('M2 a server that asks for a value gets it from the person, and starts', async () => {
    await servers().row('asking').action('Start server');
    await servers().row('needs your input').waitFor();
    await window.workbench.screenshot('server-asks-for-value');
    await servers().row('asking').action('Enter values of server');
    await window.workbench.pick('eu');
    await servers().row('asking').locator.filter({ hasText: 'wants you to sign in' }).waitFor();
  });
});

/** The page, when it comes by itself; or what `otherwise` makes of it. */
async function firstOf(page: Promise<Page>, otherwise: () => Promise<Page>): Promise<Page> {
  return Promise.any([page, otherwise()]);
}
