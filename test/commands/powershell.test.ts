import assert from 'node:assert/strict';
import { drawn, readAs } from './support';

type Row = readonly [line: string, ...parts: string[]];

const ROWS: readonly Row[] = [
  ['npm test', 'npm test'],
  ['npm test; git push', 'npm test', 'git push'],
  ['npm test\ngit push', 'npm test', 'git push'],
  ['npm test && git push', 'npm test', 'git push'],
  ['npm test | Out-Null', 'npm test', 'out-null'],
  ['npm test # words', 'npm test'],
  ["git commit -m 'it''s'", "git commit -m it's"],
  ['git commit -m "a b"', 'git commit -m "a b"'],
  ['git log --oneline', 'git log --oneline'],
  ['Remove-Item -Recurse x', 'remove-item -Recurse x'],
  ['REMOVE-ITEM x', 'remove-item x'],
  ['npm test 2>&1', 'npm test'],
  ['ls *.ts', 'ls ‹*.ts›'],
  ['npm test > out.txt', 'npm test !redirection'],
  ['npm test 2>$null', 'npm test ‹2>$null› !redirection'],
  ['git commit -m "a $x"', 'git commit -m ‹"a $x"› !substitution'],
  ['echo $(rm x)', 'echo ‹$(rm x)› !odd', '> rm x !odd'],
  ['echo (rm x)', 'echo ‹(rm x)› !odd', '> rm x !odd'],
  ['npm test @args', 'npm test ‹@args› !odd'],
  ['npm test --% x', 'npm test ‹--% x› !odd'],
  ['$env:A="b"; npm test', '() !odd', 'npm test'],
  ['[IO.File]::Delete("x")', '() !odd'],
  ['if (1) { rm x }', '() !odd', '> rm x !odd'],
  ['a | Where-Object { rm x }', 'a', 'where-object ‹{ rm x }› !odd', '> rm x !odd'],
  ['& npm test', 'npm test !wrapper'],
  ['. ./x.ps1', './x.ps1 !wrapper'],
  ["iex 'rm x'", 'iex "rm x" !wrapper', '> rm x !wrapper'],
  ["powershell -Command 'rm x'", 'powershell -Command "rm x" !interpreter', '> rm x !interpreter'],
  ['cmd /c del x', 'cmd /c del x !interpreter', '> del x !interpreter'],
  ['node x', 'node x !interpreter'],
  ['Start-Process x', 'start-process x !wrapper'],
  ['Set-Location a; npm test', 'set-location a', 'npm test !moved'],
  ['npm test &', '?syntax'],
  ['npm "test', '?syntax'],
  ['npm `\n test', '?syntax'],
  ['npm \u201ctest\u201d', '?characters'],
  ['npm \u2013test', '?characters'],
  ['', '?empty'],
];

describe('A10 a line of PowerShell', () => {
  it('is read by its own grammar, and asks for what is more than words', async () => {
    for (const [line, ...parts] of ROWS) {
      assert.deepEqual(drawn(await readAs('powershell.exe', line)), parts, line);
      assert.deepEqual(drawn(await readAs('C:\\tools\\pwsh.exe', line)), parts, line);
    }
  }).timeout(20_000);
});
