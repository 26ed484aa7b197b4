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
    args: (command) => ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', command],
  };
}
