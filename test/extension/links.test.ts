/** Links in what the agent writes open files of the session's folders, and nothing else. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import type { Belay } from '../../extension/belay';
import { runEditorCommand } from '../../extension/editorCommands';
import { linkTarget } from '../../extension/linkTarget';

describe('a link to a file', () => {
  beforeEach(() => {
    editor.messages = [];
    editor.opened = [];
  });

  const open = (path: string): Promise<void> =>
    runEditorCommand({} as Belay, { command: 'openFile', args: { path, folder: '/w/shop' } });

  it('opens in the folder of the session and in those of the workspace', async () => {
    for (const path of ['src/a.ts', './b.ts', '/w/shop/c.ts', '../docs/d.md']) await open(path);
    assert.deepEqual(editor.opened, ['/w/shop/src/a.ts', '/w/shop/b.ts', '/w/shop/c.ts', '/w/docs/d.md']);
    assert.deepEqual(editor.messages, []);
  });

  it('opens nothing outside them, and says so', async () => {
    for (const path of ['/etc/passwd', '../../home/.ssh/id', '/w/shopping/a.ts', '../..']) await open(path);
    assert.deepEqual(editor.opened, []);
    assert.equal(editor.messages.length, 4);
    assert.match(editor.messages[0]?.text ?? '', /^\/etc\/passwd is outside the folders of this session/);
  });

  it('never reaches another machine on Windows', () => {
    const at = (path: string, base = 'C:\\w\\shop') => linkTarget(path, base, [base], win32);
    for (const path of [
      '\\\\evil\\share',
      '//evil/share',
      '/\\evil/share',
      '\\\\?\\UNC\\evil\\x',
      '\\??\\UNC\\evil',
      'D:\\x',
    ])
      assert.equal(at(path), undefined, path);
    assert.equal(at('src/a.ts'), 'C:\\w\\shop\\src\\a.ts');
    assert.equal(at('c:\\W\\shop\\a.ts'), 'c:\\W\\shop\\a.ts');
    const share = '\\\\nas\\team\\shop';
    assert.equal(at('a.ts', share), `${share}\\a.ts`, 'a workspace may itself be on a share');
    assert.equal(at('\\\\evil\\team\\shop\\a.ts', share), undefined);
  });

  it('may begin with two dots that are a name', () => {
    assert.equal(linkTarget('..a/b', '/w', ['/w'], posix), '/w/..a/b');
  });
});
