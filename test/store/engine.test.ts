import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { checkEngine } from '../../host/store/connect';
import { loadEngine } from '../../host/store/database';
import { SQL_WASM_SHA256 } from '../../host/store/nodeFiles';
import { quiet, wasm } from './support';

describe('store: the database engine', () => {
  it('is the one whose file calls are known (D1)', () => {
    assert.equal(createHash('sha256').update(readFileSync(wasm)).digest('hex'), SQL_WASM_SHA256);
  });

  it('passes its own check, and is loaded once per thread', async () => {
    const engine = await loadEngine(wasm, quiet, checkEngine);
    checkEngine(engine);
    assert.equal(await loadEngine(wasm, quiet, checkEngine), engine);
  });
});
