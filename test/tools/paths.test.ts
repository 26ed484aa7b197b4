import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { protectedBy } from '../../host/adapters/tools/protectedPaths';
import type { Launch } from '../../host/base/launch';
import { Bench, pulled } from './support';

describe('Where a path leads', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  const classOf = async (tool: string, path: string): Promise<string> => {
    const args = {
      read: { path },
      list: { path },
      write: { path, text: 'x' },
      edit: { path, old: 'a', new: 'b' },
    }[tool];
    const prepared = await bench.prepare(tool, args);
    return 'error' in prepared ? `${prepared.error}: ${prepared.detail}` : prepared.class;
  };

  it('A1: reading and writing inside the workspace and outside are told apart', async () => {
    bench.put('a.txt', 'a');
    writeFileSync(join(bench.outside, 'b.txt'), 'b');
    assert.equal(await classOf('read', 'a.txt'), 'read');
    assert.equal(await classOf('read', bench.at('a.txt')), 'read');
    assert.equal(await classOf('read', 'sub/../a.txt'), 'read');
    assert.equal(await classOf('read', '.'), 'read');
    assert.equal(await classOf('read', '..'), 'read_outside');
    assert.equal(await classOf('read', '../outside/b.txt'), 'read_outside');
    assert.equal(await classOf('read', '/etc/hosts'), 'read_outside');
    assert.equal(await classOf('list', '../workspace-and-more'), 'read_outside');
    assert.equal(await classOf('write', 'new/deep/file'), 'edit');
    assert.equal(await classOf('write', '../outside/new'), 'edit_outside');
    assert.equal(await classOf('write', '..name'), 'edit');
  });

  it('A1: a path in any of the workspace folders is inside, and folders may themselves be links', async () => {
    symlinkSync(bench.outside, join(bench.base, 'linked'));
    const place = { ...bench.place, roots: [bench.folder, join(bench.base, 'linked')] };
    const prepared = await bench.tools.prepare(
      'write',
      JSON.stringify({ path: '../outside/x', text: '' }),
      place,
    );
    assert.equal('class' in prepared && prepared.class, 'edit');
  });

  it('A12: links are followed to their end: a link out is outside, also one that leads nowhere yet', async () => {
    symlinkSync(bench.outside, bench.at('out'));
    symlinkSync('../outside/new.txt', bench.at('dangling'));
    symlinkSync('dangling', bench.at('twice'));
    symlinkSync('missing/../../outside/x', bench.at('through-missing'));
    bench.put('real.txt', 'x');
    symlinkSync('real.txt', bench.at('in'));
    for (const path of ['out/b.txt', 'out/sub/deeper', 'dangling', 'twice', 'through-missing']) {
      assert.equal(await classOf('write', path), 'edit_outside', path);
    }
    assert.equal(await classOf('write', 'in'), 'edit');
    assert.equal(await classOf('read', 'out'), 'read_outside');
  });

  it('A12: a ring of links is refused, a file is no folder, a NUL is no path', async () => {
    symlinkSync('two', bench.at('one'));
    symlinkSync('one', bench.at('two'));
    bench.put('file', '');
    assert.match(await classOf('read', 'one'), /^tool_arguments_invalid: .*links/);
    assert.match(
      await classOf('read', 'file/below'),
      /^tool_arguments_invalid: A part of the path is a file/,
    );
    assert.match(await classOf('read', 'a\0b'), /^tool_arguments_invalid: A path cannot hold a NUL/);
    assert.match(await classOf('write', 'n'.repeat(300)), /too long/);
  });

  it('A12: no tool names the store, by whatever way', async () => {
    writeFileSync(join(bench.store, 'belay.sqlite'), 'secret records');
    symlinkSync(bench.store, bench.at('link'));
    const ways = [
      '../store',
      '../store/belay.sqlite',
      '../STORE/belay.sqlite',
      'link/belay.sqlite',
      'link/new',
      join(bench.store, 'x'),
    ];
    for (const tool of ['read', 'list', 'write', 'edit']) {
      for (const path of ways) {
        assert.match(
          await classOf(tool, path),
          /^tool_arguments_invalid: .*Belay's own records/,
          `${tool} ${path}`,
        );
      }
    }
    const sound = async (command: string): Promise<boolean> =>
      !('error' in (await bench.prepare('shell', { command })));
    for (const command of [
      `cat ${bench.store}/belay.sqlite`,
      `ls ${bench.store}`,
      `cp "${bench.store}" x`,
      `x=${bench.store};ls`,
    ]) {
      assert.equal(await sound(command), false, command);
    }
    for (const command of [`ls ${bench.store}-more`, `ls /x${bench.store}`, `ls ${bench.store}2`, 'ls']) {
      assert.equal(await sound(command), true, command);
    }
    const found = await bench.output('search', { pattern: 'secret records', path: '..' });
    assert.equal(found['matches'], 0);
  });

  it('P2: a refused launch reads and writes nothing, with every tool', async () => {
    bench.put('a.txt', 'old text');
    const calls: [string, unknown][] = [
      ['read', { path: 'a.txt' }],
      ['list', {}],
      ['search', { pattern: 'old' }],
      ['write', { path: 'a.txt', text: 'new' }],
      ['write', { path: 'sub/b.txt', text: 'new' }],
      ['edit', { path: 'a.txt', old: 'old', new: 'new' }],
      ['shell', { command: 'touch made' }],
    ];
    for (const [tool, args] of calls) {
      const { output, failed } = await bench.run(tool, args, pulled);
      assert.equal(output['error'], 'host_paused', `${tool}: ${JSON.stringify(output)}`);
      assert.equal(failed, true);
    }
    assert.equal(bench.get('a.txt'), 'old text');
    assert.equal(existsSync(bench.at('sub')), false);
    assert.equal(existsSync(bench.at('made')), false);
  });
});

