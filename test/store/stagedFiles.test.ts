/** Contents on their way into a job, seen from a sweep that may come between any two steps. */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StagedFiles, type Content } from '../../host/store/stagedFiles';

describe('What is staged for a job', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'belay-staged-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const ID = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
  const content = (): Content => ({ text: 'hello', encoding: 'utf8' });

  it('D2 is not to be swept at any step from its first byte until a job has taken it', async () => {
    const files = new StagedFiles({
      pathOf: (id) => join(folder, id.slice(0, 2), id),
      temporary: '.tmp-',
      fileMode: 0o600,
      folderMode: 0o700,
    });
    /** What a sweep would find at each step of a promise: whether the file is known to be on its way. */
    const seen: boolean[] = [];
    const look = (): void => void seen.push(files.has(ID));
    const steps = createHook({ init: () => undefined, before: look, after: look });
    steps.enable();
    await Promise.all([files.stage(content()), files.stage(content())]);
    steps.disable();
    assert.ok(existsSync(join(folder, ID.slice(0, 2), ID)));
    const known = seen.slice(seen.indexOf(true));
    assert.ok(known.length > 5);
    assert.deepEqual(
      known,
      known.map(() => true),
    );
    assert.equal(files.take(content()), ID);
  });
});
