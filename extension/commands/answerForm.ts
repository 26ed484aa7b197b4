/** A form of an MCP server, field by field; Escape anywhere keeps the question. */
import * as vscode from 'vscode';
import type { FormField, FormQuestion } from '../../protocol';
import { readForm } from '../../protocol/form';
import { noticeText, pickLine } from '../views/line';
import { said } from '../said';

/** The answer as the host takes it, or undefined when the person has left it. */
export async function askForm({ question, server, form }: FormQuestion): Promise<string | undefined> {
  const content: Record<string, unknown> = {};
  for (const [place, field] of form.fields.entries()) {
    const title = noticeText(`${server}: ${question}`);
    const step = form.fields.length > 1 ? ` (${place + 1}/${form.fields.length})` : '';
    const value = await askField(field, title + step);
    if (value === undefined) return undefined;
    if (value !== '') content[field.name] = value;
  }
  if (form.fields.length > 0) return JSON.stringify(content);
  const go = vscode.l10n.t('Confirm');
  return (await vscode.window.showQuickPick([go], { title: noticeText(`${server}: ${question}`) })) === go
    ? '{}'
    : undefined;
}

type Value = string | boolean | readonly string[];

/** An empty text leaves a field out that may be. */
async function askField(field: FormField, title: string): Promise<Value | undefined> {
  switch (field.kind) {
    case 'yesNo':
      return yesNo(field, title);
    case 'choice':
    case 'choices':
      return choose(field, title);
    case 'text':
    case 'number':
      return write(field, title);
  }
}

const labelOf = (field: FormField): string =>
  noticeText([field.title, field.description].filter((part) => part !== undefined).join(': '));

async function yesNo(field: FormField, title: string): Promise<boolean | undefined> {
  const yes = vscode.l10n.t('Yes');
  const choice = await vscode.window.showQuickPick([yes, vscode.l10n.t('No')], {
    title,
    placeHolder: labelOf(field),
    ignoreFocusOut: true,
  });
  return choice === undefined ? undefined : choice === yes;
}

async function choose(
  field: Extract<FormField, { kind: 'choice' | 'choices' }>,
  title: string,
): Promise<Value | undefined> {
  const preset = field.preset === undefined ? [] : [field.preset].flat();
  const items = field.options.map(({ value, label }) => ({
    label: pickLine(label),
    value,
    picked: preset.includes(value),
  }));
  const options = { title, placeHolder: labelOf(field), ignoreFocusOut: true };
  if (field.kind === 'choice') return (await vscode.window.showQuickPick(items, options))?.value;
  const chosen = await vscode.window.showQuickPick(items, { ...options, canPickMany: true });
  return chosen?.map((item) => item.value);
}

/** What does not fit is told while it is typed, by the same check as the host's. */
async function write(
  field: Extract<FormField, { kind: 'text' | 'number' }>,
  title: string,
): Promise<string | undefined> {
  const single = { fields: [field] };
  return vscode.window.showInputBox({
    title,
    prompt: labelOf(field),
    value: field.preset === undefined ? '' : String(field.preset),
    ignoreFocusOut: true,
    validateInput: (text) => {
      const read = readForm(single, JSON.stringify({ [field.name]: text }));
      return read.ok ? undefined : said(read.problem);
    },
  });
}
