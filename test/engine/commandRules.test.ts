import assert from 'node:assert/strict';
import { judge, offersFor, type Circumstances } from '../../host/engine/approvals/judge';
import { ownParts } from '../../host/engine/approvals/reading';
import { labelOf } from '../../host/engine/approvals/ruleLabel';
import type { Prepared } from '../../host/engine/ports';
import type { RuleRecord } from '../../host/engine/records';
import { RuleId, SessionId, type Mode } from '../../protocol';
import { readSh } from '../commands/support';

const session = SessionId.parse('s1');

async function callOf(command: string, folder = '/w'): Promise<Prepared> {
  return {
    tool: 'shell',
    class: 'command',
    title: command,
    args: { command },
    preview: { kind: 'command', command, folder },
    subject: { kind: 'command', command, folder, reading: await readSh(command) },
    liftable: true,
  };
}

async function ruleOf(text: string, folder = '/w'): Promise<RuleRecord> {
  const [effect = '', ...words] = text.split(' ');
  const command = words.join(' ');
  const match = { kind: 'command', command, folder } as const;
  const parts = ownParts(await readSh(command));
  assert.ok(effect === 'allow' || effect === 'deny' || effect === 'ask');
  const label = labelOf({ effect, scope: 'workspace', match }, parts);
  return {
    id: RuleId.parse('r1'),
    effect,
    scope: 'workspace',
    match,
    label,
    createdAt: 0,
    by: 'test',
    parts,
  };
}

async function judged(command: string, rules: readonly string[], mode: Mode = 'ask', folder = '/w') {
  const now: Circumstances = {
    mode,
    trusted: true,
    session,
    rules: await Promise.all(rules.map((rule) => ruleOf(rule))),
  };
  return judge(await callOf(command, folder), now);
}

/** Rules, a command, and what becomes of it in the mode `ask`. */
type Row = readonly [rules: readonly string[], command: string, decision: 'allow' | 'ask' | 'deny'];

const NPM = ['allow npm test'];
const DENY = ['deny rm -rf x'];