describe('A path that changes after it was judged', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.open();
    bench.put('dir/file', 'inside');
    writeFileSync(join(bench.outside, 'file'), 'outside');
  });
  afterEach(() => bench.close());

  const swap = (): void => {
    renameSync(bench.at('dir'), bench.at('moved'));
    symlinkSync(bench.outside, bench.at('dir'));
  };
  const swapFile = (): void => {
    rmSync(bench.at('dir/file'));
    symlinkSync(join(bench.outside, 'file'), bench.at('dir/file'));
  };
  /** The change comes in the very moment of an effect: the first one, or a later one. */
  const racing = (change: () => void, at = 1): Launch => {
    let launches = 0;
    return (effect) => {
      launches += 1;
      if (launches === at) change();
      return effect();
    };
  };
  const calls: readonly [string, unknown][] = [
    ['read', { path: 'dir/file' }],
    ['write', { path: 'dir/file', text: 'new' }],
    ['write', { path: 'dir/new', text: 'new' }],
    ['edit', { path: 'dir/file', old: 'side', new: 'new' }],
    ['list', { path: 'dir' }],
  ];

  for (const [tool, args] of calls) {
    it(`A12: ${tool} ${JSON.stringify(args)} does not follow a link that was put in the way before it runs`, async () => {
      const prepared = await bench.prepared(tool, args);
      swap();
      const { output } = await bench.start(prepared).done;
      assert.match(String(output['detail']), /leads elsewhere/);
      assert.equal(readFileSync(join(bench.outside, 'file'), 'utf8'), 'outside');
      assert.equal(existsSync(join(bench.outside, 'new')), false);
    });

    it(`A12: ${tool} ${JSON.stringify(args)} does not follow a link that is put in the way while it runs`, async () => {
      const prepared = await bench.prepared(tool, args);
      const { output, failed } = await bench.start(prepared, racing(swap)).done;
      assert.equal(failed, true, JSON.stringify(output));
      assert.equal(output['error'], 'tool_failed');
      assert.ok(!JSON.stringify(output).includes('outside"'));
      assert.equal(readFileSync(join(bench.outside, 'file'), 'utf8'), 'outside');
      assert.equal(existsSync(join(bench.outside, 'new')), false);
    });
  }

  for (const [tool, args] of calls.filter(
    ([each, args]) => each !== 'read' && JSON.stringify(args).includes('file'),
  )) {
    for (const [what, change] of [
      ['its folder', swap],
      ['the file', swapFile],
    ] as const) {
      it(`A12: ${tool} ${JSON.stringify(args)} does not follow ${what} that becomes a link after it was read`, async () => {
        const prepared = await bench.prepared(tool, args);
        const { output, failed } = await bench.start(prepared, racing(change, 2)).done;
        assert.equal(failed, true, JSON.stringify(output));
        assert.equal(readFileSync(join(bench.outside, 'file'), 'utf8'), 'outside');
      });
    }
  }

  for (const [tool, args] of calls.filter(([, each]) => JSON.stringify(each).includes('file'))) {
    it(`A12: ${tool} ${JSON.stringify(args)} does not follow a file that becomes a link`, async () => {
      const prepared = await bench.prepared(tool, args);
      const { output, failed } = await bench.start(prepared, racing(swapFile)).done;
      assert.equal(failed, true, JSON.stringify(output));
      assert.equal(readFileSync(join(bench.outside, 'file'), 'utf8'), 'outside');
    });
  }

  for (const [tool, rest] of [
    ['read', {}],
    ['write', { text: 'new' }],
    ['edit', { old: 'side', new: 'new' }],
    ['list', {}],
  ] as const) {
    it(`A12: ${tool} does not follow a link further up the path`, async () => {
      bench.put('dir/sub/file', 'inside');
      mkdirSync(join(bench.outside, 'sub'));
      writeFileSync(join(bench.outside, 'sub/file'), 'outside');
      const prepared = await bench.prepared(tool, {
        path: tool === 'list' ? 'dir/sub' : 'dir/sub/file',
        ...rest,
      });
      const { output, failed } = await bench.start(
        prepared,
        racing(swap, tool === 'edit' || tool === 'write' ? 2 : 1),
      ).done;
      assert.equal(failed, true, JSON.stringify(output));
      assert.equal(readFileSync(join(bench.outside, 'sub/file'), 'utf8'), 'outside');
    });
  }

  it('A12: a new file does not follow a link further up the path', async () => {
    bench.put('dir/sub/file', 'inside');
    mkdirSync(join(bench.outside, 'sub'));
    const prepared = await bench.prepared('write', { path: 'dir/sub/new', text: 'new' });
    assert.equal((await bench.start(prepared, racing(swap)).done).failed, true);
    assert.equal(existsSync(join(bench.outside, 'sub/new')), false);
  });

  it('A12: a write into a folder that is being made elsewhere goes nowhere', async () => {
    const prepared = await bench.prepared('write', { path: 'fresh/sub/file', text: 'new' });
    const { failed } = await bench.start(
      prepared,
      racing(() => {
        symlinkSync(bench.outside, bench.at('fresh'));
      }),
    ).done;
    assert.equal(failed, true);
    assert.equal(existsSync(join(bench.outside, 'sub')), false);
  });

  it('A1: what was allowed for one file outside does not read another one', async () => {
    writeFileSync(join(bench.outside, 'other'), 'other');
    symlinkSync(join(bench.outside, 'file'), bench.at('link'));
    const prepared = await bench.prepared('read', { path: 'link' });
    rmSync(bench.at('link'));
    symlinkSync(join(bench.outside, 'other'), bench.at('link'));
    const { output } = await bench.start(prepared).done;
    assert.match(String(output['detail']), /leads elsewhere/);
  });
});

