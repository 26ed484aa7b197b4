/**
 * What runs inside the instrumented host, as source text for the head of its bundle: it counts the places that are
 * passed, holds one of them, and counts effects. It is spoken to over the port in `workerData.cord`.
 */
export const PRELUDE = `
const __cord = (() => {
  const { workerData } = require('node:worker_threads');
  const port = workerData.cord;
  let passed = [];
  let counts = new Map();
  let effects = [];
  let armed;
  let letGo = () => {};
  let open = new Set();
  const settled = (left, living) => {
    if ([...open].some(({ id }) => !living.has(id))) left = QUIET_TURNS;
    if (left === 0) port.postMessage({ kind: 'settled' });
    else setImmediate(() => settled(left - 1, living));
  };
  /** Turns of the event loop without anything awaited. */
  const QUIET_TURNS = 8;
  port.on('message', (told) => {
    if (told.kind === 'arm') {
      passed = []; effects = []; counts = new Map(); open = new Set();
      armed = told.place;
      port.postMessage({ kind: 'armed' });
    } else if (told.kind === 'release') {
      armed = undefined;
      letGo();
    } else if (told.kind === 'settle') settled(QUIET_TURNS, new Set(told.living));
    else if (told.kind === 'report')
      port.postMessage({ kind: 'report', passed, effects, open: [...new Set([...open].map(({ id }) => id))] });
  });
  port.unref();
  const isThenable = (value) => typeof value === 'object' && value !== null && typeof value.then === 'function';
  const wait = (id, value) => {
    const n = (counts.get(id) ?? 0) + 1;
    counts.set(id, n);
    const place = { id, n, before: effects.length, over: true };
    passed.push(place);
    const held = armed !== undefined && armed.id === id && armed.n === n;
    const given = held
      ? Promise.resolve(value).then(
          (got) => hold().then(() => got),
          (error) => hold().then(() => { throw error; }),
        )
      : value;
    if (isThenable(given)) {
      const own = open;
      own.add(place);
      place.over = false;
      const over = () => {
        own.delete(place);
        place.over = true;
      };
      Promise.resolve(given).then(over, over);
    }
    return given;
  };
  const hold = () => {
    const wait = new Promise((resolve) => { letGo = resolve; });
    port.postMessage({ kind: 'held' });
    return wait;
  };
  async function* each(id, values) {
    const from = values[Symbol.asyncIterator]?.() ?? values[Symbol.iterator]();
    try {
      for (;;) {
        const { done, value } = await wait(id, from.next());
        if (done) return;
        yield value;
      }
    } finally {
      await from.return?.();
    }
  }
  /** A look at the disk while a call is prepared is no effect: its launch is \`looking\`. */
  const effect = (id, run, launch) => () => {
    if (launch.name !== 'looking') effects.push(id);
    return run();
  };
  return { wait, each, effect };
})();
`;
