/** What the editor answers by itself, without a person: its problems, and two sides of a file to look at (C1). */
import { isAbsolute, join, relative } from 'node:path';
import * as vscode from 'vscode';
import type { Answer } from '../../protocol';
import { isRecord } from '../hostError';
import type { ServedTool, ToolCall } from './clientTools';

/** Problems that are given at most: the first are the ones to mend. */
const PROBLEMS = 200;
const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;

export const diagnosticsTool: ServedTool = { name: 'diagnostics', run: diagnostics };

function diagnostics(call: ToolCall): Answer {
  const args = isRecord(call.args) ? call.args : {};
  const wanted = args['path'];
  const least = SEVERITIES.findIndex((severity) => severity === args['severity']);
  const under = typeof wanted === 'string' ? absolute(wanted, call.folder) : undefined;
  const found = vscode.languages.getDiagnostics().flatMap(([uri, problems]) =>
    uri.scheme === 'file' && isUnder(uri.fsPath, under)
      ? problems
          .filter((problem) => least === -1 || severityOf(problem) <= least)
          .map((problem) => ({
            path: shown(uri.fsPath, call.folder),
            line: problem.range.start.line + 1,
            column: problem.range.start.character + 1,
            severity: SEVERITIES[severityOf(problem)],
            message: problem.message,
            ...(problem.source === undefined ? {} : { source: problem.source }),
          }))
      : [],
  );
  const omitted = Math.max(0, found.length - PROBLEMS);
  return {
    text: JSON.stringify({ problems: found.slice(0, PROBLEMS), ...(omitted === 0 ? {} : { omitted }) }),
  };
}

const severityOf = (problem: vscode.Diagnostic): number => problem.severity;
const absolute = (path: string, folder: string): string => (isAbsolute(path) ? path : join(folder, path));

function isUnder(path: string, under: string | undefined): boolean {
  if (under === undefined) return true;
  const way = relative(under, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

function shown(path: string, folder: string): string {
  return isUnder(path, folder) ? relative(folder, path) : path;
}

export const openDiffTool: ServedTool = { name: 'open_diff', run: openDiff };

async function openDiff(call: ToolCall): Promise<Answer> {
  const args = isRecord(call.args) ? call.args : {};
  const { path, other, text, title } = args;
  if (typeof path !== 'string') return { error: 'No path was given.' };
  const left = vscode.Uri.file(absolute(path, call.folder));
  const document = await vscode.workspace.openTextDocument(left);
  const right =
    typeof other === 'string'
      ? vscode.Uri.file(absolute(other, call.folder))
      : await besides(document, typeof text === 'string' ? text : '');
  const name = typeof title === 'string' ? title : `${shown(left.fsPath, call.folder)} ↔`;
  await vscode.commands.executeCommand('vscode.diff', left, right, name, { preview: true });
  return { text: JSON.stringify({ opened: shown(left.fsPath, call.folder) }) };
}

async function besides(document: vscode.TextDocument, content: string): Promise<vscode.Uri> {
  const other = await vscode.workspace.openTextDocument({ content, language: document.languageId });
  return other.uri;
}
