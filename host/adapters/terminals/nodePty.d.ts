/** The part of node-pty below its own classes: the system calls, without its queues, decoders and timers. */
declare module 'node-pty/lib/utils.js' {
  export interface UnixModule {
    /** Starts a program on a fresh PTY; `onExit` is called once it has been collected. */
    fork(
      file: string,
      args: readonly string[],
      env: readonly string[],
      cwd: string,
      cols: number,
      rows: number,
      uid: number,
      gid: number,
      utf8: boolean,
      helperPath: string,
      onExit: (code: number, signal: number) => void,
    ): { readonly fd: number; readonly pid: number; readonly pty: string };
    resize(fd: number, cols: number, rows: number, pixelWidth: number, pixelHeight: number): void;
  }
  /** `dir` is where the module was found, seen from node-pty's `lib`. */
  export function loadNativeModule(name: 'pty'): { readonly dir: string; readonly module: UnixModule };
}
