import assert from 'node:assert/strict';
import { COMMAND_BYTES, NOTE_BYTES } from '../../protocol';
import type { Prepared } from '../../host/engine/ports';
import { success, work } from '../../host/adapters/tools/tool';
import { Bench, free, noSteps } from './support';

describe('The tools', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('are told to a model in a few kilobytes', () => {
    const specs = bench.tools.specs();
    assert.deepEqual(
      specs.map((spec) => spec.name),
      [
        'read',
        'list',
        'find',
        'search',
        'write',
        'edit',
        'shell',
        'terminal',
        'exec',
        'wait',
        'write_stdin',
        'note',
        'history',
        'ask',
        'pick_files',
        'request_secret',
      ],
    );
    assert.ok(JSON.stringify(specs).length < 7_000, String(JSON.stringify(specs).length));
    for (const spec of specs) {
      assert.equal(spec.schema['type'], 'object');
      assert.equal(spec.schema['additionalProperties'], false);
    }
  });

  it('X8 what becomes a secret while a command runs is in nothing that it gives from then on', async () => {
    const told: string[] = [];
    const command = `echo ready; until [ -e go ]; do sleep 0.02; done; head -c 90000 /dev/zero | tr '\\0' x; echo sk-told-late`;
    const run = bench.tools.run(
      await bench.prepared('shell', { command }),
      bench.place,
      free,
      (_stream, text) => {
        told.push(text);
        if (!text.startsWith('ready')) return;
        bench.secrets = { names: [], values: ['sk-told-late'] };
        bench.put('go', '');
      },
      noSteps,
    );
    const result = await run.done;
    assert.equal(result.kept?.length, 1);
    assert.match(String(result.output['stdout']), /x\[REDACTED\]\n$/);
    assert.doesNotMatch(JSON.stringify([result, told, run.read(0, 200_000)]), /told-late/);
  });

  it('R11: an unknown tool, no JSON, a missing or an unknown argument each say what is wrong', async () => {
    const { tools, place } = bench;
    const detail = async (tool: string, args: string): Promise<string> => {
      const prepared = await tools.prepare(tool, args, place);
      return 'error' in prepared ? `${prepared.error}: ${prepared.detail}` : 'sound';
    };
    assert.equal(await detail('rm', '{}'), 'tool_unknown: There is no tool rm.');
    assert.equal(await detail('read', '{'), 'tool_arguments_invalid: The arguments are not JSON.');
    assert.match(await detail('read', '{}'), /^tool_arguments_invalid: path: /);
    assert.match(await detail('read', '[]'), /^tool_arguments_invalid: /);
    assert.match(await detail('read', 'null'), /^tool_arguments_invalid: /);
    assert.match(await detail('shell', '{"command":"x","workdir":"/"}'), /workdir/);
    assert.match(await detail('read', '{"path":"a","offset":0}'), /^tool_arguments_invalid: offset: /);
    assert.equal(await detail('list', ''), 'sound');
    assert.match(
      await detail('shell', JSON.stringify({ command: 'x'.repeat(COMMAND_BYTES + 1) })),
      /at most 16384 bytes/,
    );
    assert.match(await detail('shell', JSON.stringify({ command: 'a\0b' })), /NUL/);
    assert.match(
      await detail('note', JSON.stringify({ text: 'é'.repeat(NOTE_BYTES / 2 + 1) })),
      /at most 8192 bytes/,
    );
    assert.match(await detail('wait', '{"handles":[]}'), /handles/);
    assert.match(
      await detail('ask', JSON.stringify({ question: 'q', choices: Array(13).fill('c') })),
      /choices/,
    );
  });

  it('A1: judge and name each call', async () => {
    const judged = async (tool: string, args: unknown): Promise<unknown[]> => {
      const { class: kind, title, liftable, subject } = await bench.prepared(tool, args);
      return [kind, title, liftable, subject.kind];
    };
    bench.put('src/a.ts', 'x');
    assert.deepEqual(await judged('read', { path: 'src/a.ts' }), ['read', 'Read src/a.ts', false, 'path']);
    assert.deepEqual(await judged('search', { pattern: '\\bx"' }), [
      'read',
      'Search "\\bx"" in .',
      false,
      'path',
    ]);
    assert.deepEqual(await judged('edit', { path: 'src/a.ts', old: 'x', new: 'y' }), [
      'edit',
      'Edit src/a.ts',
      false,
      'path',
    ]);
    assert.deepEqual(await judged('shell', { command: 'npm test' }), [
      'command',
      'npm test',
      true,
      'command',
    ]);
    assert.deepEqual(await judged('shell', { command: 'a\nb' }), ['command', 'a …', true, 'command']);
    assert.deepEqual(await judged('ask', { question: 'Which?\nReally' }), ['own', 'Which?', false, 'none']);
    assert.deepEqual(await judged('note', { text: '' }), ['own', 'Note', false, 'none']);
    assert.deepEqual(await judged('wait', { handles: ['proc:1', 'proc:2'] }), [
      'own',
      'Wait for proc:1, proc:2',
      false,
      'none',
    ]);
    assert.deepEqual(await judged('history', { turn: 't1' }), ['own', 'Read turn t1', false, 'none']);
    assert.deepEqual(await judged('write_stdin', { handle: 'proc:1', kill: true }), [
      'own',
      'Stop proc:1',
      false,
      'none',
    ]);
    assert.deepEqual(await judged('write_stdin', { handle: 'proc:1', text: 'ls\n' }), [
      'command',
      'Type "ls\\n" into proc:1',
      true,
      'typed',
    ]);
    assert.deepEqual(await judged('write_stdin', { handle: 'proc:1', yield_ms: 5 }), [
      'own',
      'Read proc:1',
      true,
      'none',
    ]);
    assert.deepEqual(await judged('terminal', { command: 'vim a' }), ['command', 'vim a', true, 'command']);
  });

  it('A1: a command is shown and named with its folder', async () => {
    const prepared = await bench.prepared('shell', { command: 'npm test' });
    assert.deepEqual(prepared.preview, { kind: 'command', command: 'npm test', folder: bench.folder });
    assert.deepEqual(prepared.subject, {
      kind: 'command',
      command: 'npm test',
      folder: bench.folder,
      files: [],
      reading: { kind: 'parsed', parts: [{ words: ['npm', 'test'], text: 'npm test' }] },
    });
  });

  it('a prepared call survives being stored: it is plain data', async () => {
    bench.put('a.txt', 'one');
    const stored: Prepared = JSON.parse(
      JSON.stringify(await bench.prepared('edit', { path: 'a.txt', old: 'one', new: 'two' })),
    );
    assert.equal((await bench.start(stored).done).failed, false);
    assert.equal(bench.get('a.txt'), 'two');
  });

  it('R11: a stored call that no longer fits its tool is a result, not a fault', async () => {
    const prepared = await bench.prepared('read', { path: 'a.txt' });
    for (const broken of [
      { ...prepared, args: { file: 1 } },
      { ...prepared, tool: 'gone' },
    ]) {
      const { output, failed } = await bench.start(broken).done;
      assert.equal(output['error'], 'tool_failed');
      assert.equal(failed, true);
    }
    const own = await bench.prepared('note', { text: 'x' });
    assert.match(String((await bench.start(own).done).output['detail']), /run by the host itself/);
  });

  it('P4: file work ends at once before its effect, even if the disk never answers; after it, it is awaited', async () => {
    const hanging = work(() => new Promise(() => {}));
    assert.deepEqual(await hanging.stop('host_paused'), { stopped: true, survivors: [] });
    assert.equal((await hanging.done).output['error'], 'host_paused');
    let answer: () => void = () => {};
    const begun = work(async (stopping) => {
      stopping.commit();
      await new Promise<void>((done) => (answer = done));
      return success({ written: true });
    });
    const stop = begun.stop('host_paused');
    answer();
    await stop;
    assert.deepEqual((await begun.done).output, { written: true });
    let reached = false;
    const late = work(async (stopping) => {
      await Promise.resolve();
      stopping.commit();
      reached = true;
      return success({});
    });
    await late.stop('cancelled');
    await new Promise((done) => setImmediate(done));
    assert.equal(reached, false);
    assert.equal((await late.done).output['error'], 'cancelled');
  });

  it("X1: a command runs in its turn's folder, not in the one of now", async () => {
    const prepared = await bench.prepared('shell', { command: 'pwd' });
    bench.put('sub/x', '');
    const place = { ...bench.place, folder: bench.at('sub') };
    const { output } = await bench.tools.run(
      prepared,
      place,
      (effect) => effect(),
      () => {},
      noSteps,
    ).done;
    assert.equal(output['stdout'], `${bench.at('sub')}\n`);
  });
});
