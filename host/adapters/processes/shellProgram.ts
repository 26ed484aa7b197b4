/** The shell that runs commands: without start-up files, aliases or history. */
export interface ShellProgram {
  readonly file: string;
  args(command: string): readonly string[];
}

/** `/bin/sh`, everywhere but on Windows. PowerShell there is not run by any test. */
export function shellProgram(platform: NodeJS.Platform): ShellProgram {
  if (platform !== 'win32') return { file: '/bin/sh', args: (command) => ['-c', command] };
  return {
    file: 'powershell.exe',
    args: (command) => [
      '-NoLogo',
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      [UTF8, command, EXIT].join('\n'),
    ],
  };
}

/** What it prints, and what programs in it are read as, is UTF-8; without a console it cannot be set. */
const UTF8 =
  'try { $OutputEncoding = [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false) } catch {}';
/** By itself it ends with 0 or 1, whatever the code of the last program was. */
const EXIT = 'if ($?) { exit 0 }; if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1';
