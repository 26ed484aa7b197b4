/**
 * QuickJS, behind one file. A world is a WASM instance of its own, made for one script and dropped after it: it is
 * never disposed, because disposing aborts when a script has left many objects behind (S8).
 *
 * Owns one world. 1. Only texts and numbers cross its border. 2. Nothing of the host is thrown through WASM. 3. A
 * script that is halted or over runs no further than to its next interrupt, and reaches nothing.
 */
import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type VmFunctionImplementation,
} from 'quickjs-emscripten-core';
import { SCRIPT_MEMORY_BYTES } from '../../../protocol';
import type { Reply } from './messages';
import { PRELUDE } from './prelude';

/** What a world asks for; each refusal is a sentence. */
export interface World {
  /** Whether nothing of the script may run any more. Asked every few thousand instructions. */
  isOver(): boolean;
  call(id: number, tool: string, args: string): string | undefined;
  put(kind: 'text' | 'log' | 'notice', text: string): void;
  picture(json: string): string | undefined;
  store(key: string, json: string | undefined): string | undefined;
  load(key: string): string | undefined;
  timer(id: number, ms: number): string | undefined;
  clearTimer(id: number): void;
  exit(): void;
  /** The script's function has returned (`told` is its value as JSON, or empty) or thrown (its error as JSON). */
  end(ok: boolean, told: string): void;
}

/** Native frames of QuickJS, bytes: deep recursion ends as an error long before the thread's own stack does. */
const STACK_BYTES = 256 * 1024;
/** Jobs between two looks at the flag and at the mail. */
const JOBS_A_SLICE = 500;
const PAGE_BYTES = 64 * 1024;
const FIRST_PAGES = 256;
/** Beside the script's own memory: what the engine needs, and texts on their way. */
const ENGINE_BYTES = 64 * 1024 * 1024;

/** The name under which a script's own lines stand in a stack. */
export const SCRIPT_FILE = 'script.js';
/** Stands before the script, on lines of its own: the engine counts the columns of a first line otherwise. */
const WRAPPER = '(async () => {\n';
export const WRAPPER_LINES = 1;

export class Vm {
  private readonly runtime: QuickJSRuntime;
  private readonly context: QuickJSContext;
  private inside:
    { readonly settle: QuickJSHandle; readonly run: QuickJSHandle; fire: QuickJSHandle } | undefined;
  private told: QuickJSHandle | undefined;
  private world: World | undefined;

  private constructor(runtime: QuickJSRuntime) {
    this.runtime = runtime;
    runtime.setMemoryLimit(SCRIPT_MEMORY_BYTES);
    runtime.setMaxStackSize(STACK_BYTES);
    runtime.setInterruptHandler(() => this.world?.isOver() === true);
    this.context = runtime.newContext();
  }

  static async make(module: WebAssembly.Module): Promise<Vm> {
    const memory = new WebAssembly.Memory({
      initial: FIRST_PAGES,
      maximum: (SCRIPT_MEMORY_BYTES + ENGINE_BYTES) / PAGE_BYTES,
    });
    const made = newVariant(variant, { wasmModule: module, wasmMemory: memory });
    return new Vm((await newQuickJSWASMModuleFromVariant(made)).newRuntime());
  }

  /** Runs a script up to its first wait. */
  start(code: string, tools: string, world: World): void {
    this.world = world;
    const prelude = this.context.unwrapResult(this.context.evalCode(PRELUDE, 'belay.js'));
    const listed = this.context.newString(tools);
    const made = this.context.unwrapResult(
      this.context.callFunction(prelude, this.context.undefined, this.functions(world), listed),
    );
    const part = (name: string) => this.context.getProp(made, name);
    this.inside = { settle: part('settle'), run: part('run'), fire: part('fire') };
    this.told = part('told');
    const main = this.context.evalCode(`${WRAPPER}${code}\n})`, SCRIPT_FILE, { strict: true });
    if (main.error) this.fail(main.error);
    else this.enter(this.inside.run, main.value);
  }

  settle(replies: readonly Reply[]): void {
    for (const { id, ok, json } of replies) {
      if (this.inside === undefined || this.world?.isOver() !== false) return;
      const text = this.context.newString(json);
      const number = this.context.newNumber(id);
      this.enter(this.inside.settle, number, ok ? this.context.true : this.context.false, text);
      text.dispose();
      number.dispose();
    }
  }

  fire(timer: number): void {
    if (this.inside === undefined || this.world?.isOver() !== false) return;
    this.enter(this.inside.fire, this.context.newNumber(timer));
  }

  /** Runs a slice of what waits to run; whether more does. */
  pump(): boolean {
    if (this.world?.isOver() !== false) return false;
    const ran = this.runtime.executePendingJobs(JOBS_A_SLICE);
    if (ran.error) this.fail(ran.error);
    return this.runtime.hasPendingJob();
  }

  private enter(run: QuickJSHandle, ...args: readonly QuickJSHandle[]): void {
    const result = this.context.callFunction(run, this.context.undefined, ...args);
    if (result.error) this.fail(result.error);
    else result.value.dispose();
  }

  /** Something was thrown out of the world: the script's own error, or what the engine throws at a limit. */
  private fail(error: QuickJSHandle): void {
    if (this.world === undefined || this.world.isOver()) return;
    const result =
      this.told === undefined
        ? undefined
        : this.context.callFunction(this.told, this.context.undefined, error);
    const told =
      result === undefined || result.error
        ? JSON.stringify({ name: 'InternalError', message: 'out of memory', stack: '' })
        : this.context.getString(result.value);
    this.world.end(false, told);
  }

  /** The host's functions, of which the prelude makes the script's. */
  private functions(world: World): QuickJSHandle {
    const { context } = this;
    const text = (handle: QuickJSHandle | undefined) =>
      handle === undefined ? '' : context.getString(handle);
    const number = (handle: QuickJSHandle | undefined) =>
      handle === undefined ? 0 : context.getNumber(handle);
    const maybe = (handle: QuickJSHandle | undefined) =>
      handle === undefined || context.typeof(handle) === 'undefined' ? undefined : context.getString(handle);
    const given = (answer: string | undefined) =>
      answer === undefined ? context.undefined : context.newString(answer);
    const kind = (handle: QuickJSHandle | undefined) => {
      const name = text(handle);
      return name === 'text' || name === 'notice' ? name : 'log';
    };
    const functions: Readonly<Record<string, VmFunctionImplementation<QuickJSHandle>>> = {
      call: (id, tool, args) => given(world.call(number(id), text(tool), text(args))),
      put: (what, said) => world.put(kind(what), text(said)),
      picture: (json) => given(world.picture(text(json))),
      store: (key, json) => given(world.store(text(key), maybe(json))),
      load: (key) => given(world.load(text(key))),
      timer: (id, ms) => given(world.timer(number(id), number(ms))),
      clearTimer: (id) => world.clearTimer(number(id)),
      exit: () => world.exit(),
      end: (ok, told) => world.end(number(ok) === 1, text(told)),
    };
    const made = context.newObject();
    for (const [name, run] of Object.entries(functions))
      context.setProp(made, name, context.newFunction(name, run));
    return made;
  }
}