const ROWS: readonly Row[] = [
  [NPM, 'npm test', 'allow'],
  [NPM, '"npm"  test', 'allow'],
  [NPM, 'npm test #', 'allow'],
  [NPM, 'npm test 2>&1', 'allow'],
  [NPM, 'npm test && npm test', 'allow'],
  [NPM, 'npm test; curl x|sh', 'ask'],
  [NPM, 'npm test\nrm -rf x', 'ask'],
  [NPM, 'npm test && npm publish', 'ask'],
  [NPM, 'npm test --x', 'ask'],
  [NPM, 'npm', 'ask'],
  [NPM, 'npm test > out', 'ask'],
  [NPM, 'npm test &', 'ask'],
  [NPM, 'npm test $(rm x)', 'ask'],
  [NPM, 'A=1 npm test', 'ask'],
  [NPM, 'A=1; npm test', 'ask'],
  [NPM, 'cd sub && npm test', 'ask'],
  [NPM, 'env npm test', 'ask'],
  [NPM, 'bash -c "npm test"', 'ask'],
  [NPM, '(npm test)', 'ask'],
  [NPM, 'npm() { rm x; }; npm test', 'ask'],
  [NPM, 'alias npm=rm; npm test', 'ask'],
  [NPM, './npm test', 'ask'],
  [NPM, '$X npm test', 'ask'],
  [NPM, 'npm $X', 'ask'],
  [NPM, 'npm te?t', 'ask'],
  [NPM, 'npm\u00a0test', 'ask'],
  [NPM, 'npm "test', 'ask'],
  [['allow a && b'], 'b', 'allow'],
  [['allow a && b'], 'a | b', 'allow'],
  [['allow a', 'allow b'], 'a; b || a', 'allow'],
  [['allow cd sub && npm test'], 'cd sub && npm test', 'allow'],
  [['allow cd sub && npm test'], 'cd sub; npm test', 'ask'],
  [['allow cd sub && npm test'], 'npm test', 'ask'],
  [['allow cd sub && npm test'], 'cd sub && cd sub && npm test', 'ask'],
  [['allow ls *.ts'], 'ls *.ts', 'allow'],
  [['allow ls *.ts'], "ls '*.ts'", 'ask'],
  [["allow ls '*.ts'"], 'ls *.ts', 'ask'],
  [['allow echo $HOME'], 'echo $HOME', 'allow'],
  [['allow echo $HOME'], "echo '$HOME'", 'ask'],
  [['allow npm run *'], 'npm run', 'allow'],
  [['allow npm run *'], 'npm run build -- --x', 'allow'],
  [['allow npm run *'], 'npm run build | npm run x', 'allow'],
  [['allow npm run *'], 'npm running', 'ask'],
  [['allow npm run *'], 'npm test', 'ask'],
  [['allow npm run *'], 'npm run $X', 'ask'],
  [['allow npm run *'], 'npm run *', 'ask'],
  [['allow npm run *'], 'npm run build > out', 'ask'],
  [['allow npm run *'], 'npm run build; rm x', 'ask'],
  [["allow npm run '*'"], 'npm run build', 'ask'],
  [['allow find . *'], 'find . -name x', 'allow'],
  [['allow find . *'], 'find . -delete', 'ask'],
  // What no rule can allow asks even if a rule of an earlier time says so.
  [['allow node x'], 'node x', 'ask'],
  [['allow sh'], 'sh', 'ask'],
  [['allow sudo *'], 'sudo ls', 'ask'],
  [['allow *'], 'ls', 'ask'],
  [DENY, 'rm -rf x', 'deny'],
  [DENY, 'rm  -rf  x', 'deny'],
  [DENY, 'rm -rf "x"', 'deny'],
  [DENY, "r''m -rf x", 'deny'],
  [DENY, '\\rm -rf x', 'deny'],
  [DENY, "$'rm' -rf x", 'deny'],
  [DENY, '/bin/rm -rf x', 'deny'],
  [DENY, 'ls && rm -rf x', 'deny'],
  [DENY, 'echo $(rm -rf x)', 'deny'],
  [DENY, 'echo "`rm -rf x`"', 'deny'],
  [DENY, '(rm -rf x)', 'deny'],
  [DENY, 'if a; then rm -rf x; fi', 'deny'],
  [DENY, 'f() { rm -rf x; }; f', 'deny'],
  [DENY, 'A=1 rm -rf x', 'deny'],
  [DENY, 'rm -rf x > /dev/null &', 'deny'],
  [DENY, 'sudo -u root rm -rf x', 'deny'],
  [DENY, 'sudo -Eu root rm -rf x', 'deny'],
  [DENY, 'runuser -lc "rm -rf x" bob', 'deny'],
  [DENY, 'su - root -lc "rm -rf x"', 'deny'],
  [DENY, 'su -c"rm -rf x"', 'deny'],
  [DENY, 'script --command="rm -rf x" /dev/null', 'deny'],
  [DENY, 'runuser -u bob -- rm -rf x', 'deny'],
  [DENY, 'bash -c "ls; rm -rf x"', 'deny'],
  [DENY, "env A=1 sh -c 'nohup rm -rf x'", 'deny'],
  [DENY, 'find . -exec rm -rf x \\;', 'deny'],
  [DENY, 'cd sub && rm -rf x', 'deny'],
  [DENY, 'eval rm -rf x', 'deny'],
  [DENY, 'rm -rf y', 'ask'],
  [DENY, 'echo rm -rf x', 'ask'],
  [DENY, "echo 'rm -rf x'", 'ask'],
  [['deny rm *'], 'rm', 'deny'],
  [['deny rm *'], 'xargs rm', 'deny'],
  [['deny rm *'], 'rm $X', 'deny'],
  [['deny rm *'], 'rmdir x', 'ask'],
  [['deny *'], 'anything at all', 'deny'],
  // A line that cannot be read is matched as it stands.
  [['deny npm "test'], 'npm "test', 'deny'],
  [['deny npm "test'], 'npm  "test', 'ask'],
  [['ask npm test', 'allow npm test'], 'npm test', 'ask'],
  [['allow rm *', 'ask rm *', 'deny rm *'], 'rm x', 'deny'],
  [['allow npm test', 'deny git push'], 'npm test && git push', 'deny'],
];

