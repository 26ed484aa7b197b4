/** What the host cannot find out by itself. */
export interface BootOptions {
  /** Absolute path of the folder with the files that the host reads at run time (`sql-wasm.wasm` and others). */
  readonly assets: string;
  /** Absolute path of the ripgrep binary; empty when this platform has none. */
  readonly ripgrep: string;
  /** Version of the extension that the host belongs to. */
  readonly hostVersion: string;
}

/** What the extension hands the worker as `workerData`. */
export interface WorkerBoot extends BootOptions {
  /** Absolute path of a folder in which the host's compiled code is kept between starts; made if missing. */
  readonly compiled: string;
}
