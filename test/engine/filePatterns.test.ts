/** Which files a pattern of a rule names, and which names commonly hold secrets. */
import assert from 'node:assert/strict';
import { concerns, fits, isSecret, isUnder } from '../../host/engine/approvals/files';

describe('patterns of files', () => {
  it('name files and folders wherever they are, with all that is under them, in any case', () => {
    for (const [pattern, path] of [
      ['.env', '/w/.env'],
      ['.env', '/w/sub/.ENV'],
      ['.env*', '/w/.env.local'],
      ['secrets', '/w/secrets/a/b.txt'],
      ['secrets/', '/w/a/secrets/b.txt'],
      ['secrets/*.json', '/w/secrets/a.json'],
      ['a/**/b', '/w/a/b'],
      ['a/**/b', '/w/a/x/y/b/z'],
      ['logs/**', '/w/logs/a'],
      ['?.pem', '/w/a.pem'],
      ['*.p*m', '/w/a.pem'],
      ['.aws\\credentials', 'C:\\w\\.aws\\credentials'],
      ['e\u0301', '/w/\u00e9'],
    ] as const)
      assert.ok(fits(pattern, path), `${pattern} ${path}`);
    for (const [pattern, path] of [
      ['.env', '/w/x.env'],
      ['.env', '/w/.envrc'],
      ['secrets/*.json', '/w/secrets/x/a.json'],
      ['a/b', '/w/a/x/b'],
      ['logs/**', '/w/logs'],
      ['?.pem', '/w/.pem'],
      ['', '/w/a'],
    ] as const)
      assert.ok(!fits(pattern, path), `${pattern} ${path}`);
  });

  it('R10 take no longer for a pattern that is made to', () => {
    const name = 'a'.repeat(4_000);
    const before = process.cpuUsage();
    assert.ok(!fits(`${'*a'.repeat(120)}b`, `/${name}`));
    assert.ok(!fits(`${'**/'.repeat(80)}b`, `/${'a/'.repeat(2_000)}`));
    const { user } = process.cpuUsage(before);
    assert.ok(user < 1_000_000, `${user} µs`);
  });

  it('A1 count from the workspace on, whatever the folders above it are called', () => {
    const roots = ['/home/me/credentials/app', '/home/me/credentials/app/pkg', '/home/me/other'];
    for (const path of [
      '/home/me/credentials/app/src/a.ts',
      '/home/me/credentials/app',
      '/home/me/credentials/app/pkg/b',
    ])
      assert.deepEqual([isSecret(path, roots), fits('credentials', path, roots)], [false, false], path);
    for (const path of [
      '/home/me/credentials/app/credentials/a',
      '/home/me/credentials/x',
      '/home/me/credentials/app2/x',
    ])
      assert.deepEqual([isSecret(path, roots), fits('credentials', path, roots)], [true, true], path);
    assert.ok(fits('pkg/b', '/home/me/credentials/app/pkg/b', roots), 'from the outermost of them on');
    assert.ok(!isSecret('C:\\credentials\\app\\a.ts', ['C:\\credentials\\app']));
    assert.ok(isSecret('/credentials', ['/']));
  });

  it('A1 for all that is under a folder concern a look through that folder, though not its name', () => {
    const match = (pattern: string) => ({ kind: 'pattern', pattern, access: 'read' }) as const;
    for (const pattern of ['secrets/**', 'secrets/**/', 'a/secrets/**/**'])
      assert.deepEqual(
        [
          concerns(match(pattern), '/w/a/secrets'),
          fits(pattern, '/w/a/secrets'),
          concerns(match(pattern), '/w/a'),
        ],
        [true, false, false],
        pattern,
      );
    assert.ok(!concerns(match('secrets/*.json'), '/w/secrets'));
  });

  it('a folder ends at its own sign, and a backslash may be part of a name', () => {
    assert.ok(isUnder('/w/src', '/w/src/a') && isUnder('/', '/a') && isUnder('C:\\w', 'C:\\w\\a'));
    assert.ok(
      !isUnder('/w/src', '/w/src2/a') && !isUnder('/w/src', '/w/src') && !isUnder('/w/src', '/w/src\\a'),
    );
  });

  it('tell what commonly holds secrets', () => {
    for (const path of [
      '.env',
      '.env.production',
      'a.pem',
      'id_rsa',
      '.npmrc',
      '.netrc',
      '.kube/config',
      '.aws/x',
      'credentials.json',
      '.git-credentials',
    ])
      assert.ok(isSecret(`/w/${path}`), path);
    for (const path of [
      '.env.example',
      'env.ts',
      'id_map.ts',
      'id_rsa.pub',
      'credentials.ts',
      'kube/config',
      'config',
      'keys.ts',
    ])
      assert.ok(!isSecret(`/w/${path}`), path);
  });
});
