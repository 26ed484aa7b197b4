/**
 * One VS Code server and one browser for all files of a process that need nothing else of them: starting both, and
 * compiling VS Code, takes most of the time of a short test. Each file finds both as a new user does, with settings and
 * a folder of its own; nobody else's window is open then. The hooks of the suite end what was started here.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { firstPage, openBrowser, openWorkbenchIn, type Workbench } from '../page';
import { repository } from '../paths';
import { FEW_BUILT_IN, startAnew, startVsCode, type VsCode } from '../server';

interface Shared {
  readonly code: VsCode;
  readonly browser: BrowserContext;
  readonly profile: string;
}

/** What a window keeps in the browser; compiled code is kept. */
const KEPT_BY_PAGES = 'cookies,local_storage,indexeddb';

let shared: Shared | undefined;

/** Opens this folder; a window that is open already is another file's mistake. */
export async function openShared(
  folder: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<{ readonly code: VsCode; readonly workbench: Workbench; close(): Promise<void> }> {
  shared ??= await start(folder);
  try {
    return await openIn(shared, folder, settings);
  } catch (error) {
    // Whatever is wrong with them, the next file begins with others.
    await closeShared().catch(() => undefined);
    throw error;
  }
}

async function openIn(
  { code, browser }: Shared,
  folder: string,
  settings: Readonly<Record<string, unknown>>,
): ReturnType<typeof openShared> {
  startAnew(code.userDataDir, settings);
  const address = new URL(code.url());
  await forget(browser, address.origin);
  address.searchParams.set('folder', folder);
  const workbench = await openWorkbenchIn(browser, address.href);
  const close = async (): Promise<void> => {
    await workbench.close();
    await code.endExtensionHosts();
  };
  return { code, workbench, close };
}

export async function closeShared(): Promise<void> {
  const open = shared;
  shared = undefined;
  if (open === undefined) return;
  try {
    await open.browser.close();
  } finally {
    await open.code.stop().finally(() => removeProfile(open.profile));
  }
}

async function start(workspace: string): Promise<Shared> {
  const code = await startVsCode({ workspace, extensionPath: repository, builtIn: FEW_BUILT_IN });
  const profile = mkdtempSync(join(tmpdir(), 'belay-browser-'));
  try {
    return { code, browser: await openBrowser(profile), profile };
  } catch (error) {
    await code.stop().finally(() => removeProfile(profile));
    throw error;
  }
}

/** The browser still writes while it ends. */
const removeProfile = (profile: string): void =>
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });

async function forget(browser: BrowserContext, origin: string): Promise<void> {
  const session = await browser.newCDPSession(firstPage(browser));
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: KEPT_BY_PAGES });
  await session.detach();
}
