/**
 * A VS Code window on a workspace of its own, with an agent whose model is scripted: what the tests of the surfaces
 * begin with. Whoever opens one closes it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer, type Answer, type ModelServer } from '../../support/modelServer';
import { openWorkbench, type Workbench } from '../page';
import { repository } from '../paths';
import { FEW_BUILT_IN, startVsCode, type VsCode } from '../server';
import { FIRST_FILE, FIRST_TEXT, closeLeft, leave, takeLeft } from './left';
import { openShared } from './shared';

export interface BelayWindow {
  readonly code: VsCode;
  readonly models: ModelServer;
  readonly workbench: Workbench;
  /** The folder that is open. */
  readonly folder: string;
  /** Closes it, or leaves it to the next file that goes on in one. */
  close(): Promise<void>;
  /** Closes it for good. */
  end(): Promise<void>;
}

export interface WindowOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly trustDisabled?: boolean;
  /** Another extension than the one of this checkout. */
  readonly extensionPath?: string;
  /** Other extensions that are installed as well, by their folders. */
  readonly alongside?: readonly string[];
}

/**
 * The window that another file has left, or a new one where there is none: a new one costs as much as several tests.
 * Sessions, files and rules of other tests may be there; nothing runs or waits, and the model has no script.
 */
export async function goOnInBelay(): Promise<BelayWindow> {
  const window = (await takeLeft()) ?? (await openBelay());
  return { ...window, close: () => leave(window) };
}

export async function openBelay(options: WindowOptions = {}): Promise<BelayWindow> {
  await closeLeft();
  const folder = mkdtempSync(join(tmpdir(), 'belay-window-'));
  writeFileSync(join(folder, FIRST_FILE), FIRST_TEXT);
  const models = await startModelServer();
  const providers = {
    local: { kind: 'openai-compatible', baseUrl: models.url, models: [{ id: 'm1', contextWindow: 200_000 }] },
  };
  const settings = {
    'belay.models.providers': providers,
    'belay.models.default': 'local/m1',
    // What is installed on the machine of the test is no choice of its windows.
    'belay.harnesses': { codex: { path: '/none/codex' }, claude: { path: '/none/claude' } },
    // In a browser VS Code saves by itself after a second.
    'files.autoSave': 'off',
    ...options.settings,
  };
  const cleanUp = async (): Promise<void> => {
    await models.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const opened = needsItsOwn(options)
      ? await openOwn(folder, settings, options)
      : await openShared(folder, settings);
    const end = (): Promise<void> => opened.close().finally(cleanUp);
    return { ...opened, models, folder, close: end, end };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

/** What a server is started with cannot be had from one that is there. */
const needsItsOwn = ({ extensionPath, alongside, trustDisabled }: WindowOptions): boolean =>
  extensionPath !== undefined || alongside !== undefined || trustDisabled !== undefined;

async function openOwn(
  folder: string,
  settings: Readonly<Record<string, unknown>>,
  { extensionPath, alongside, trustDisabled }: WindowOptions,
): Promise<Pick<BelayWindow, 'code' | 'workbench' | 'close'>> {
  const code = await startVsCode({
    workspace: folder,
    extensionPath: extensionPath ?? repository,
    builtIn: FEW_BUILT_IN,
    settings,
    ...(alongside === undefined ? {} : { alongside }),
    ...(trustDisabled === undefined ? {} : { trustDisabled }),
  });
  try {
    const workbench = await openWorkbench(code.url());
    const close = async (): Promise<void> => {
      await workbench.close();
      await code.stop();
    };
    return { code, workbench, close };
  } catch (error) {
    await code.stop();
    throw error;
  }
}

/** A model answer that wants to run this command. */
export function wants(command: string, id = 'call_1'): Answer {
  return { calls: [{ id, tool: 'shell', args: { command } }] };
}

/** Starts a session and gives it this message, from the palette alone; the model answers it with `answers`. Sessions is unfolded. */
export async function giveWork(
  workbench: Workbench,
  text: string,
  models: ModelServer,
  answers: readonly Answer[],
): Promise<void> {
  models.script(answers);
  await workbench.runCommand('Belay: New session');
  const sessions = workbench.view('Sessions');
  await sessions.expand();
  await sessions.row('local/m1').waitFor();
  await workbench.runCommand('Belay: Steer…');
  await workbench.answerInput(text);
}

/** Waits for something that shows nowhere on the screen. */
export async function eventually(what: string, look: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!look()) {
    if (Date.now() > deadline) throw new Error(`Not within 10 s: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
