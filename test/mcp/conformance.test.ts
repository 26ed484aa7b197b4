/**
 * The protocol's own conformance suite against a whole host (`@modelcontextprotocol/conformance`, client side). The
 * suite needs a newer Node than the host (`fs.globSync`), so it runs on the one that VS Code from npm came with; what
 * it found is kept in `out/conformance`.
 *
 * Of its sign-ins (`auth/…`) those are left out that are about what Belay does not do: a client that is known by a
 * document on the web (`basic-cimd`), machines that sign in without a person (`client-credentials-*`,
 * `cross-app-access-complete-flow`), and the drafts on `offline_access`. A run takes one of the others, `BELAY_FULL=1` all.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureVsCode } from '../vscode/install';

const repository = join(__dirname, '../..');
const results = join(repository, 'out', 'conformance');
const suite = join(repository, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = join(__dirname, 'conformance', 'client.ts');
const SCENARIO_MS = 60_000;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

async function run(scenario: string): Promise<readonly Check[]> {
  const place = join(results, scenario.replace('/', '-'));
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const child = spawn(
    ensureVsCode().node,
    [
      suite,
      'client',
      '--command',
      `${process.execPath} --import tsx ${client}`,
      '--scenario',
      scenario,
      '--timeout',
      String(SCENARIO_MS),
      '--output-dir',
      place,
    ],
    {
      cwd: repository,
      env: { ...process.env, TSX_TSCONFIG_PATH: join(repository, 'test', 'tsconfig.json') },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  await once(child, 'close');
  const file = readdirSync(place, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('checks.json'),
  );
  assert.ok(file !== undefined, said);
  return JSON.parse(readFileSync(join(place, file), 'utf8')) as Check[];
}

const SCENARIOS = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'];
/** One that needs more than it asked for; the other ways are in `oauth.test.ts` as well. */
const SIGN_INS = ['auth/scope-step-up'];
const OTHER_SIGN_INS = [
  'auth/metadata-default',
  'auth/pre-registration',
  'auth/token-endpoint-auth-basic',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/2025-03-26-oauth-metadata-backcompat',
];
const full = process.env['BELAY_FULL'] === '1';

describe('mcp: the conformance suite', function () {
  this.timeout(SCENARIO_MS + 30_000);
  for (const scenario of [...SCENARIOS, ...SIGN_INS, ...(full ? OTHER_SIGN_INS : [])])
    it(`M2 ${scenario} passes`, async () => {
      const checks = await run(scenario);
      const failed = checks.filter((check) => check.status === 'FAILURE');
      assert.deepEqual(failed, []);
      assert.ok(checks.some((check) => check.status === 'SUCCESS'));
    });
});
