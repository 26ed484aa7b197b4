import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { namedByGit, settingsOf } from '../../host/adapters/tools/gitHooks';
import { Bench } from './support';

describe('Where git takes its hooks from', () => {
  for (const [what, files] of Object.entries<Record<string, string>>({
    'a sub-folder of a repository': { '../.git/config': '[core]\n\thooksPath = workspace/tooling\n' },
    'a worktree': {
      '../main/config': '[core]\n\thooksPath = tooling\n',
      '../main/worktrees/w/commondir': '../..\n',
      '.git': 'gitdir: ../main/worktrees/w\n',
    },
    'a configuration that includes another': {
      '.git/config': '[include]\n\tpath = ../shared.cfg\n',
      'shared.cfg': '[core]\n\thooksPath = tooling\n',
    },
  }))
    it(`A12 git’s hooks are known in ${what}`, async () => {
      const bench = await Bench.open();
      try {
        for (const [path, text] of Object.entries(files)) bench.put(path, text);
        const prepared = await bench.prepared('write', { path: 'tooling/pre-commit', text: '' });
        assert.equal(prepared.class, 'edit_protected');
        assert.equal((await bench.prepared('write', { path: 'tool', text: '' })).class, 'edit');
      } finally {
        await bench.close();
      }
    });

  it('R10 A12 a configuration that includes itself, in many ways, is read once', async () => {
    const bench = await Bench.open();
    try {
      const ways = Array.from({ length: 12 }, (_, n) => `\tpath = ${'./'.repeat(n)}config\n`).join('');
      const others = Array.from({ length: 100 }, (_, n) => `\tpath = other${String(n)}\n`).join('');
      bench.put('.git/config', `[include]\n${ways}${others}[core]\n\thooksPath = tooling\n`);
      for (let n = 0; n < 100; n += 1) bench.put(`.git/other${String(n)}`, `[include]\n${ways}${others}`);
      const prepared = await bench.prepared('write', { path: 'tooling/pre-commit', text: '' });
      assert.equal(prepared.class, 'edit_protected');
    } finally {
      await bench.close();
    }
  });

  it('A12 git’s hooks are known from wherever its user’s configuration is, and from its environment', async () => {
    const bench = await Bench.open();
    try {
      bench.put('xdg/git/config', '[core]\n\thooksPath = by-xdg\n');
      bench.put('global', '[core]\n\thooksPath = by-global\n');
      bench.put('system', '[core]\n\thooksPath = by-system\n');
      const found = await namedByGit([bench.folder], {
        XDG_CONFIG_HOME: bench.at('xdg'),
        GIT_CONFIG_GLOBAL: bench.at('global'),
        GIT_CONFIG_SYSTEM: bench.at('system'),
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_0: 'user.name',
        GIT_CONFIG_VALUE_0: 'x',
        GIT_CONFIG_KEY_1: 'core.hooksPath',
        GIT_CONFIG_VALUE_1: 'by-environment',
      });
      for (const name of ['by-xdg', 'by-global', 'by-system', 'by-environment'])
        assert.ok(found.folders.includes(bench.at(name)), name);
    } finally {
      await bench.close();
    }
  });

  it('A12 what a configuration includes and what it has git run ask, and what it only speaks of does not', async () => {
    const bench = await Bench.open();
    try {
      bench.put('shared.cfg', '[alias]\n\tx = log\n');
      bench.put('behind.cfg', '');
      symlinkSync('behind.cfg', bench.at('link.cfg'));
      bench.put(
        '.git/config',
        `[include]
          path = ../shared.cfg
          path = ../link.cfg
        [core]
          fsmonitor = tools/watch.sh --fast
          editor = code --wait
          sshCommand = ssh -F "keys/ssh.conf"
        [filter "big"]
          clean = node scripts/clean.js %f
        [diff.pdf]
          textconv = ./bin/pdf
        [alias]
          up = "!bash up.sh; cd src/app && git push"
        [credential]
          helper = "!f() { cat secrets/pass; }; f"
        [remote "origin"]
          url = https://example.com/a/readme.md
        [user]
          name = docs/readme.md`,
      );
      const asks =
        'shared.cfg link.cfg behind.cfg tools/watch.sh keys/ssh.conf scripts/clean.js bin/pdf up.sh secrets/pass';
      for (const path of asks.split(' '))
        assert.equal((await bench.prepared('write', { path, text: '' })).class, 'edit_protected', path);
      for (const path of [
        'tools/other.sh',
        'code/a.ts',
        'docs/readme.md',
        'ssh',
        'a/readme.md',
        'src/app/a.ts',
      ])
        assert.equal((await bench.prepared('write', { path, text: '' })).class, 'edit', path);
    } finally {
      await bench.close();
    }
  });

  it('A12: and by where git is configured to take its hooks from', async () => {
    const hooksPaths = (config: string) =>
      settingsOf(config).flatMap(({ name, value }) => (name === 'core.hookspath' ? [value] : []));
    assert.deepEqual(
      hooksPaths('[core]\n\tbare = false\n\thooksPath = tools/hooks\n[other]\nhooksPath = no\n'),
      ['tools/hooks'],
    );
    assert.deepEqual(hooksPaths('[CORE] HooksPath="my hooks" ; comment\n'), ['my hooks']);
    assert.deepEqual(hooksPaths('[core]\n\thooksPath = too\\\nling\n'), ['tooling']);
    const bench = await Bench.open();
    try {
      bench.put('.git/config', '[core]\n\thooksPath = tools/hooks\n');
      for (const [path, wanted] of [
        ['tools/hooks/anything', 'edit_protected'],
        ['tools/other', 'edit'],
        ['.git/config', 'edit_protected'],
      ]) {
        assert.equal((await bench.prepared('write', { path, text: '' })).class, wanted, path);
      }
      mkdirSync(bench.at('sub'));
      symlinkSync('../.git', bench.at('sub/innocent'));
      assert.equal(
        (await bench.prepared('write', { path: 'sub/innocent/hooks/pre-commit', text: '' })).class,
        'edit_protected',
      );
    } finally {
      await bench.close();
    }
  });
});