describe('A10 the rules for commands', () => {
  it('A10 allow what each part is allowed for, and deny what any part is denied for', async () => {
    for (const [rules, command, decision] of ROWS)
      assert.equal((await judged(command, rules)).decision, decision, `${rules.join(', ')}: ${command}`);
  }).timeout(20_000);

  it('A10 hold in their folder and in no other', async () => {
    assert.equal((await judged('npm test', NPM, 'ask', '/other')).decision, 'ask');
    assert.equal((await judged('rm -rf x', DENY, 'ask', '/other')).decision, 'ask');
  });

  it('A1 A10 in the mode "full" what is denied is denied, and what hides it asks', async () => {
    const full = async (command: string, rules: readonly string[]) =>
      (await judged(command, rules, 'full')).decision;
    assert.equal(await full('node x > y', []), 'allow');
    assert.equal(await full('npm "test', []), 'allow');
    assert.equal(await full('node x > y', DENY), 'allow');
    assert.equal(await full('sudo rm -rf x', DENY), 'deny');
    for (const hidden of ['npm "test', '$X -rf x', 'eval "$X"', 'bash -c "$X"'])
      assert.equal(await full(hidden, DENY), 'ask', hidden);
  });

  it('A10 say which part asks, and why', async () => {
    const why = async (command: string, rules: readonly string[] = []) => (await judged(command, rules)).why;
    assert.equal(await why('npm test'), 'No rule allows this command.');
    assert.equal(await why('npm test | sh', NPM), '`sh`: the interpreter `sh` always asks.');
    assert.equal(await why('npm test && git push', NPM), '`git push`: no rule allows this command.');
    assert.equal(
      await why('npm test > out', NPM),
      '`npm test`: a redirection from or to a file (`> out`) always asks.',
    );
    assert.match(await why('npm "test'), /^It cannot be read as a command of its shell/);
    assert.equal(
      await why('a; b', ['allow a', 'allow b']),
      'Rules allow each of its commands: `a` exactly, in /w; `b` exactly, in /w.',
    );
  });

  it('A3 A10 are offered only where they would have allowed this very call, and say what they cover', async () => {
    const now: Circumstances = { mode: 'ask', trusted: true, session, rules: [] };
    const offered = async (command: string) => [
      ...new Set(offersFor(await callOf(command), now).map(({ label }) => label)),
    ];
    assert.deepEqual(await offered('touch a'), ['`touch a` exactly, in /w']);
    assert.deepEqual(await offered('npm test | tail'), [
      'each of the commands in `npm test | tail` exactly, in /w',
    ]);
    for (const command of [
      'node x',
      'a > b',
      'a &',
      'A=1 a',
      'npm "test',
      'cd a; b',
      'echo $(a)',
      'npm run *',
    ])
      assert.deepEqual(await offered(command), [], command);
    assert.equal((await ruleOf('allow npm run *')).label, '`npm run` with any further words, in /w');
  });

  it('A10 a command that was prepared before commands were read asks, and a rule without its parts allows nothing', async () => {
    const old: Prepared = {
      ...(await callOf('npm test')),
      subject: { kind: 'command', command: 'npm test', folder: '/w' },
    };
    const rules = [await ruleOf('allow npm test')];
    assert.equal(judge(old, { mode: 'ask', trusted: true, session, rules }).decision, 'ask');
    const bare = rules.map(({ parts: _parts, ...rule }) => rule);
    assert.equal(
      judge(await callOf('npm test'), { mode: 'ask', trusted: true, session, rules: bare }).decision,
      'ask',
    );
    const denied = bare.map((rule) => ({ ...rule, effect: 'deny' as const }));
    assert.equal(judge(old, { mode: 'full', trusted: true, session, rules: denied }).decision, 'deny');
  });

  it('A10 an allow rule never covers a line with a command that it does not name, however the line is made', async () => {
    const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;
    const commands = [
      'a',
      'a b',
      'a "b"',
      "a  'b'",
      'a b c',
      'cd d',
      'rm x',
      'A=1 a b',
      '$(a b)',
      'sh',
      'a *',
    ];
    const joints = [' && ', '; ', ' | ', '\n', ' || ', ' & ', ' |& ', ' #', ' \\\n', '\t'];
    const covered = new Set(['a b']);
    let seed = 7;
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) >>> 8;
    const rules = [await ruleOf('allow a b')];
    let allowed = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const pieces = Array.from({ length: 1 + (next() % 3) }, () => pick(commands, next()));
      const line = pieces.reduce((made, piece) => made + pick(joints, next()) + piece);
      const call = await callOf(line);
      const { decision } = judge(call, { mode: 'ask', trusted: true, session, rules });
      if (decision !== 'allow') continue;
      allowed += 1;
      // By another way than the reader's: without quotes and comments, cut at everything that could join.
      const plain = line
        .replace(/["']/g, '')
        .replace(/ #[^\n]*/g, '')
        .replace(/\\\n/g, ' ');
      const each = plain.split(/&&|\|\||\|&|[;|\n]/).map((one) => one.trim().replace(/\s+/g, ' '));
      assert.ok(
        each.every((one) => one === '' || covered.has(one)),
        JSON.stringify(line),
      );
    }
    assert.ok(allowed > 20, String(allowed));
  }).timeout(30_000);
});
