import assert from 'node:assert/strict';
import { closeSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { FILE_BYTES, IMAGE_BYTES, READ_LINES, SHOWN_BYTES } from '../../protocol';
import { Bench, clientTools, noSteps, scriptTools, terminalsOn } from './support';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('read', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('gives the text as edit takes it, with its lines counted', async () => {
    bench.put('a.txt', 'one\n\ttwo\n\nfour');
    assert.deepEqual(await bench.output('read', { path: 'a.txt' }), {
      text: 'one\n\ttwo\n\nfour',
      from: 1,
      to: 4,
      total_lines: 4,
    });
    bench.put('empty', '');
    assert.deepEqual(await bench.output('read', { path: 'empty' }), {
      text: '',
      from: 0,
      to: 0,
      total_lines: 0,
    });
  });

  it('pages by lines, and says where to go on', async () => {
    bench.put('a.txt', Array.from({ length: 1_200 }, (_, index) => `${index + 1}\n`).join(''));
    const first = await bench.output('read', { path: 'a.txt' });
    assert.deepEqual(
      [first['from'], first['to'], first['total_lines'], first['next_offset']],
      [1, READ_LINES, 1_200, 501],
    );
    const last = await bench.output('read', { path: 'a.txt', offset: 1_199, limit: 10 });
    assert.deepEqual(last, { text: '1199\n1200\n', from: 1_199, to: 1_200, total_lines: 1_200 });
    assert.equal(await bench.failure('read', { path: 'a.txt', offset: 1_201 }), 'a.txt has 1200 lines.');
  });

  it('R10: a page ends at a whole line within its bytes; a longer line is cut and said to be', async () => {
    bench.put('a.txt', `${'x'.repeat(40_000)}\n`.repeat(3));
    const page = await bench.output('read', { path: 'a.txt' });
    assert.deepEqual([page['to'], page['next_offset'], String(page['text']).length], [1, 2, 40_001]);
    bench.put('long.txt', `${'é'.repeat(100_000)}\nnext\n`);
    const cut = await bench.output('read', { path: 'long.txt' });
    assert.equal(cut['text'], 'é'.repeat(SHOWN_BYTES / 2));
    assert.equal(cut['note'], `This line has 200001 bytes; only its first ${SHOWN_BYTES} are shown.`);
    assert.equal(cut['next_offset'], 2);
  });

  it('T8: gives pictures as pictures', async () => {
    bench.put('a.png', PNG);
    const { output, images, failed } = await bench.run('read', { path: 'a.png' });
    assert.deepEqual(output, { image: 'image/png', bytes: PNG.length });
    assert.deepEqual(images, [{ mediaType: 'image/png', data: PNG.toString('base64') }]);
    assert.equal(failed, false);
    for (const [head, type] of [
      ['\xff\xd8\xff\xe0', 'image/jpeg'],
      ['GIF89a', 'image/gif'],
      ['RIFF\x10\0\0\0WEBP', 'image/webp'],
    ] as const) {
      bench.put('picture', Buffer.from(`${head}rest`, 'latin1'));
      assert.equal((await bench.output('read', { path: 'picture' }))['image'], type);
    }
    bench.put('large.png', Buffer.concat([PNG, Buffer.alloc(IMAGE_BYTES)]));
    assert.match(
      await bench.failure('read', { path: 'large.png' }),
      /picture of \d+ bytes; models take at most/,
    );
  });

  it('R11: says what it cannot read, and why', async () => {
    bench.put('binary', Buffer.from([1, 2, 0, 3]));
    bench.put('dir/x', '');
    assert.equal(await bench.failure('read', { path: 'binary' }), 'binary is a binary file of 4 bytes.');
    assert.equal(await bench.failure('read', { path: 'dir' }), 'dir is a folder, not a file.');
    assert.equal(await bench.failure('read', { path: 'none' }), 'none does not exist.');
  });

  it('R11: a file without permission', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const { chmodSync } = await import('node:fs');
    chmodSync(bench.put('a.txt', 'x'), 0o600);
    for (const path of [bench.base, bench.folder]) chmodSync(path, 0o755);
    process.seteuid?.(65534);
    try {
      assert.equal(await bench.failure('read', { path: 'a.txt' }), 'Permission denied.');
    } finally {
      process.seteuid?.(0);
    }
  });

  it('a damaged file is shown with its damage, and keeps it through an edit', async () => {
    bench.put(
      'a.txt',
      Buffer.concat([Buffer.from('Grüße für alle\n'), Buffer.from([0xff]), Buffer.from(' end\n')]),
    );
    const read = await bench.output('read', { path: 'a.txt' });
    assert.equal(read['text'], 'Grüße für alle\n\ufffd end\n');
    assert.equal(read['encoding'], 'utf-8-damaged');
    await bench.output('edit', { path: 'a.txt', old: 'für alle', new: 'für größere' });
    const { readFileSync } = await import('node:fs');
    assert.deepEqual(
      readFileSync(bench.at('a.txt')),
      Buffer.concat([Buffer.from('Grüße für größere\n'), Buffer.from([0xff]), Buffer.from(' end\n')]),
    );
  });

  it('R10: a file larger than is loaded is read by pages, without its size in memory', async () => {
    const line = (index: number): string => `${String(index).padStart(9, '0')} ${'x'.repeat(89)}\n`;
    const descriptor = openSync(bench.at('huge.log'), 'w');
    for (let block = 0; block < 100; block += 1) {
      writeSync(
        descriptor,
        Array.from({ length: 10_000 }, (_, index) => line(block * 10_000 + index)).join(''),
      );
    }
    closeSync(descriptor);
    const before = process.memoryUsage().arrayBuffers;
    const first = await bench.output('read', { path: 'huge.log', limit: 2 });
    assert.deepEqual(first, { text: line(0) + line(1), from: 1, to: 2, next_offset: 3 });
    const middle = await bench.output('read', { path: 'huge.log', offset: 500_000, limit: 1 });
    assert.equal(middle['text'], line(499_999));
    const last = await bench.output('read', { path: 'huge.log', offset: 1_000_000, limit: 5 });
    assert.deepEqual(last, { text: line(999_999), from: 1_000_000, to: 1_000_000 });
    assert.equal(
      await bench.failure('read', { path: 'huge.log', offset: 1_000_001 }),
      'huge.log has 1000000 lines.',
    );
    assert.match(
      await bench.failure('edit', { path: 'huge.log', old: 'a', new: 'b' }),
      new RegExp(`at most ${FILE_BYTES}`),
    );
    assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024);
  }).timeout(30_000);

  it('P4: a long read ends when it is stopped', async () => {
    const descriptor = openSync(bench.at('huge'), 'w');
    for (let block = 0; block < 64; block += 1) writeSync(descriptor, Buffer.alloc(1024 * 1024, 'x\n'));
    closeSync(descriptor);
    const run = bench.start(await bench.prepared('read', { path: 'huge', offset: 33_000_000 }));
    await run.stop('host_paused');
    assert.equal((await run.done).output['error'], 'host_paused');
  });
});

