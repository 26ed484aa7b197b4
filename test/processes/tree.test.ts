import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fc from 'fast-check';
import { systemClock } from '../../host/base/clock';
import { parseStat } from '../../host/adapters/processes/linuxTable';
import { parseEnvironments, parseList, psTable } from '../../host/adapters/processes/psTable';
import { shellProgram } from '../../host/adapters/processes/shellProgram';
import { TalkingProgram } from '../../host/adapters/processes/talkingProgram';
import type { ProcessRow } from '../../host/adapters/processes/table';
import { membersOf, type Known } from '../../host/adapters/processes/tree';
import { WindowsFamily } from '../../host/adapters/processes/windowsFamily';

const row = (pid: number, parent: number, group = pid, session = group, start = `s${pid}`): ProcessRow => ({
  pid,
  parent,
  group,
  session,
  start,
  dead: false,
});
const known = (over: Partial<Known> = {}): Known => ({ starts: new Map(), root: 100, leader: 100, ...over });
const pids = (rows: readonly ProcessRow[], of: Known, marked: readonly number[] = []): number[] =>
  membersOf(rows, of, new Set(marked))
    .map((one) => one.pid)
    .sort((a, b) => a - b);

describe('The members of a tree', () => {
  const rest = [row(1, 0), row(2, 1), row(50, 1)];

  it('X5: are the shell, its descendants, its group and its session', () => {
    const rows = [
      ...rest,
      row(100, 50),
      row(101, 100, 100),
      row(102, 101, 102, 100),
      row(103, 1, 100),
      row(104, 1, 104, 100),
    ];
    assert.deepEqual(pids(rows, known()), [100, 101, 102, 103, 104]);
  });

  it('X5: and what carries the mark, with all that comes from it', () => {
    const rows = [...rest, row(100, 50), row(200, 1), row(201, 200), row(202, 1, 200)];
    assert.deepEqual(pids(rows, known(), [200]), [100, 200, 201, 202]);
  });

  it('X5: and what was seen before, with what it has left in its group since', () => {
    const seen = known({ starts: new Map([[300, 's300']]), root: undefined });
    assert.deepEqual(pids([...rest, row(301, 1, 300)], seen), [301]);
    assert.deepEqual(pids([...rest, row(300, 1), row(301, 300)], seen), [300, 301]);
  });

  it('X6: are nothing that has been given the number of a gone one', () => {
    const seen = known({ starts: new Map([[300, 's300']]), root: undefined });
    const reused = row(300, 1, 300, 300, 'later');
    assert.deepEqual(pids([...rest, reused, row(301, 300, 300)], seen), []);
    const shell = row(100, 1, 100, 100, 'later');
    assert.deepEqual(pids([...rest, shell, row(101, 100, 100)], known({ root: undefined })), []);
  });

  it('X6: never hold a process without a tie to the tree, whatever the table looks like', () => {
    const rows = fc.uniqueArray(
      fc.record({
        pid: fc.integer({ min: 2, max: 12 }),
        parent: fc.integer({ min: 0, max: 12 }),
        group: fc.integer({ min: 0, max: 12 }),
        session: fc.integer({ min: 0, max: 12 }),
        start: fc.constantFrom('a', 'b'),
        dead: fc.boolean(),
      }),
      { selector: (one) => one.pid },
    );
    const seen = fc.uniqueArray(fc.tuple(fc.integer({ min: 2, max: 12 }), fc.constantFrom('a', 'b')), {
      selector: ([pid]) => pid,
    });
    fc.assert(
      fc.property(rows, seen, fc.array(fc.integer({ min: 2, max: 12 })), (table, starts, marks) => {
        const of = { starts: new Map(starts), root: undefined, leader: 100 };
        const members = membersOf(table, of, new Set(marks));
        const inTree = new Set(members.map((one) => one.pid));
        const there = new Set(table.map((one) => one.pid));
        for (const member of members) {
          const led = (id: number): boolean => inTree.has(id) || (!there.has(id) && of.starts.has(id));
          const tied =
            marks.includes(member.pid) ||
            of.starts.get(member.pid) === member.start ||
            inTree.has(member.parent) ||
            led(member.group) ||
            led(member.session);
          assert.ok(tied, JSON.stringify(member));
        }
        for (const one of table) {
          if (inTree.has(one.pid)) continue;
          assert.ok(!inTree.has(one.parent) && !marks.includes(one.pid), JSON.stringify(one));
        }
      }),
    );
  });
});

