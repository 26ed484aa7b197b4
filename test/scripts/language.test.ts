import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toldOf } from '../support/scene';
import { scriptScenes } from './support';

/** One grey point. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('what a script is', () => {
  const scene = scriptScenes();

  it('S1 a script awaits and returns a value', async () => {
    assert.deepEqual(await scene.ran('const n = await Promise.resolve(20);\nreturn { n: n + 1 };'), {
      class: 'completed',
      value: { n: 21 },
    });
  });

  it('S1 tools.NAME gives a tool’s result, ALL_TOOLS names every tool that a step may be', async () => {
    writeFileSync(join(scene.host.workspace, 'a.txt'), 'one\ntwo\n');
    const told = await scene.ran(
      `const { text } = await tools.read({ path: 'a.txt' });
       return [text, ALL_TOOLS.map((tool) => tool.name).sort(), Object.keys(tools).sort(), typeof ALL_TOOLS[0].description];`,
    );
    const [text, all, keys, described] = told['value'] as [string, string[], string[], string];
    assert.match(text, /one/);
    assert.deepEqual(all, keys);
    for (const name of ['read', 'list', 'find', 'search', 'write', 'edit', 'shell'])
      assert.ok(all.includes(name), name);
    for (const name of ['exec', 'wait', 'write_stdin']) assert.ok(!all.includes(name), name);
    assert.equal(described, 'string');
  });

  it('S1 text, console.log, notify and image go into the result, and the person sees the text as it comes', async () => {
    const told = await scene.ran(
      `text({ a: 1 }); text('b'); console.log('logged', [1, 2]); notify('half done');
       image({ mediaType: 'image/png', data: '${PNG}' }); image('data:image/png;base64,${PNG}');
       await new Promise((resolve) => setTimeout(resolve, 1));`,
    );
    assert.deepEqual(told, {
      class: 'completed',
      text: '{"a":1}\nb\n',
      log: 'logged [1,2]\n',
      notices: ['half done'],
    });
    const completed = await scene.host.next('tool_completed');
    assert.deepEqual(
      completed.data.images?.map((image) => image.data),
      [PNG, PNG],
    );
    const shown = scene.host.events.flatMap((event) =>
      event.type === 'tool_progress' ? [event.data.text] : [],
    );
    assert.match(shown.join(''), /\{"a":1\}\nb\nlogged \[1,2\]\nhalf done\n/);
  });

  it('R10 a notice that is long, or one too many, is counted in the result', async () => {
    const told = await scene.ran(
      `for (let n = 0; n < 20; n += 1) notify(n === 0 ? 'ab'.repeat(300) : 'n' + n + '!');`,
    );
    const notices = told['notices'] as string[];
    assert.equal(notices.length, 16);
    assert.equal(notices[0], 'ab'.repeat(256));
    // The end of the first, and n16! to n19!.
    assert.deepEqual(told['omitted_bytes'], { notices: 600 - 512 + 4 * 4 });
  });

  it('R10 S1 a timer beyond those that may wait is refused where it is set, and ends no wait silently', async () => {
    const told = await scene.ran(
      `const set = (ms) => new Promise((go) => setTimeout(go, ms));
       const waits = [];
       let refused = '';
       for (let n = 0; n < 1100; n += 1) waits.push(set(1).catch((error) => (refused = error.message)));
       await Promise.all(waits);
       await set(1);
       return refused;`,
    );
    assert.equal(told['value'], 'At most 1024 timers may wait at once.');
  });

  it('S1 what one script stores the next one loads, across a restart; it reads its own value back at once', async () => {
    assert.deepEqual(
      await scene.ran(`store('k', { n: 1 }); store('gone', 1); store('gone', undefined);
        return [load('k'), load('gone') ?? null, load('never') ?? null];`),
      { class: 'completed', value: [{ n: 1 }, null, null], stored: ['k'] },
    );
    await scene.crash();
    assert.deepEqual(await scene.ran(`return load('k');`), { class: 'completed', value: { n: 1 } });
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    scene.session = session.id;
    assert.deepEqual(
      await scene.ran(`return load('k') ?? 'nothing';`),
      { class: 'completed', value: 'nothing' },
      'another session has its own values',
    );
  });

  it('R10 S1 a stored value and a session’s values have their limits, told where they are met', async () => {
    const told = await scene.ran(
      `const said = [];
       for (const [key, size] of [['big', 70000], ['ok', 60000]])
         try { store(key, 'x'.repeat(size)); said.push('stored'); } catch (error) { said.push(error.message); }
       try { for (let n = 0; ; n++) store('many' + n, 'x'.repeat(60000)); } catch (error) { said.push(error.message); }
       return said;`,
    );
    assert.deepEqual(told['value'], [
      'A stored value holds at most 65536 bytes.',
      'stored',
      'A session stores at most 1048576 bytes in all, with its keys.',
    ]);
  });

  it('R10 S1 keys have their limits as well, and what is removed leaves nothing behind', async () => {
    assert.deepEqual(
      await scene.ran(
        `const fill = (key, value) => {
           let n = 0;
           try { for (;; n++) store(key(n), value); } catch (error) { return [n, error.message]; }
           finally { while (n-- > 0) store(key(n), undefined); }
         };
         for (let n = 0; n < 20000; n++) store('never' + n, undefined);
         return [fill((n) => 'n' + n, 1), fill((n) => String(n).padEnd(256, 'k'), 'x'.repeat(998))];`,
      ),
      {
        class: 'completed',
        value: [
          [4096, 'A session stores at most 4096 keys.'],
          // 256 bytes of key and 1,000 of value.
          [Math.floor(1_048_576 / 1_256), 'A session stores at most 1048576 bytes in all, with its keys.'],
        ],
      },
    );
  });

  it('S1 exit ends a script at once, and it keeps what it had', async () => {
    assert.deepEqual(
      await scene.ran(`text('before'); store('k', 1); try { exit(); } catch {} text('after');`),
      {
        class: 'completed',
        text: 'before\n',
        stored: ['k'],
      },
    );
  });

  it('S1 setTimeout and clearTimeout work, and an error in a timer ends the script', async () => {
    assert.deepEqual(
      await scene.ran(
        `const order = [];
         const never = setTimeout(() => order.push('never'), 1);
         clearTimeout(never);
         await new Promise((done) => setTimeout((word) => { order.push(word); done(); }, 5, 'later'));
         return order;`,
      ),
      { class: 'completed', value: ['later'] },
    );
    const failed = await scene.ran(
      `setTimeout(() => { throw new Error('late'); }, 1); await new Promise(() => {});`,
    );
    assert.equal(failed['class'], 'failed');
    assert.equal(failed['message'], 'Error: late');
  });

  it('S1 there is no Node, no file, no network and no module', async () => {
    const told = await scene.ran(
      `const names = ['process', 'require', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker', 'SharedArrayBuffer',
         'Atomics', 'WebAssembly', 'Buffer', 'setInterval', 'setImmediate', 'host', 'Belay'];
       const found = names.filter((name) => name in globalThis && name !== 'SharedArrayBuffer' && name !== 'Atomics');
       let imported = 'imported';
       try { await import('node:fs'); } catch (error) { imported = error.name; }
       return [found, imported];`,
    );
    assert.deepEqual(told['value'], [[], 'ReferenceError']);
  });

  it('S8 no constructor leads out of a script’s world, and the tools cannot be replaced', async () => {
    const told = await scene.ran(
      `const reach = [];
       for (const way of [tools.read, tools, ALL_TOOLS, text, setTimeout, (async () => {}), new Error(), Promise.resolve()]) {
         const world = way?.constructor?.constructor?.('return this')?.() ?? globalThis;
         reach.push(world === globalThis && typeof world.process === 'undefined');
       }
       const failed = (act) => { try { act(); return false; } catch { return true; } };
       return [reach, failed(() => { 'use strict'; tools.read = 1; }), failed(() => { 'use strict'; globalThis.tools = {}; })];`,
    );
    assert.deepEqual(told['value'], [[true, true, true, true, true, true, true, true], true, true]);
  });

  it('S8 what a script changes in its world is not there for the next one', async () => {
    await scene.ran(
      `Array.prototype.map = () => 'spoilt'; JSON.parse = () => 'spoilt'; globalThis.left = 1;`,
    );
    assert.deepEqual(await scene.ran(`return [[1].map((n) => n + 1), JSON.parse('[3]'), typeof left];`), {
      class: 'completed',
      value: [[2], [3], 'undefined'],
    });
  });

  it('S4 an error carries the line and column of the script', async () => {
    const cases: readonly [string, string, number, number][] = [
      ['null.foo', "TypeError: cannot read property 'foo' of null", 1, 1],
      ['const a = 1;\n  undefinedThing(a);', 'ReferenceError: undefinedThing is not defined', 2, 3],
      [
        "await tools.list({ path: '.' });\n\n   throw new Error('after a wait');",
        'Error: after a wait',
        3,
        14,
      ],
      ["// a comment\nawait tools.read({ path: 'nope' });", 'ToolError: nope does not exist.', 2, 13],
    ];
    for (const [code, message, line, column] of cases) {
      const told = await scene.ran(code);
      assert.deepEqual(
        [told['class'], told['error'], told['message'], told['line'], told['column']],
        ['failed', 'tool_failed', message, line, column],
        code,
      );
      assert.match(String(told['stack']), new RegExp(`script\\.js:${line}:${column}`));
    }
  });

  it('S4 a syntax error names its line, and nothing has run', async () => {
    const told = await scene.ran('text("ran");\nconst b = ;\n');
    assert.equal(told['class'], 'failed');
    assert.match(String(told['message']), /^SyntaxError: /);
    assert.equal(told['line'], 2);
    assert.equal(told['text'], undefined);
  });

  it('S4 whatever is thrown is told', async () => {
    for (const [thrown, message] of [
      [`'text'`, 'text'],
      [`{ code: 7 }`, '{"code":7}'],
      ['undefined', 'undefined'],
      [`{ get message() { throw 1; } }`, /./],
      [`Object.assign(new Error('x'), { stack: 7, name: null })`, /x/],
    ] as const) {
      const told = await scene.ran(`throw ${thrown};`);
      assert.equal(told['class'], 'failed', thrown);
      if (typeof message === 'string') assert.equal(told['message'], message);
      else assert.match(String(told['message']), message);
    }
  });

  it('T7 a long output is shown as head and tail, and the whole of it can be read', async () => {
    const told = await scene.ran(
      `for (let n = 0; n < 20000; n++) text('line ' + n); return 'x'.repeat(40000);`,
    );
    const omitted = told['omitted_bytes'] as Record<string, number>;
    assert.ok((omitted['text'] ?? 0) > 100_000 && (omitted['value'] ?? 0) > 10_000);
    assert.ok(Buffer.byteLength(JSON.stringify(told)) < 64 * 1024);
    assert.match(String(told['text']), /^line 0\n[^]*line 19999\n$/);
    const whole = told['whole'] as Record<string, string>;
    scene.server.script([
      { calls: [{ tool: 'read', args: { result: whole['text'], offset: 100_000, limit: 50 }, id: 'read' }] },
      { text: 'Read.' },
    ]);
    const mark = scene.host.mark;
    await scene.say('read the rest');
    await scene.host.next('turn_ended', mark);
    assert.match(String(toldOf(scene.server, 'read')['text']), /line \d+\n/);
  });

  it('X8 a secret that Belay holds is in no output, value or stored value of a script', async () => {
    const secret = 'belay-secret-0123456789';
    process.env['BELAY_TEST_KEY'] = secret;
    process.env['BELAY_TEST_PIN'] = '123456';
    try {
      scene.settings = {
        ...scene.settings,
        models: {
          ...(scene.settings['models'] as object),
          providers: {
            ...(scene.settings['models'] as { providers: object }).providers,
            other: { kind: 'openai', apiKeyEnv: 'BELAY_TEST_KEY' },
            pin: { kind: 'openai', apiKeyEnv: 'BELAY_TEST_PIN' },
          },
        },
      };
      await scene.restart();
      const made = `['belay', 'secret', '0123456789'].join('-')`;
      const told = await scene.ran(`const key = ${made}; text(key); console.log(key); store('k', key);
        await new Promise((done) => setTimeout(done, 1)); return { key };`);
      assert.doesNotMatch(JSON.stringify(told), new RegExp(secret));
      assert.match(String(told['text']), /REDACTED/);
      assert.doesNotMatch(
        JSON.stringify(scene.host.events.slice(-40).filter((e) => e.type === 'tool_progress')),
        new RegExp(secret),
      );
      const loaded = await scene.ran(`return load('k') === ${made};`);
      assert.equal(loaded['value'], false);
      const pin = `['123', '456'].join('')`;
      await scene.ran(
        `store('n', { n: Number(${pin} + '7'), [${pin}]: 'a "' + ${pin}, is: [true, 12, -1.5e-7] })`,
      );
      assert.deepEqual((await scene.ran(`return load('n');`))['value'], {
        n: '[REDACTED]',
        '[REDACTED]': 'a "[REDACTED]',
        is: [true, 12, -1.5e-7],
      });
    } finally {
      delete process.env['BELAY_TEST_KEY'];
      delete process.env['BELAY_TEST_PIN'];
    }
  });

  it('A11 a script’s steps obey the mode: it cannot do what the agent could not', async () => {
    await scene.starts(`await tools.write({ path: 'made.txt', text: 'by a script' }); return 'written';`);
    const asked = await scene.asked();
    assert.equal(asked.call, 'c1.1');
    await scene.deny(asked, 'not now');
    const told = await scene.result();
    assert.equal(told['class'], 'failed');
    assert.match(String(told['message']), /not now/);
    await scene.host.next('turn_ended');
    assert.throws(() => readFileSync(join(scene.host.workspace, 'made.txt')));
  });
});
