/**
 * A notification is the one surface in which `[words](command:…)` is a link that does it: nothing from outside reaches
 * one as it came.
 */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Belay } from '../../extension/belay';
import { pause } from '../../extension/commands/pause';

const LINK = '[See_details](command:workbench.action.toggleZenMode)';
const extension = join(__dirname, '../../extension');

describe('a notification', () => {
  beforeEach(() => {
    editor.messages = [];
  });

  it('A1 R10 of a pause names five of what was ended, none of them a link, and counts the others', async () => {
    const ended = Array.from({ length: 8 }, (_, n) => ({
      kind: 'handle',
      id: `proc:${n}`,
      title: `${n} ${LINK}`,
    }));
    const windows = [{ name: LINK, answered: true, ended, stopping: ended.slice(0, 2) }];
    const host = { request: () => Promise.resolve({ paused: true, ended, stopping: [], windows }) };
    await pause({ host } as unknown as Belay);
    const [{ text } = assert.fail()] = editor.messages;
    assert.doesNotMatch(text, /\]\(/);
    assert.match(text, /^Paused\. This was ended: 0 .*, 4 [^,]*, and 13 more$/);
    await pause({
      host: { request: () => Promise.resolve({ paused: true, ended, stopping: [], windows: [] }) },
    } as never);
    assert.match(editor.messages[1]?.text ?? '', /, and 3 more$/);
  });

  it('A1 says nothing that did not go through noticeLine or noticeText, wherever it is shown', () => {
    const shown = readdirSync(extension, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => rawTexts(name, readFileSync(join(extension, name), 'utf8')));
    assert.deepEqual(shown, []);
    const sample = `function tell(name: string) { const text = l10n.t('{0} is gone', name); window.showErrorMessage(text); }
      tell(noticeLine(a)); tell(b.title);`;
    assert.deepEqual(rawTexts('sample.ts', sample), ['sample.ts: b.title']);
  });
});

/** What is a number, or made of words of Belay's own. */
const HARMLESS = /(^|\.)(length|added|removed|turns)$|^String\(/;

/** The expressions of a file that reach a notification as they are; dialogs draw no links. */
function rawTexts(name: string, text: string): string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  const raw: string[] = [];
  for (const call of callsOf(source, /(^|\.)show(Information|Warning|Error)Message$/)) {
    const [message, options] = call.arguments;
    if (message === undefined || (options !== undefined && ts.isObjectLiteralExpression(options))) continue;
    raw.push(...rawParts(source, message).map((part) => `${name}: ${part}`));
  }
  return raw;
}

function rawParts(source: ts.SourceFile, node: ts.Expression): string[] {
  const parts = (...of: readonly (ts.Expression | undefined)[]): string[] =>
    of.flatMap((one) => (one === undefined ? [] : rawParts(source, one)));
  if (ts.isStringLiteralLike(node) || HARMLESS.test(node.getText(source))) return [];
  if (ts.isConditionalExpression(node)) return parts(node.whenTrue, node.whenFalse);
  if (ts.isTemplateExpression(node)) return parts(...node.templateSpans.map((span) => span.expression));
  if (ts.isCallExpression(node)) {
    const callee = node.expression.getText(source);
    if (/^notice(Line|Lines|Text)$/.test(callee)) return [];
    if (/(^|\.)l10n\.t$/.test(callee)) return parts(...node.arguments.slice(1));
    const returned = declared(source, callee).filter(ts.isFunctionDeclaration).flatMap(returnsOf);
    return returned.length === 0 ? [node.getText(source)] : parts(...returned);
  }
  if (!ts.isIdentifier(node)) return [node.getText(source)];
  const found = nearest(source, node);
  if (found !== undefined && ts.isVariableDeclaration(found) && found.initializer !== undefined)
    return parts(found.initializer);
  if (found === undefined || !ts.isParameter(found) || !ts.isFunctionDeclaration(found.parent))
    return [node.getText(source)];
  const { name, parameters } = found.parent;
  const place = parameters.indexOf(found);
  const calls = callsOf(source, new RegExp(`^${name?.text ?? ''}$`));
  return parts(...calls.map((call) => call.arguments[place]));
}

function callsOf(root: ts.Node, callee: RegExp): ts.CallExpression[] {
  return all(root, ts.isCallExpression).filter((call) => callee.test(call.expression.getText()));
}

/** Of several declarations of one name, the one that the use stands in. */
function nearest(source: ts.SourceFile, use: ts.Identifier): ts.Declaration | undefined {
  return declared(source, use.text)
    .filter((one) => {
      const scope = ts.isParameter(one) ? one.parent : one.parent.parent.parent;
      return scope.pos <= use.pos && use.end <= scope.end;
    })
    .sort((a, b) => b.pos - a.pos)[0];
}

function declared(source: ts.SourceFile, name: string): ts.Declaration[] {
  return all(
    source,
    (node): node is ts.VariableDeclaration | ts.ParameterDeclaration | ts.FunctionDeclaration =>
      (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionDeclaration(node)) &&
      node.name?.getText(source) === name,
  );
}

function returnsOf(declaration: ts.FunctionDeclaration): ts.Expression[] {
  return all(declaration, ts.isReturnStatement).flatMap(({ expression }) =>
    expression === undefined ? [] : [expression],
  );
}

function all<T extends ts.Node>(root: ts.Node, is: (node: ts.Node) => node is T): T[] {
  const found: T[] = [];
  const visit = (node: ts.Node): void => {
    if (is(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}
