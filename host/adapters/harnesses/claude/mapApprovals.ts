/** What Claude's calls do, and its permission requests (`can_use_tool`). Pure. */
import { z } from 'zod';
import type { Deed, FileChange, HarnessCall, HarnessVerdict, TextEdit } from '../../../engine/harnessPort';

const Command = z.looseObject({ command: z.string() });
const File = z.looseObject({ file_path: z.string() });
const Replaced = z.looseObject({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});
const Edit = Replaced.extend({ file_path: z.string() });
const Write = z.looseObject({ file_path: z.string(), content: z.string() });
const MultiEdit = z.looseObject({
  file_path: z.string(),
  edits: z.array(Replaced),
});
const Notebook = z.looseObject({ notebook_path: z.string() });
const Path = z.looseObject({ path: z.string().optional() });
const Words = z.looseObject({ description: z.string().optional(), prompt: z.string().optional() });

/** Tools that touch only the agent's own records. */
const OWN = new Set([
  'TodoWrite',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'ToolSearch',
  'EnterPlanMode',
  'ExitPlanMode',
]);
/** Tools that Claude runs without asking; the others may still be asked for when they are told. */
const UNASKED = new Set(['Read', 'Grep', 'Glob', 'LS', 'Task', 'Agent', ...OWN]);

export const mayAsk = (tool: string): boolean => !UNASKED.has(tool);

export function callOf(id: string, tool: string, input: unknown): HarnessCall {
  return { id, tool, args: input, title: titleOf(tool, input), deed: deedOf(tool, input) };
}

function deedOf(tool: string, input: unknown): Deed {
  if (OWN.has(tool)) return { kind: 'own' };
  switch (tool) {
    case 'Bash': {
      const { data } = Command.safeParse(input);
      return data === undefined
        ? { kind: 'other' }
        : { kind: 'command', command: data.command, folder: undefined };
    }
    case 'Read': {
      const { data } = File.safeParse(input);
      return data === undefined ? { kind: 'other' } : { kind: 'read', paths: [data.file_path] };
    }
    case 'Grep':
    case 'Glob':
    case 'LS': {
      const { data } = Path.safeParse(input);
      return { kind: 'read', paths: [data?.path ?? '.'] };
    }
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
    case 'NotebookEdit': {
      const change = changeOf(tool, input);
      return change === undefined ? { kind: 'other' } : { kind: 'edit', changes: [change] };
    }
    default:
      return { kind: 'other' };
  }
}

const editOf = (told: z.infer<typeof Replaced>): TextEdit => ({
  old: told.old_string,
  next: told.new_string,
  all: told.replace_all === true,
});

function changeOf(tool: string, input: unknown): FileChange | undefined {
  const edit = tool === 'Edit' ? Edit.safeParse(input).data : undefined;
  if (edit !== undefined) return { kind: 'replaced', path: edit.file_path, edits: [editOf(edit)] };
  const write = tool === 'Write' ? Write.safeParse(input).data : undefined;
  if (write !== undefined) return { kind: 'whole', path: write.file_path, after: write.content };
  const several = tool === 'MultiEdit' ? MultiEdit.safeParse(input).data : undefined;
  if (several !== undefined)
    return { kind: 'replaced', path: several.file_path, edits: several.edits.map(editOf) };
  const file = File.safeParse(input).data?.file_path ?? Notebook.safeParse(input).data?.notebook_path;
  return file === undefined ? undefined : { kind: 'unknown', path: file };
}

/** Characters of what a tool is to do in its title. */
const TITLE = 120;

function titleOf(tool: string, input: unknown): string {
  const file = File.safeParse(input).data?.file_path;
  if (file !== undefined) return `${tool} ${file}`;
  const words = Words.safeParse(input).data;
  const said = (words?.description ?? words?.prompt ?? '').split('\n')[0] ?? '';
  return said === '' ? tool : `${tool}: ${said.slice(0, TITLE)}`;
}

/** The answer to `can_use_tool`: an allow sends back exactly the arguments that were shown (H2). */
export const permissionAnswer = (verdict: HarnessVerdict): object =>
  verdict.allow
    ? { behavior: 'allow', updatedInput: verdict.args }
    : { behavior: 'deny', message: verdict.reason };