describe('list', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('names what is there, folders and links marked, in order', async () => {
    bench.put('b.txt', '');
    bench.put('a/x', '');
    bench.put('.hidden', '');
    symlinkSync('a', bench.at('link'));
    assert.deepEqual(await bench.output('list', {}), { entries: ['.hidden', 'a/', 'b.txt', 'link@'] });
    assert.deepEqual(await bench.output('list', { path: 'a' }), { entries: ['x'] });
    assert.equal(await bench.failure('list', { path: 'b.txt' }), 'b.txt is not a folder.');
    assert.equal(await bench.failure('list', { path: 'none' }), 'none does not exist.');
  });

  it('R10: a folder of thousands is cut, with the rest counted', async () => {
    for (let index = 0; index < 1_500; index += 1)
      writeFileSync(bench.at(`f${String(index).padStart(5, '0')}`), '');
    const { entries, omitted, note } = await bench.output('list', {});
    assert.equal((entries as string[]).length, 1_000);
    assert.equal(omitted, 500);
    assert.match(String(note), /500 more entries/);
  });

  it('names that are no text are shown as well as can be, and said to be', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${bench.folder}/caf`), Buffer.from([0xe9])]), 'x');
    assert.deepEqual(await bench.output('list', {}), { entries: ['caf\ufffd'], not_utf8: 1 });
    const found = await bench.output('search', { pattern: 'x' });
    assert.equal(found['text'], 'caf\ufffd\n1: x');
  });
});

describe('find', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.open();
    for (const path of ['src/a.ts', 'src/deep/b.ts', 'src/c.js', '.hidden/d.ts', 'ignored/e.ts', '.git/f.ts'])
      bench.put(path, '');
    bench.put('.gitignore', 'ignored\n');
  });
  afterEach(() => bench.close());

  it('finds files by name at any depth, or by their way; leaves out what git ignores, and git itself', async () => {
    const named = async (args: object) => (await bench.output('find', args))['text'];
    assert.deepEqual(await bench.output('find', { glob: '*.ts' }), {
      text: '.hidden/d.ts\nsrc/a.ts\nsrc/deep/b.ts',
      files: 3,
    });
    assert.equal(await named({ glob: 'src/*.{ts,js}' }), 'src/a.ts\nsrc/c.js');
    assert.equal(await named({ glob: '*.ts', path: 'src/deep' }), 'src/deep/b.ts');
    assert.equal(await named({ glob: '!*.ts' }), '.gitignore\nsrc/c.js');
    assert.deepEqual(await bench.output('find', { glob: 'nothing*' }), { text: '', files: 0 });
  });

  it('A1 is free inside the workspace, and asks like a read outside of it', async () => {
    assert.equal((await bench.prepared('find', { glob: '*' })).class, 'read');
    assert.equal((await bench.prepared('find', { glob: '*', path: bench.outside })).class, 'read_outside');
  });

  it('A12 names nothing of Belay’s own records, and says how many it has left out; follows no link', async () => {
    writeFileSync(`${bench.store}/secret.ts`, '');
    writeFileSync(`${bench.outside}/x.ts`, '');
    symlinkSync(bench.outside, bench.at('out'));
    const found = await bench.output('find', { glob: '*.ts', path: '..' });
    assert.equal(found['left_out'], 1);
    assert.doesNotMatch(String(found['text']), /secret|out\//);
    assert.match(String(found['text']), /outside\/x\.ts/);
  });

  it('R10 names a thousand files at most and says that there are more; a name of two lines is one', async () => {
    for (let n = 0; n < 1_005; n += 1) bench.put(`many/${String(n)}.txt`, '');
    const found = await bench.output('find', { glob: '*.txt' });
    assert.equal(found['files'], 1_000);
    assert.match(String(found['note']), /There are more/);
    bench.put('two\nlines.md', '');
    assert.equal((await bench.output('find', { glob: '*.md' }))['text'], 'two\\nlines.md');
  });

  it('R11 says what is wrong with a glob or a path; P4 ends when it is stopped', async () => {
    assert.match(await bench.failure('find', { glob: '[' }), /glob/);
    assert.match(await bench.failure('find', { glob: '*', path: 'none' }), /none does not exist/);
    const run = bench.start(await bench.prepared('find', { glob: '*', path: '/usr' }));
    assert.equal((await run.stop('host_paused')).stopped, true);
    assert.equal((await run.done).output['error'], 'host_paused');
  });
});

describe('search', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.open();
    bench.put('src/a.ts', 'const one = 1;\nconst two = 2;\n');
    bench.put('src/b.js', 'var one;\n');
    bench.put('.hidden/c.ts', 'one\n');
    bench.put('ignored/d.ts', 'one\n');
    bench.put('.gitignore', 'ignored\n');
    bench.put('.git/e.ts', 'one\n');
  });
  afterEach(() => bench.close());

  it('finds lines by regular expression, by file; leaves out what git ignores, and git itself', async () => {
    assert.deepEqual(await bench.output('search', { pattern: 'o[n]e' }), {
      text: '.hidden/c.ts\n1: one\n\nsrc/a.ts\n1: const one = 1;\n\nsrc/b.js\n1: var one;',
      matches: 3,
      files: 3,
    });
    assert.equal((await bench.output('search', { pattern: 'one', path: 'src', glob: '*.ts' }))['files'], 1);
    assert.deepEqual(await bench.output('search', { pattern: 'two', path: 'src/a.ts' }), {
      text: 'src/a.ts\n2: const two = 2;',
      matches: 1,
      files: 1,
    });
    assert.deepEqual(await bench.output('search', { pattern: 'nothing like it' }), {
      text: '',
      matches: 0,
      files: 0,
    });
  });

  it('takes a pattern or a path that looks like an option for what it is', async () => {
    bench.put('--files', '--version\n');
    assert.equal((await bench.output('search', { pattern: '--version' }))['matches'], 1);
    assert.equal((await bench.output('search', { pattern: 'version', path: '--files' }))['matches'], 1);
  });

  it('R11: says what is wrong with a pattern, a glob or a path', async () => {
    assert.match(await bench.failure('search', { pattern: '(' }), /unclosed group/);
    assert.match(await bench.failure('search', { pattern: 'a', glob: '[' }), /glob/);
    assert.match(await bench.failure('search', { pattern: 'a', path: 'none' }), /none does not exist/);
  });

  it('R10: ends when enough is found, and says that there is more', async () => {
    bench.put('many.txt', 'needle\n'.repeat(100_000));
    const found = await bench.output('search', { pattern: 'needle' });
    assert.equal(found['matches'], 500);
    assert.match(String(found['note']), /There is more/);
  });

  it('R10: shows the part of a long line that matches, and no line without end', async () => {
    bench.put('min.js', `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}\n`);
    const found = String((await bench.output('search', { pattern: 'needle', path: 'min.js' }))['text']);
    assert.ok(found.includes('needle') && found.length < 400 && found.includes('…x'));
    bench.put('huge.js', `needle${'y'.repeat(2_000_000)}\nneedle\n`);
    assert.deepEqual(await bench.output('search', { pattern: 'needle', path: 'huge.js' }), {
      text: 'huge.js\n0: (a line too long to be shown)\n2: needle',
      matches: 2,
      files: 1,
    });
  });

  it('A12: follows no link out of where it searches', async () => {
    writeFileSync(`${bench.outside}/x.txt`, 'one\n');
    symlinkSync(bench.outside, bench.at('out'));
    const found = await bench.output('search', { pattern: 'one' });
    assert.ok(!String(found['text']).includes('out/'));
    const outside = await bench.prepared('search', { pattern: 'one', path: 'out' });
    assert.equal(outside.class, 'read_outside');
  });

  it('X8: shows no secret', async () => {
    bench.secrets = { names: [], values: ['sk-secret"value'] };
    bench.put('.env', 'KEY=sk-secret"value\n');
    assert.equal((await bench.output('search', { pattern: 'KEY' }))['text'], '.env\n1: KEY=[REDACTED]');
  });

  it('P4: ends when it is stopped', async () => {
    const run = bench.start(await bench.prepared('search', { pattern: 'x', path: '/usr' }));
    assert.deepEqual((await run.stop('host_paused')).stopped, true);
    assert.equal((await run.done).output['error'], 'host_paused');
  });

  it('R11: a missing ripgrep is a result', async () => {
    const { createTools } = await import('../../host/adapters/tools/toolPort');
    const { createProcesses } = await import('../../host/adapters/processes/processes');
    const { hostMark } = await import('../../host/adapters/processes/hostMark');
    const { systemClock } = await import('../../host/base/clock');
    const secrets = (): { names: string[]; values: string[] } => ({ names: [], values: [] });
    const processes = createProcesses({
      clock: systemClock,
      log: () => {},
      mark: await hostMark('no-rg'),
      secrets,
    });
    const terminals = terminalsOn(processes);
    const tools = createTools({
      processes,
      terminals,
      ripgrep: '/no/such/rg',
      unsaved: { has: () => false, paths: () => [] },
      secrets,
      ...scriptTools,
      readKept: () => undefined,
      answered: clientTools(),
    });
    const prepared = await tools.prepare('search', '{"pattern":"x"}', bench.place);
    assert.ok(!('error' in prepared));
    const { output } = await tools.run(
      prepared,
      bench.place,
      (effect) => effect(),
      () => {},
      noSteps,
    ).done;
    assert.deepEqual(output, { error: 'tool_failed', detail: '/no/such/rg does not exist.' });
    await processes.dispose();
  });
});
