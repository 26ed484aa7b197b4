import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { protocolPage } from './protocolPage';

describe('docs/protocol.md', () => {
  it('is what the schemas say: `npm run docs` writes it', () => {
    assert.equal(readFileSync(join(__dirname, '../../docs/protocol.md'), 'utf8'), protocolPage());
  });
});
