/** The entry of a script's thread: one script at a time, each in a world of its own, the next one made meanwhile. */
import { realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { soon, systemClock } from '../../base/clock';
import type { FromThread, Start, ToThread } from './messages';
import { Script } from './script';
import { Vm } from './vm';

const port = parentPort;
if (port === null) throw new Error('dist/scriptWorker.js runs as a worker thread.');
const { module } = z.object({ module: z.instanceof(WebAssembly.Module) }).parse(workerData);

const tell = (message: FromThread): void => port.postMessage(message);
giveWay();
let next = Vm.make(module);
let script: Script | undefined;
let isRunning = false;

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
    script = undefined;
    next = Vm.make(module);
  }
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
  script = new Script(await next, start, systemClock, tell, wake);
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

void next.then(() => tell({ kind: 'ready' }));
