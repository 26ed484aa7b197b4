/**
 * `npm start`: a VS Code with Belay on a copy of the demo workspace, to try it by hand.
 *
 * Opens the VS Code of this machine if `code` is on the PATH, else one from npm in a browser (`--browser` asks
 * for that one). `npm start -- FOLDER` opens that folder instead of the demo. Ctrl-C ends the one from npm.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cacheFolder, SetUpError } from './install';
import { demoWorkspace, repository } from './paths';
import { startVsCode } from './server';

/** On Windows `code` is a batch file, which only a shell runs. */
const IN_SHELL = process.platform === 'win32';

async function main(args: readonly string[]): Promise<void> {
  const built = spawnSync(process.execPath, ['esbuild.config.mjs'], { cwd: repository, stdio: 'inherit' });
  if (built.status !== 0) throw new SetUpError('The build failed; its messages are above.');
  const named = args.find((argument) => !argument.startsWith('--'));
  const workspace = named ? resolve(named) : demoCopy();
  if (!args.includes('--browser') && spawnSync('code', ['--version'], { shell: IN_SHELL }).status === 0) {
    const asked = [`--extensionDevelopmentPath=${repository}`, workspace];
    spawn('code', IN_SHELL ? asked.map((one) => `"${one}"`) : asked, {
      stdio: 'ignore',
      detached: true,
      shell: IN_SHELL,
    }).unref();
    console.log(`VS Code opens ${workspace} with Belay.`);
    return;
  }
  await inBrowser(workspace, named === undefined);
}

async function inBrowser(workspace: string, trusted: boolean): Promise<void> {
  const userDataDir = join(stateFolder(), 'vscode');
  const code = await startVsCode({
    workspace,
    extensionPath: repository,
    userDataDir,

    trustDisabled: trusted,
  });
  console.log(`\nVS Code with Belay, on ${workspace}:\n\n  ${code.url()}\n\nCtrl-C ends it.`);
  await new Promise<void>((ended) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended());
  });
  console.log('Stopping.');
  await code.stop();
}

/** A copy that an agent may change; it stays from one start to the next. Delete it to begin again. */
function demoCopy(): string {
  const copy = join(stateFolder(), 'demo');
  if (!existsSync(copy)) {
    mkdirSync(stateFolder(), { recursive: true });
    cpSync(demoWorkspace, copy, { recursive: true });
  }
  return copy;
}

function stateFolder(): string {
  return join(cacheFolder(), 'start');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof SetUpError ? error.message : error);
  process.exitCode = 1;
});
