/**
 * Every sentence that the host has for a person stands in `l10n/host.json`, where translators find it, and is
 * recognized when it is shown. `BELAY_WRITE_L10N=1 npx mocha test/extension/saidByHost.test.ts` writes that file anew.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { sayIn } from '../../protocol';
import { BY } from '../../webview/bridgeProtocol';

const repository = join(__dirname, '../..');
const list = join(repository, 'l10n', 'host.json');

/** The rooms in which sentences for a person are made, and go to a surface as they are. */
const ROOMS = ['protocol', 'host', 'acp'];

/** What is thrown with a sentence for a person, by the number of the argument that is the sentence. */
const THROWN: Readonly<Record<string, number>> = {
  RequestError: 1,
  StoreError: 1,
  ModelFailure: 1,
  ServerError: 0,
  ConnectionLost: 0,
  Rejected: 0,
  SignInNeeded: 0,
  SignInFailed: 0,
  SignInRefused: 0,
};

/** Members of records that are sentences for a person wherever they stand in these folders. */
const SAID: readonly (readonly [folder: string, members: readonly string[]])[] = [
  ['host/engine/approvals', ['why']],
];

describe('the sentences of the host', () => {
  const sources = ROOMS.flatMap(sourcesOf);
  const sentences = [...new Set([...sources.flatMap(sentencesOf), ...Object.values(BY)])].sort();

  it('are all in the list that is translated, and nothing else is', () => {
    const wanted = `${JSON.stringify(Object.fromEntries(sentences.map((one) => [one, one])), null, 2)}\n`;
    if (process.env['BELAY_WRITE_L10N'] === '1') writeFileSync(list, wanted);
    assert.equal(readFileSync(list, 'utf8'), wanted);
  });

  it('are never written out past the list, where they are thrown or kept for a person', () => {
    assert.deepEqual(sources.flatMap(unsaidOf), []);
  });

  it('are each recognized as what they are, with whatever is filled in', () => {
    const marks = new Map(sentences.map((one, index) => [one, `<${index}>${placesOf(one).join('')}`]));
    const inMarks = sayIn(Object.fromEntries(marks));
    const mistaken = sentences.filter((one) => {
      const filled = (text: string, why: string) =>
        text.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'why' ? why : `value of ${name}`));
      return inMarks(filled(one, WHY)) !== filled(marks.get(one) ?? '', marks.get(WHY) ?? '');
    });
    assert.deepEqual(mistaken, []);
  });
});

const WHY = 'The message is empty.';

const placesOf = (text: string): readonly string[] => text.match(/\{\w+\}/g) ?? [];

function sourcesOf(room: string): readonly ts.SourceFile[] {
  return readdirSync(join(repository, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const text = readFileSync(join(repository, room, name), 'utf8');
      return ts.createSourceFile(join(room, name), text, ts.ScriptTarget.ES2022, true);
    });
}

function nodesOf(source: ts.SourceFile): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The first arguments of all calls of `say`; one that is no plain text could not be translated. */
function sentencesOf(source: ts.SourceFile): readonly string[] {
  const nodes = nodesOf(source);
  if (!nodes.some((node) => ts.isImportSpecifier(node) && node.name.text === 'say')) return [];
  return nodes.flatMap((node) => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'say') return [];
    const [text] = node.arguments;
    assert.ok(text && ts.isStringLiteralLike(text), `${source.fileName}: ${node.getText()}`);
    return [text.text];
  });
}

/** Texts that a person would read in English whatever the language, as `file: text`. */
function unsaidOf(source: ts.SourceFile): readonly string[] {
  return nodesOf(source).flatMap((node) => {
    const text = sentenceIn(source.fileName, node);
    return text === undefined ? [] : literalsIn(text).map((one) => `${source.fileName}: ${one.getText()}`);
  });
}

function sentenceIn(file: string, node: ts.Node): ts.Expression | undefined {
  if (ts.isNewExpression(node)) {
    const place = THROWN[node.expression.getText()];
    return place === undefined ? undefined : node.arguments?.[place];
  }
  if (!ts.isPropertyAssignment(node)) return undefined;
  const isSaid = SAID.some(
    ([folder, members]) => file.startsWith(folder) && members.includes(node.name.getText()),
  );
  return isSaid ? node.initializer : undefined;
}

/** The texts that an expression may come to. Calls are theirs who made them. */
function literalsIn(node: ts.Expression): readonly ts.Expression[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return [node];
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(literalsIn);
  if (ts.isBinaryExpression(node)) return [node.left, node.right].flatMap(literalsIn);
  if (ts.isParenthesizedExpression(node)) return literalsIn(node.expression);
  return [];
}
