import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../protocol';
import { toldOf } from '../support/scene';
import { exec, scriptScenes } from './support';

/** Each ends by its own or by its limit, and harms nothing else (S4, S8). */
interface Hostile {
  readonly what: string;
  readonly code: string;
  /** Ended by the person when it has begun, or by its own limit, or by itself. */
  readonly ended: 'by a stop' | 'by itself' | 'by its time';
  readonly as: 'failed' | 'memory' | 'stopped' | 'timeout' | 'completed';
}

const begun = 'tools.list({ path: "." }); text("begun"); await new Promise((go) => setTimeout(go, 60));\n';

const HOSTILE: readonly Hostile[] = [
  { what: 'a loop', code: `${begun}for (;;) {}`, ended: 'by a stop', as: 'stopped' },
  {
    what: 'a loop that catches all',
    code: `${begun}for (;;) try { for (;;) {} } catch {}`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'an async loop that catches all',
    code: `${begun}for (;;) try { await (async () => { for (;;) {} })(); } catch {}`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'a loop in a finally',
    code: `${begun}const f = () => { try { for (;;) {} } finally { f(); } };\nf();`,
    ended: 'by a stop',
    as: 'stopped',
  },
  { what: 'a loop of microtasks', code: `${begun}for (;;) await null;`, ended: 'by a stop', as: 'stopped' },
  {
    what: 'a loop of calls that catches all',
    code: `${begun}for (;;) try { await tools.list({ path: '.' }); } catch {}`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'a loop of calls that never waits',
    code: `${begun}for (;;) try { tools.list({ path: '.' }).catch(() => {}); } catch {}`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'a promise that never settles',
    code: `${begun}await new Promise(() => {});`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'a loop of timers',
    code: `${begun}const again = () => setTimeout(again, 0);\nagain(); await new Promise(() => {});`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'a loop that prints',
    code: `${begun}for (;;) console.log('x'.repeat(1000));`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'a regular expression without end',
    code: `${begun}return /^(a+)+$/.test('a'.repeat(40) + 'b');`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'a native that cannot be interrupted',
    code: `${begun}Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);`,
    ended: 'by a stop',
    as: 'stopped',
  },
  {
    what: 'another native that cannot be interrupted',
    code: `${begun}Array.prototype.reverse.call({ length: 2 ** 53 - 1 });`,
    ended: 'by a stop',
    as: 'stopped',
  },
  { what: 'a loop that nobody stops', code: 'for (;;) {}', ended: 'by its time', as: 'timeout' },
  {
    what: 'a native that nobody stops',
    code: 'new Array(2 ** 32 - 1).includes(1);',
    ended: 'by its time',
    as: 'timeout',
  },
  { what: 'one huge text', code: `let s = 'x'; for (;;) s += s;`, ended: 'by itself', as: 'failed' },
  {
    what: 'huge buffers',
    code: `const a = []; for (;;) a.push(new ArrayBuffer(2 ** 22));`,
    ended: 'by itself',
    as: 'memory',
  },
  {
    what: 'memory filled after a wait',
    code: `await null; const a = []; for (;;) a.push(new Array(10000).fill(a.length));`,
    ended: 'by itself',
    as: 'memory',
  },
  {
    what: 'recursion without end',
    code: 'const f = (n) => f(n + 1) + 1; return f(0);',
    ended: 'by itself',
    as: 'failed',
  },
  {
    what: 'async recursion without end',
    code: 'const f = async () => { await f(); }; await f();',
    ended: 'by itself',
    as: 'failed',
  },
  {
    what: 'JSON of data nested 100,000 deep',
    code: 'let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return JSON.stringify(a).length;',
    ended: 'by itself',
    as: 'failed',
  },
  {
    what: 'a value nested 1,000 deep',
    code: `return JSON.parse('['.repeat(1000) + ']'.repeat(1000));`,
    ended: 'by itself',
    as: 'completed',
  },
  {
    what: 'JSON text nested 100,000 deep',
    code: `return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)).length;`,
    ended: 'by itself',
    as: 'failed',
  },
  {
    what: 'arguments nested 1,000 deep',
    code: `await tools.list(JSON.parse('{"path":'.repeat(1000) + '1' + '}'.repeat(1000)));`,
    ended: 'by itself',
    as: 'failed',
  },
  {
    what: '100,000 objects after a wait',
    code: `await null; const a = []; for (let n = 0; n < 1e5; n++) a.push({ n }); return a.length;`,
    ended: 'by itself',
    as: 'completed',
  },
  {
    what: '100,000 objects parsed after a call',
    code: `await tools.list({ path: '.' }); return JSON.parse('[' + Array(1e5).fill('{"a":1}').join() + ']').length;`,
    ended: 'by itself',
    as: 'completed',
  },
];

describe('what a script cannot do to others', function () {
  // Some of these compute for seconds, and for several times that beside other tests.
  this.timeout(30_000);
  const scene = scriptScenes();
  let other: SessionId;

  beforeEach(async () => {
    writeFileSync(join(scene.host.workspace, 'a.txt'), 'unharmed\n');
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    other = session.id;
  });

  /** A turn of the other session, with a tool in it, from its message to its end. */
  const otherTurn = async () => {
    const mark = scene.host.mark;
    await scene.host.request('message/send', { session: other, text: 'read' });
    const ended = await scene.host.next('turn_ended', mark, (event) => event.session === other);
    assert.equal(ended.data.status, 'completed');
    const read = await scene.host.next('tool_completed', mark, (event) => event.session === other);
    assert.match(JSON.stringify(read.data.result), /unharmed/);
  };

  for (const { what, code, ended, as } of HOSTILE)
    it(`S4 S8 ${what} ends ${ended} as ${as}; another session and the next script are unharmed`, async () => {
      scene.server.reply((request) => {
        const last = request.items.at(-1);
        if (last?.role === 'tool') return { text: 'Done.' };
        return last?.text === 'read'
          ? { calls: [{ tool: 'read', args: { path: 'a.txt' } }] }
          : { calls: [exec(code, ended === 'by its time' ? { timeout_ms: 300 } : {})] };
      });
      await scene.say('run');
      if (ended === 'by a stop') {
        await scene.host.next('tool_progress');
        await otherTurn();
        const { turn } = await scene.host.next('turn_started');
        const stoppedAt = Date.now();
        await scene.host.request('turn/interrupt', { session: scene.session, turn: turn! });
        const took = Date.now() - stoppedAt;
        assert.ok(took < 1_000, `gone after ${took} ms`);
      }
      const told = await scene.result();
      assert.equal(told['class'], as, JSON.stringify(told));
      await scene.host.next('turn_ended', 0, (event) => event.session === scene.session);
      if (ended !== 'by a stop') await otherTurn();
      scene.server.reply((request) =>
        request.items.at(-1)?.role === 'tool'
          ? { text: 'Done.' }
          : { calls: [exec('return 1 + 1;', {}, 'healthy')] },
      );
      const mark = scene.host.mark;
      await scene.say('again');
      await scene.host.next('turn_ended', mark);
      assert.deepEqual(toldOf(scene.server, 'healthy'), { class: 'completed', value: 2 });
    });
});
