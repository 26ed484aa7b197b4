/**
 * Every text that a person reads can be translated: it stands in `l10n/bundle.l10n.json`, where translators find it.
 * `BELAY_WRITE_L10N=1 npx mocha test/extension/l10n.test.ts` writes that file anew.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const repository = join(__dirname, '../..');
const bundle = join(repository, 'l10n', 'bundle.l10n.json');

describe('the texts of the extension', () => {
  it('are all in the bundle that is translated, and nothing else is', () => {
    const texts = [...new Set(sources().flatMap(textsOf))].sort();
    const wanted = `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`;
    if (process.env['BELAY_WRITE_L10N'] === '1') writeFileSync(bundle, wanted);
    assert.equal(readFileSync(bundle, 'utf8'), wanted);
  });
});

function sources(): string[] {
  return readdirSync(join(repository, 'extension'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('demo'))
    .map((name) => join(repository, 'extension', name));
}

/** The first arguments of all calls of `l10n.t`; one that is no plain text could not be translated. */
function textsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /(^|\.)l10n\.t$/.test(node.expression.getText(source))) {
      const [text] = node.arguments;
      assert.ok(text && ts.isStringLiteral(text), `${file}: ${node.getText(source)}`);
      found.push(text.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
