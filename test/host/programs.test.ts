/** How programs are found and started on Windows: no such system runs here, so the words are looked at. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { claudeProgram } from '../../host/adapters/harnesses/claude/process';
import { codexProgram } from '../../host/adapters/harnesses/codexProgram';
import { findProgram, startOf, variable } from '../../host/base/programs';

/** As npm writes it beside the script for other shells. */
const shim = (entry: string): string => `@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0
IF EXIST "%dp0%\\node.exe" (
  SET "_prog=%dp0%\\node.exe"
) ELSE (
  SET "_prog=node"
)
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${entry}" %*
`;

describe('programs on Windows', () => {
  let bin: string;
  beforeEach(() => (bin = mkdtempSync(join(tmpdir(), 'belay-programs-'))));
  afterEach(() => rmSync(bin, { recursive: true, force: true }));

  const put = (name: string, text = ''): string => {
    const path = join(bin, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const around = (env: Record<string, string>) => ({
    settings: () => ({}),
    env,
    platform: 'win32',
    arch: 'x64',
  });

  it('H1 a program is one with an ending that the system starts, and npm’s script for other shells is none', () => {
    put('codex', '#!/bin/sh');
    const cmd = put('codex.cmd');
    assert.equal(findProgram('codex', { Path: bin }, 'win32'), cmd);
    assert.equal(findProgram(join(bin, 'codex'), {}, 'win32'), cmd);
    const exe = put('codex.exe');
    assert.equal(findProgram('codex', { Path: bin }, 'win32'), exe);
    assert.equal(findProgram('codex.cmd', { Path: bin }, 'win32'), cmd);
    assert.equal(findProgram('codex', { PATH: bin }, 'linux'), join(bin, 'codex'));
    assert.equal(findProgram('nothing', { PATH: bin }, 'win32'), undefined);
  });

  it('H1 H4 the native binary behind npm’s batch file is what runs', () => {
    put('codex.cmd', shim('node_modules\\@openai\\codex\\bin\\codex.js'));
    const vendor = 'node_modules/@openai/codex-win32-x64/vendor/x86_64-pc-windows-msvc/bin/codex.exe';
    put('node_modules/@openai/codex/bin/codex.js');
    assert.equal(codexProgram(around({ PATH: bin })), join(bin, 'codex.cmd'));
    const native = put(vendor);
    assert.equal(codexProgram(around({ PATH: bin })), native);
    put('claude.cmd', shim('node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe'));
    put('node_modules/@anthropic-ai/claude-code/bin/claude.exe');
    const claude = put('node_modules/@anthropic-ai/claude-code-win32-x64/claude.exe');
    assert.equal(claudeProgram(around({ PATH: bin })), claude);
  });

  it('A12 a variable is one of the environment in any case, and no member of every object', () => {
    assert.equal(variable({ Path: 'x' }, 'PATH'), 'x');
    for (const name of ['constructor', '__proto__', 'toString']) assert.equal(variable({}, name), undefined);
  });

  it('M2 a name without an ending is looked up, and a batch file runs in the command interpreter', () => {
    const options = { env: { PATH: bin, COMSPEC: 'C:\\Windows\\cmd.exe' }, cwd: bin };
    const npx = put('npx.cmd');
    const node = put('node.exe');
    assert.deepEqual(startOf('node', ['a b'], options, 'win32'), {
      file: node,
      args: ['a b'],
      verbatim: false,
    });
    assert.deepEqual(startOf('npx', ['-y', 'a server'], options, 'win32'), {
      file: 'C:\\Windows\\cmd.exe',
      args: ['/d', '/e:on', '/v:off', '/s', '/c', `""${npx}" "-y" "a server""`],
      verbatim: true,
    });
    assert.equal(startOf('./npx', [], options, 'win32').args.at(-1), `""${npx}""`);
    assert.deepEqual(startOf('absent', ['%'], options, 'win32'), {
      file: 'absent',
      args: ['%'],
      verbatim: false,
    });
    assert.deepEqual(startOf('npx', ['%'], options, 'linux'), { file: 'npx', args: ['%'], verbatim: false });
  });

  it('A12 no argument leaves its quotes: not by a quote, a backslash, a percent sign or a new line', () => {
    put('x.cmd');
    const options = { env: { PATH: bin }, cwd: bin };
    const words = (arg: string) =>
      startOf('x', [arg], options, 'win32').args.at(-1)?.slice(`""${bin}/x.cmd" `.length, -1);
    assert.equal(words('a" & calc & "'), '"a"" & calc & """');
    assert.equal(words('a\\" b\\'), '"a\\\\"" b\\\\"');
    assert.equal(words('%PATH%'), '"%%cd:~,%PATH%%cd:~,%"');
    assert.equal(words(''), '""');
    assert.throws(() => words('a\ncalc'), /several lines/);
  });
});
