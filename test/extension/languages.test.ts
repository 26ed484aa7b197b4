import assert from 'node:assert/strict';
import { languageId } from '../../extension/documents/languages';

describe('a code block that is opened', () => {
  it('has the language that the editor knows by another name', () => {
    const known = ['typescript', 'shellscript', 'python', 'json'];
    const pairs = { ts: 'typescript', Bash: 'shellscript', json: 'json', py: 'python' };
    for (const [name, id] of Object.entries(pairs)) assert.equal(languageId(name, known), id);
    for (const name of ['rust', 'diff?', '', 'constructor']) assert.equal(languageId(name, known), undefined);
  });
});
