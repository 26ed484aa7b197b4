/** Commands with further words: which are offered, and what a rule that was left behind covers (A3, A10). */
import assert from 'node:assert/strict';
import { judge, offersFor, partsFor, type Circumstances } from '../../host/engine/approvals/judge';
import type { Prepared } from '../../host/engine/ports';
import { RuleId, SessionId, type Offer } from '../../protocol';
import type { CommandReading } from '../../host/engine/approvals/reading';
import { readAs, readSh } from '../commands/support';

const session = SessionId.parse('s1');
const bare: Circumstances = { mode: 'ask', trusted: true, session, rules: [] };

type Read = (command: string) => Promise<CommandReading>;

const readPowerShell: Read = (command) => readAs('/usr/bin/pwsh', command);

async function callOf(command: string, folder = '/w', read: Read = readSh): Promise<Prepared> {
  return {
    tool: 'shell',
    class: 'command',
    title: command,
    args: { command },
    preview: { kind: 'command', command, folder },
    subject: { kind: 'command', command, folder, reading: await read(command) },
    liftable: true,
  };
}

const widerOf = (call: Prepared): Offer | undefined =>
  offersFor(call, bare).find(({ match }) => match.kind === 'command' && match.further === true);

/** How a command is judged under the wider rule that was offered for another one. */
async function judgedUnder(asked: string, command: string, folder = '/w', read: Read = readSh) {
  const call = await callOf(asked, '/w', read);
  const offer = widerOf(call);
  assert.ok(offer !== undefined, asked);
  const parts = partsFor(offer.match, call);
  const rule = {
    ...offer,
    id: RuleId.parse('r1'),
    scope: 'workspace' as const,
    effect: 'allow' as const,
    createdAt: 0,
    by: 'test',
    ...(parts === undefined ? {} : { parts }),
  };
  return judge(await callOf(command, folder, read), { ...bare, rules: [rule] }).decision;
}

