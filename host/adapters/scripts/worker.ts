/**
 * The entry of a script's thread: one script at a time, each in a world of its own. The next world is made before it is
 * asked for.
 */
import { realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { soon, systemClock, type Timer } from '../../base/clock';
import type { FromThread, Start, ToThread } from './messages';
import { Script } from './script';
import { Vm } from './vm';

const port = parentPort;
if (port === null) throw new Error('dist/scriptWorker.js runs as a worker thread.');
const { module } = z.object({ module: z.instanceof(WebAssembly.Module) }).parse(workerData);

const tell = (message: FromThread): void => port.postMessage(message);
giveWay();
const first = Vm.make(module);
let next: Promise<Vm> | undefined = first;
let later: Timer | undefined;
let script: Script | undefined;
let isRunning = false;

/**
 * How long after a halt the next world is made, ms. A pull of the cord halts all scripts at once, and worlds would take
 * the time that the others need to end; by then the pool has ended the threads that it does not keep.
 */
const AFTER_HALT_MS = 1_500;

/** How much a script gives way to the host when there is not time for both, in steps of `nice`. */
const GIVES_WAY = 5;

/** On Linux a thread has a priority of its own: what computes without end holds up nobody else (S4). */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(realpathSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, GIVES_WAY);
  } catch {
    // Without it the system shares its time evenly.
  }
}

/** Runs what can be run, with a look at the mail between two slices. */
function run(): void {
  isRunning = guarded((one) => one.step());
  if (isRunning) soon(run);
  else if (script?.isDone === true) {
    if (script.isHalted) later = systemClock.after(AFTER_HALT_MS, prepare);
    else prepare();
    script = undefined;
  }
}

function prepare(): void {
  next ??= Vm.make(module);
}

function takeWorld(): Promise<Vm> {
  later?.clear();
  const world = next ?? Vm.make(module);
  next = undefined;
  return world;
}

function wake(): void {
  if (!isRunning) run();
}

/** What breaks out of the engine ends the script, not the thread: the host decides what becomes of that. */
function guarded(act: (script: Script) => boolean): boolean {
  if (script === undefined) return false;
  try {
    return act(script);
  } catch (error) {
    script.break(error);
    return false;
  }
}

async function begin(start: Start): Promise<void> {
  script = new Script(await takeWorld(), start, systemClock, tell, wake);
  guarded((one) => one.begin());
  run();
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'start':
      void begin(message);
      return;
    case 'replies':
      guarded((one) => one.settle(message.replies));
      wake();
      return;
    case 'halt':
      wake();
      return;
  }
});

void first.then(() => tell({ kind: 'ready' }));
