/** Real programs on a terminal, as an agent drives them (X3). `npm test` installs those that are missing. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { Desk } from './desk';

/** Of a person’s shell, or of root’s. */
const PROMPT = /[$#] $/;

describe('real programs on a terminal', function () {
  this.timeout(15_000);
  let desk: Desk;
  beforeEach(async () => (desk = await Desk.open()));
  afterEach(() => desk.close());

  it('X3 bash: a job is stopped, goes on in the background and is ended; another is interrupted', async () => {
    const started = desk.start('exec bash --norc --noprofile');
    await started.says(PROMPT);
    started.type('PS1=; echo ready $((1+1))\r');
    await started.says('ready 2');
    started.type(`sh -c 'echo job $((2+3)); exec sleep 1000'\r`);
    await started.says('job 5');
    started.type('\x1a');
    await started.says(/\[1\]\+\s+Stopped/);
    started.type('bg\r');
    started.type('jobs\r');
    await started.says(/\[1\]\+\s+Running/);
    started.type('kill %1; wait %1; echo code $?\r');
    await started.says('code 143');
    started.type(`sh -c 'echo job $((3+3)); exec sleep 1000'\r`);
    await started.says('job 6');
    started.type('\x03');
    started.type('echo code $?\r');
    await started.says('code 130');
    started.type('exit 3\r');
    assert.equal((await started.run.done).output['exit_code'], 3);
  });

  it('X3 Python’s REPL', async () => {
    const started = desk.start('exec python3 -q');
    await started.says('>>> ');
    started.type('6 * 7\r');
    await started.says('42');
    started.type('import sys; sys.stdin.isatty(), sys.stdout.isatty()\r');
    await started.says('(True, True)');
    started.type('exit(5)\r');
    assert.equal((await started.run.done).output['exit_code'], 5);
  });

  it('X3 Node’s REPL', async () => {
    const started = desk.start('NO_COLOR=1 exec node');
    await started.says('> ');
    started.type('"node " + 6 * 7\r');
    await started.says("'node 42'");
    started.type('.exit\r');
    assert.equal((await started.run.done).output['exit_code'], 0);
  });

  it('X3 vim: the screen is read as text, a file is written, and the former screen comes back', async () => {
    const file = join(desk.folder, 'note.txt');
    writeFileSync(file, 'first line\n');
    const started = desk.start('echo before; vim -u NONE -n note.txt; echo after; read x');
    await started.shows((screen) => screen.includes('first line') && screen.includes('~'));
    assert.equal((await started.terminal.screen()).alternate, true);
    const painted = await started.read();
    assert.equal(painted['output'], '');
    assert.match(String(painted['screen']), /^first line\n~/);
    started.type('Gosecond line\x1b');
    await started.shows((screen) => screen.includes('second line'));
    started.type(':wq\r');
    const screen = await started.shows((text) => text.includes('after'));
    assert.match(screen, /^before\nafter/);
    assert.equal(readFileSync(file, 'utf8'), 'first line\nsecond line\n');
    await started.run.stop('stopped');
  });

  it('X3 less: a long file is paged through, and a resize is followed', async () => {
    const lines = Array.from({ length: 500 }, (_, n) => `line ${n + 1}`).join('\n');
    writeFileSync(join(desk.folder, 'long.txt'), `${lines}\n`);
    const started = desk.start('exec less long.txt');
    await started.shows((screen) => screen.startsWith('line 1\n') && screen.includes('line 29'));
    started.type('G');
    await started.shows((screen) => screen.includes('line 500'));
    started.type('g');
    await started.shows((screen) => screen.startsWith('line 1\n'));
    started.terminal.resize(80, 10, (effect) => effect());
    const small = await started.shows(
      (screen) => screen.split('\n').length <= 10 && screen.includes('line 9'),
    );
    assert.doesNotMatch(small, /line 12/);
    started.type('q');
    assert.equal((await started.run.done).output['exit_code'], 0);
  });

  it('X3 top: it paints again and again, and is stopped', async () => {
    const started = desk.start('exec top -d 0.3');
    await started.shows((screen) => /PID\s+USER/.test(screen));
    const told = await started.read();
    assert.match(String(told['screen']), /load average/);
    assert.equal(told['output'] === '' || typeof told['output'] === 'string', true);
    assert.equal((await started.run.stop('stopped')).signal, 'SIGINT');
  });

  it('X3 a password that is asked for, as ssh asks, is not shown', async () => {
    const started = desk.start(`bash -c 'read -s -p "you@host password: " p; echo; echo "length \${#p}"'`);
    await started.says('password: ');
    assert.match(String((await started.read())['output']), /password: $/);
    started.type('open sesame\r');
    const { output } = await started.run.done;
    assert.equal(output['output'], '\nlength 11\n');
    assert.doesNotMatch(started.text, /sesame/);
  });

  it('X2 X3 a dev server serves while it is looked at, and is gone with its stop', async () => {
    writeFileSync(
      join(desk.folder, 'server.js'),
      `const server = require('node:http').createServer((_, r) => r.end('hello'));
       server.listen(0, '127.0.0.1', () => console.log('listening on ' + server.address().port));`,
    );
    const started = desk.start('node server.js');
    await started.says(/listening on \d+/);
    const port = Number(/listening on (\d+)/.exec(started.text)?.[1]);
    assert.equal(await fetched(port), 'hello');
    const report = await started.run.stop('stopped');
    assert.deepEqual([report.stopped, report.signal], [true, 'SIGINT']);
    await assert.rejects(fetched(port), /ECONNREFUSED/);
  });

  it('X3 the person’s own shell runs with its start-up files when the setting asks for it', async () => {
    const home = process.env['HOME'];
    process.env['HOME'] = desk.folder;
    writeFileSync(join(desk.folder, '.bashrc'), 'PS1="own-prompt> "\n');
    const own = await Desk.open({ ownShell: '/bin/bash' });
    process.env['HOME'] = home;
    try {
      const started = own.start(undefined);
      await started.says('own-prompt> ');
      await started.run.stop('stopped');
    } finally {
      await own.close();
    }
    const bare = desk.start(undefined);
    await bare.says(PROMPT);
    assert.doesNotMatch(bare.text, /own-prompt/);
  });
});

function fetched(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}
