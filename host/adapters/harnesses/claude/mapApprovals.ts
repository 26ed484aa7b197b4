/** What Claude's calls do, and its permission requests (`can_use_tool`). Pure. */
import { z } from 'zod';
import type { FormQuestion } from '../../../../protocol';
import { answersIn, formFor, formFrom, titleOf as firstLine, type AskedOne } from '../askedForms';
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
const Questions = z.looseObject({
  questions: z
    .array(
      z.looseObject({
        question: z.string(),
        header: z.string().optional(),
        multiSelect: z.boolean().optional(),
        options: z.array(z.looseObject({ label: z.string(), description: z.string().optional() })).optional(),
      }),
    )
    .min(1),
});
const Plan = z.looseObject({ plan: z.string() });
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
    case PLAN: {
      const { data } = Plan.safeParse(input);
      return data === undefined ? { kind: 'other' } : { kind: 'plan', plan: data.plan };
    }
    case ASK:
      return { kind: 'question' };
    default:
      return { kind: 'other' };
  }
}

const PLAN = 'ExitPlanMode';
const ASK = 'AskUserQuestion';

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
  if (tool === PLAN) return 'Carry out the plan';
  const asked = tool === ASK ? Questions.safeParse(input).data?.questions[0] : undefined;
  if (asked !== undefined) return firstLine(asked.question);
  const file = File.safeParse(input).data?.file_path;
  if (file !== undefined) return `${tool} ${file}`;
  const words = Words.safeParse(input).data;
  const said = (words?.description ?? words?.prompt ?? '').split('\n')[0] ?? '';
  return said === '' ? tool : `${tool}: ${said.slice(0, TITLE)}`;
}

/** How a request is to be answered once there is a verdict or an answer. */
export type AnswerForm =
  | { readonly kind: 'permission' }
  | { readonly kind: 'questions'; readonly input: object; readonly asked: readonly AskedOne[] }
  | { readonly kind: 'elicitation' };

export interface Question {
  readonly call: HarnessCall;
  readonly asked: FormQuestion;
  readonly form: AnswerForm;
}

/** What `AskUserQuestion` asks; undefined for another tool, or where a person cannot be shown it. */
export function questionOf(call: HarnessCall): Question | undefined {
  const input = call.tool === ASK ? Questions.safeParse(call.args).data : undefined;
  if (input === undefined) return undefined;
  const asked = input.questions.map(({ question, header = '', multiSelect, options = [] }): AskedOne => ({
    key: question,
    header,
    question,
    choices: options.map(({ label, description }) => ({ label, description })),
    several: multiSelect === true,
    // Claude's own surface takes other words to each of them.
    words: true,
  }));
  const form = formFor('Claude Code', asked);
  return form === undefined ? undefined : { call, asked: form, form: { kind: 'questions', input, asked } };
}

const Elicitation = z.looseObject({
  mcp_server_name: z.string().optional(),
  message: z.string().optional(),
  requested_schema: z.unknown().optional(),
});

/** What a server of Claude's asks; without `question` a person cannot be shown it. */
export function elicitationOf(
  request: string,
  params: unknown,
): { readonly call: HarnessCall; readonly server: string; readonly question?: Question } {
  const told = Elicitation.safeParse(params).data;
  const server = told?.mcp_server_name ?? 'a server';
  const message = told?.message ?? '';
  const call: HarnessCall = {
    id: `elicited:${request}`,
    tool: 'elicitation',
    title: firstLine(`${server}: ${message}`),
    args: { message, schema: told?.requested_schema },
    deed: { kind: 'other' },
  };
  const asked =
    told?.requested_schema === undefined
      ? undefined
      : formFrom(`Claude Code: ${server}`, message, told.requested_schema);
  return asked === undefined
    ? { call, server }
    : { call, server, question: { call, asked, form: { kind: 'elicitation' } } };
}

/** The answer to `can_use_tool`: an allow sends back exactly the arguments that were shown (H2). Or to a question. */
export function answerTo(form: AnswerForm, verdict: HarnessVerdict): object {
  const content = 'content' in verdict ? verdict.content : undefined;
  if (form.kind === 'elicitation')
    return content === undefined ? { action: 'decline' } : { action: 'accept', content };
  if (!verdict.allow) return { behavior: 'deny', message: verdict.reason };
  if (form.kind === 'questions') {
    const answers = [...answersIn(form.asked, content ?? {})].map(
      ([key, texts]) => [key, texts.join(', ')] as const,
    );
    return { behavior: 'allow', updatedInput: { ...form.input, answers: Object.fromEntries(answers) } };
  }
  return { behavior: 'allow', updatedInput: 'args' in verdict ? verdict.args : undefined };
}