describe('Files that ask in every mode', () => {
  it('A12: are told by where they are and what they are called', () => {
    const asked = [
      '/w/.git/config',
      '/w/sub/.git/hooks/pre-commit',
      '/w/.git',
      '/w/.vscode/settings.json',
      '/w/.vscode/mcp.json',
      '/w/.husky/pre-push',
      '/w/.devcontainer/devcontainer.json',
      '/w/.devcontainer.json',
      '/w/x.code-workspace',
      '/w/.envrc',
      '/home/u/.bashrc',
      '/home/u/.config/fish/config.fish',
      '/home/u/.config/git/config',
      '/home/u/.ssh/config',
      '/home/u/.gitconfig',
      '/home/u/.vscode-server/data/Machine/settings.json',
      '/home/u/.config/Code/User/settings.json',
      '/w/repo.git/hooks/post-receive',
      '/w/.claude/settings.json',
      '/w/.mcp.json',
      '/w/.pre-commit-config.yaml',
      '/w/.GIT/config',
      '/w/.Vscode/tasks.json',
      '/w/.git./config',
      '/w/.git /config',
      '/w/.g\u200cit/config',
      '/w/GIT~1/config',
      'C:\\w\\.git\\config',
      '/w/.git::$INDEX_ALLOCATION/config',
      '/w/.vscode',
      '/etc/profile',
      '/etc/profile.d/x.sh',
      '/etc/cron.d/x',
      '/etc/ld.so.preload',
      '/ETC/gitconfig',
      '/private/etc/zshrc',
      '/var/spool/cron/root',
      '/root/.config/environment.d/x.conf',
      '/home/u/.config/nushell/env.nu',
    ];
    for (const path of asked) assert.ok(protectedBy(path) !== undefined, path);
    const free = [
      '/w/src/git.ts',
      '/w/.github/workflows/ci.yml',
      '/w/.gitignore',
      '/w/.gitattributes',
      '/w/package.json',
      '/w/Makefile',
      '/w/AGENTS.md',
      '/w/hooks/useThing.ts',
      '/w/src/hooks/index.ts',
      '/w/docs/.vs/x',
      '/w/profile.md',
      '/w/code/user.ts',
      '/w/etc/profile',
      '/etcetera/profile',
      '/w/..',
      '/w/src/constructor/a.ts',
      '/w/__proto__/valueOf',
      '/w/toString',
    ];
    for (const path of free) assert.equal(protectedBy(path), undefined, path);
  });

  it('special files are refused, not waited for', async () => {
    const bench = await Bench.open();
    try {
      execFileSync('mkfifo', [bench.at('pipe')]);
      assert.match(await bench.failure('read', { path: 'pipe' }), /no regular file/);
      assert.match(await bench.failure('write', { path: 'pipe', text: '' }), /no regular file/);
      assert.match(await bench.failure('edit', { path: 'pipe', old: 'a', new: 'b' }), /no regular file/);
      assert.match(await bench.failure('read', { path: '/dev/zero' }), /no regular file/);
      bench.put('file', 'x');
      const prepared = await bench.prepared('read', { path: 'file' });
      const { output } = await bench.start(prepared, (effect) => {
        rmSync(bench.at('file'));
        execFileSync('mkfifo', [bench.at('file')]);
        return effect();
      }).done;
      assert.match(String(output['detail']), /not a regular file/);
    } finally {
      await bench.close();
    }
  });
});