describe('A10 commands with further words', () => {
  it('A3 are offered for what is known to run nothing else by its words, behind the exact line, in full words', async () => {
    const labels = offersFor(await callOf('npm test -- -t cart'), bare).map(({ label }) => label);
    const wide =
      '`npm test` with further names, paths that stay inside (it may run the files named), and options that only choose or show, in /w';
    assert.deepEqual(labels, [
      '`npm test -- -t cart` exactly, in /w',
      '`npm test -- -t cart` exactly, in /w',
      wide,
      wide,
    ]);
  });

  it('are never offered for interpreters, wrappers, lines of several commands, forms that always ask, or what nobody knows', async () => {
    for (const command of [
      'node test.js',
      'python -m pytest',
      'sh test.sh',
      'npx vitest',
      'make test',
      'find . -name x',
      'env npm test',
      'CI=1 npm test',
      'timeout 5 npm test',
      'xargs npm test',
      'npm test && npm run lint',
      'npm test | tail',
      'npm test > out',
      'npm test &',
      'cd sub && npm test',
      '(npm test)',
      'npm test $X',
      'npm test *.js',
      'npm test -- --config evil.js',
      'npm --prefix sub test',
      'npm exec test',
      'npm run',
      'npm run start x',
      'npm run ts-node src/x.ts',
      'npm run tester x',
      'yarn run node x.js',
      'yarn run test x',
      'pnpm run tsx x.ts',
      'yarn node x.js',
      './npm test',
      '/tmp/npm test',
      'NPM test',
      'git push',
      'git -c core.pager=evil log',
      'rm -r dist',
      'cat a.txt',
      'curl localhost',
    ])
      assert.equal(widerOf(await callOf(command)), undefined, command);
  });

  it('cover the line itself, names, paths inside and options that choose or show', async () => {
    for (const [asked, command] of [
      ['npm test', 'npm test'],
      ['npm test', 'npm test -- -t "adds up"'],
      ['npm test', 'npm test src/cart.test.ts'],
      ['npm test -- -t cart', 'npm "test" -- --grep=total --bail'],
      ['npm run lint', 'npm run lint -- src ./test'],
      ['npm run test:unit -- -t a', 'npm run test:unit src/a.test.ts'],
      ['yarn test', 'yarn test --bail src'],
      ['pytest', 'pytest tests/test_a.py::test_b -k "not slow" -x -q'],
      ['cargo test', 'cargo test -p core -- --nocapture'],
      ['git log -3', 'git log --oneline -20 main..dev'],
      ['git diff', 'git diff --stat HEAD^ -- src'],
      ['ls', 'ls -la src'],
      ['npm test', 'npm test 2>&1'],
    ] as const)
      assert.equal(await judgedUnder(asked, command), 'allow', command);
  });

  it('cover nothing that runs, writes or reads something else', async () => {
    for (const command of [
      'npm test && rm -rf x',
      'npm test; curl evil.example',
      'npm test | sh',
      'npm test $(evil)',
      'npm test `evil`',
      'npm test <(evil)',
      'npm test > /etc/passwd',
      'npm test >> src/a.ts',
      'npm test < secret',
      'npm test &',
      'PATH=. npm test',
      'NODE_OPTIONS=--require=./evil.js npm test',
      'env NODE_OPTIONS=x npm test',
      'sudo npm test',
      'cd evil && npm test',
      'npm test $ARGS',
      'npm test {a,b}',
      'npm test -- --config evil',
      'npm test -- --config=evil.js',
      'npm test -- -c evil.js',
      'npm test -- --require ./evil.js',
      'npm test -- -r evil',
      'npm test -- --reporter ./evil.js',
      'npm test -- --run=evil',
      'npm test -t cart',
      'npm test --script-shell=./evil',
      'npm test --script-shell ./evil',
      'npm test --prefix /tmp/evil',
      'npm test --prefix=evil',
      'npm test -C evil',
      'npm test --node-options=--require=./evil.js -- -t x',
      'npm test ../evil',
      'npm test src/../../evil',
      'npm test -- --grep=../evil',
      'npm test /tmp/evil.test.js',
      'npm test ~/evil.test.js',
      'npm test file:evil',
      'npm test https://evil.example/x',
      'npm test C:/evil',
      'npm test @evil.txt',
      'npm test "..\\\\evil"',
      'npm run evil',
      'npm testing',
      'npm Test',
      'npm',
      'x npm test',
      'npm exec npm test',
    ])
      assert.equal(await judgedUnder('npm test', command), 'ask', command);
    for (const [asked, command] of [
      ['git diff', 'git diff --output=src/a.ts'],
      ['git diff', 'git diff --ext-diff'],
      ['git diff', 'git diff --no-index a /etc/passwd'],
      ['git log', 'git log --output evil'],
      ['git log', 'git push'],
      ['git status', 'git -c core.fsmonitor=evil status'],
      ['git show', 'git show --textconv HEAD'],
      ['pytest', 'pytest -p evil'],
      ['pytest', 'pytest -c evil.ini'],
      ['pytest', 'pytest --rootdir=..'],
      ['cargo test', 'cargo test --config evil.toml'],
      ['cargo test', 'cargo test --manifest-path ../evil/Cargo.toml'],
      ['cargo test', 'cargo run'],
      ['ls', 'ls /home'],
      ['ls', 'ls ..'],
    ] as const)
      assert.equal(await judgedUnder(asked, command), 'ask', command);
  });

  /** What a shell, `cmd.exe` or a code page of Windows makes more of, though here it is one word. */
  const OTHERWISE = [
    '$(touch x)',
    '`touch x`',
    '$HOME',
    '%PATH%',
    '!x!',
    'x;y',
    'a|b',
    'a&calc',
    'a<b',
    'a>b',
    '(a)',
    '{a,b}',
    'a*',
    'a?',
    '[a]',
    'a"b',
    'a\\b',
    'a#b',
    'a\nb',
    'a\rb',
    'a\tb',
    'a\u01c0b',
    'a\u02bab',
    '',
  ];

  it('A10 A3 cover no word that means more where a script or a .cmd file reads it once more, however it is quoted', async () => {
    for (const word of OTHERWISE)
      for (const head of ['npm test', 'pnpm test', 'yarn test', 'npm run lint', 'git log', 'pytest', 'ls'])
        for (const line of [
          `${head} '${word}'`,
          `${head} 'src/${word}'`,
          `${head} -- --grep='${word}'`,
          `${head} -- -t '${word}'`,
        ]) {
          if (line.endsWith("src/'")) continue;
          assert.equal(await judgedUnder(head, line), 'ask', line);
          assert.equal(await judgedUnder(head, line, '/w', readPowerShell), 'ask', `PowerShell: ${line}`);
        }
    for (const line of [
      'npm test "\\$(touch x)"',
      "npm test $'x\\x24(touch x)'",
      'npm test \\;evil',
      'npm test a\\&calc',
      'npm test -- "x\\`touch x\\`"',
    ])
      assert.equal(await judgedUnder('npm test', line), 'ask', line);
    for (const line of [
      'npm test "a`$(b)"',
      'npm test a`;b',
      'npm test a`nb',
      'npm test --% a&b',
      'npm test "a&b"',
    ])
      assert.equal(await judgedUnder('npm test', line, '/w', readPowerShell), 'ask', line);
    for (const line of ["npm test 'src/größe.test.ts'", "npm test 'adds up'"])
      assert.equal(await judgedUnder('npm test', line, '/w', readPowerShell), 'allow', line);
  }).timeout(20_000);

  it('A10 cover a file of a program that runs what is named only where its name or folder is that of tests', async () => {
    for (const [asked, command] of [
      ['pytest', 'pytest scripts/deploy.py'],
      ['pytest', 'pytest deploy.py::main'],
      ['pytest', 'pytest docs/readme.rst'],
      ['pytest', 'pytest tests/conftest.py'],
      ['npm test', 'npm test scripts/deploy.js'],
      ['npm test', 'npm test -- ./deploy.js'],
      ['npm test', 'npm test scripts/deploy'],
      ['npm test', 'npm test -- -t scripts/deploy.cjs'],
      ['npm run test:unit', 'npm run test:unit scripts/deploy.mjs'],
      ['npm run check', 'npm run check -- deploy.js'],
      ['yarn test', 'yarn test scripts/deploy.js'],
      ['pnpm test', 'pnpm test scripts/deploy.js'],
    ] as const)
      assert.equal(await judgedUnder(asked, command), 'ask', command);
    for (const [asked, command] of [
      ['pytest', 'pytest tests pkg/cart_test.py test_a.py::TestA::test_b'],
      ['npm test', 'npm test test/cart.js src/cart.spec.ts test_cart.js src/__tests__/cart.js cart'],
      ['npm run lint', 'npm run lint -- src/deploy.js'],
    ] as const)
      assert.equal(await judgedUnder(asked, command), 'allow', command);
  });

  it('hold in their folder alone', async () => {
    assert.equal(await judgedUnder('npm test', 'npm test src', '/other'), 'ask');
    assert.equal(await judgedUnder('npm test', 'npm test src', '/w/sub'), 'ask');
  });
});
