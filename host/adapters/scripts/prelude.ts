/**
 * What a script finds in its world (S1), as source that QuickJS runs before it. It is given the host's functions,
 * which take and give only texts and numbers, and leaves nothing of them in the script's reach.
 *
 * `host.call(id, tool, json)`, `host.put(kind, text)`, `host.store(key, json)`, `host.picture(json)` and
 * `host.timer(id, ms)` answer with a text when they refuse. A call's error is made when it is called, so that its stack names the script's line.
 */
export const PRELUDE = `(function (host, listed) {
  'use strict';
  const { stringify, parse } = JSON;
  const { freeze, defineProperty, create } = Object;
  const then = Promise.prototype.then;
  const apply = Reflect.apply;
  const calls = new Map();
  const timers = new Map();
  let last = 0;

  const shown = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return value.name + ': ' + value.message;
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const refuse = (refusal) => {
    if (refusal !== undefined) throw new Error(refusal);
  };
  const fail = (error, code, message, result) => {
    error.name = 'ToolError';
    error.code = code;
    error.message = message;
    if (result !== undefined) error.result = result;
    return error;
  };
  const told = (error) => {
    const text = (value) => {
      try {
        return String(value);
      } catch {
        return '';
      }
    };
    try {
      const isError = typeof error === 'object' && error !== null && 'message' in error;
      return stringify({
        name: isError ? text(error.name) : '',
        message: isError ? text(error.message) : text(shown(error)),
        stack: isError ? text(error.stack) : '',
      });
    } catch {
      return '{"name":"","message":"The script threw something that cannot be told.","stack":""}';
    }
  };

  const invoke = (name, args) =>
    new Promise((resolve, reject) => {
      const error = new Error();
      const json = args === undefined ? '{}' : stringify(args);
      if (json === undefined) return reject(fail(error, 'tool_arguments_invalid', name + ' takes an object.'));
      const id = ++last;
      const refusal = host.call(id, name, json);
      if (refusal === undefined) calls.set(id, { resolve, reject, error });
      else reject(fail(error, 'stopped', refusal));
    });
  const settle = (id, ok, json) => {
    const call = calls.get(id);
    if (call === undefined) return;
    calls.delete(id);
    try {
      const value = parse(json);
      if (ok) call.resolve(value);
      else call.reject(fail(call.error, value.error, value.detail ?? value.error, value));
    } catch (error) {
      call.reject(error);
    }
  };

  const tools = create(null);
  const named = parse(listed);
  for (const { name } of named) tools[name] = freeze((args) => invoke(name, args));
  for (const { name } of named) {
    const plain = name.replace(/[^A-Za-z0-9_$]/g, '_');
    if (!(plain in tools)) tools[plain] = tools[name];
  }
  const say = (...values) => host.put('log', values.map(shown).join(' '));

  const world = {
    tools: freeze(tools),
    ALL_TOOLS: freeze(named.map(freeze)),
    text: (value) => void host.put('text', shown(value)),
    notify: (value) => void host.put('notice', shown(value)),
    image: (value) => refuse(host.picture(stringify(value) ?? 'null')),
    store: (key, value) => refuse(host.store(String(key), value === undefined ? undefined : stringify(value))),
    load: (key) => {
      const json = host.load(String(key));
      return json === undefined ? undefined : parse(json);
    },
    exit: () => {
      host.exit();
      throw new Error('The script has exited.');
    },
    console: freeze({ log: say, info: say, warn: say, error: say, debug: say }),
    setTimeout: (run, ms, ...args) => {
      const id = ++last;
      refuse(host.timer(id, Number(ms) || 0));
      timers.set(id, () => run(...args));
      return id;
    },
    clearTimeout: (id) => {
      if (timers.delete(id)) host.clearTimer(id);
    },
  };
  for (const name in world)
    defineProperty(globalThis, name, { value: world[name], enumerable: true, writable: false, configurable: false });

  return freeze({
    settle,
    told,
    run: (main) => {
      const done = (value) => {
        try {
          host.end(1, value === undefined ? '' : (stringify(value) ?? ''));
        } catch (error) {
          host.end(0, told(error));
        }
      };
      apply(then, main(), [done, (error) => host.end(0, told(error))]);
    },
    fire: (id) => {
      const run = timers.get(id);
      timers.delete(id);
      try {
        run?.();
      } catch (error) {
        host.end(0, told(error));
      }
    },
  });
})`;