describe('What a system tells of its processes', () => {
  it('Linux: a name with spaces and parentheses does not shift the fields', () => {
    const line = '7 (a) R (b) S 3 7 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 424242 9 9 9';
    assert.deepEqual(parseStat(line), {
      pid: 7,
      parent: 3,
      group: 7,
      session: 5,
      start: '424242',
      dead: false,
    });
    assert.equal(parseStat('7 (x) Z 3 7 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0')?.dead, true);
    assert.equal(parseStat(''), undefined);
    assert.equal(parseStat('7 (half'), undefined);
  });

  it('macOS: lines of ps, with starts that hold spaces', () => {
    const output = [
      '    1     0     1 Ss   Sun Nov 29 15:44:01 2026    ',
      '  812   811   811 S+   Sun Nov 29 16:01:22 2026    ',
      '  813   811   811 Z    Sun Nov 29 16:01:22 2026    ',
      'ps: something else',
      '',
    ].join('\n');
    assert.deepEqual(parseList(output), [
      { pid: 1, parent: 0, group: 1, session: 0, start: 'Sun Nov 29 15:44:01 2026', dead: false },
      { pid: 812, parent: 811, group: 811, session: 0, start: 'Sun Nov 29 16:01:22 2026', dead: false },
      { pid: 813, parent: 811, group: 811, session: 0, start: 'Sun Nov 29 16:01:22 2026', dead: true },
    ]);
  });

  it('macOS: the environment behind a command', () => {
    const output = [
      '  812 sleep 10 HOME=/Users/x BELAY_RUN=h.1 LANG=C',
      '  813 grep BELAY_RUN=no BELAY_RUN=h.2',
      '  814 sleep 1',
    ].join('\n');
    assert.deepEqual(
      [...parseEnvironments(output, 'BELAY_RUN')],
      [
        [812, 'h.1'],
        [813, 'h.2'],
      ],
    );
  });

  it('macOS: a signal goes only to what is still the same process', async () => {
    const list = (start: string): string => `${process.pid} 1 1 S ${start}\n`;
    let now = list('Sun Nov 29 15:44:01 2026');
    const table = psTable(() => Promise.resolve(now));
    const rows = await table.list();
    assert.equal((await table.alive(rows)).length, 1);
    now = list('Sun Nov 29 15:50:00 2026');
    assert.deepEqual(await table.alive(rows), []);
    await table.signal(rows, 'SIGKILL');
    now = '';
    assert.deepEqual(await table.alive(rows), []);
  });

  it('Windows X5 X7: a tree is ended by taskkill, a failure names the shell, and what cannot be seen is not said to have ended', async () => {
    const asked: (readonly string[])[] = [];
    const works = new WindowsFamily(
      42,
      () => true,
      (args) => Promise.resolve(asked.push(args)),
    );
    const ended = { stopped: true, survivors: [], signal: 'SIGKILL' };
    assert.deepEqual(await Promise.all([works.end('tree'), works.end('tree')]), [ended, ended]);
    assert.deepEqual(asked, [['/T', '/F', '/PID', '42']]);
    const fails = new WindowsFamily(
      42,
      () => true,
      () => Promise.reject(new Error('denied')),
    );
    assert.deepEqual(await fails.end('tree'), { stopped: false, survivors: [42] });
    const over = new WindowsFamily(
      42,
      () => false,
      () => Promise.reject(new Error('not called')),
    );
    assert.deepEqual(await over.end('tree'), { stopped: false, survivors: [] });
    assert.deepEqual(await works.end('work'), ended);
  });

  it('Windows X7 X1: a command ends with the code of its program, and prints UTF-8', () => {
    const shell = shellProgram('win32');
    assert.equal(shell.file, 'powershell.exe');
    const [setting, ...lines] = shell.args('npm test # all').at(-1)?.split('\n') ?? [];
    assert.match(setting ?? '', /OutputEncoding = \[Text\.UTF8Encoding\]/);
    assert.deepEqual(lines, [
      'npm test # all',
      'if ($?) { exit 0 }; if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1',
    ]);
  });

  it('Windows H4: a signal to an agent ends its whole tree, since there are none', async () => {
    const child = spawn('/bin/sh', ['-c', 'exec sleep 60'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const scopes: string[] = [];
    const program = new TalkingProgram(
      {
        child,
        clock: systemClock,
        platform: 'win32',
        release: () => undefined,
        family: {
          hasGroup: () => false,
          end: (scope) => {
            scopes.push(scope);
            process.kill(-(child.pid ?? 0), 'SIGKILL');
            return Promise.resolve({ stopped: true, survivors: [] });
          },
          see: () => Promise.resolve(),
          nudge: () => undefined,
        },
      },
      () => undefined,
    );
    program.signal('SIGTERM');
    await program.ended;
    assert.deepEqual(scopes, ['tree']);
  });
});
