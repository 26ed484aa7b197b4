/** The client tools that Belay itself declares (C1). Who fulfils them is looked up like any other tool's owner. */
import { z } from 'zod';
import { CLIENT_TOOL_MS, REQUEST_SECRET } from '../../../protocol';
import type { CallClass, ClientAnswered } from '../../engine/ports';
import { firstLine, type Declared } from './declared';

const Choice = z.union([
  z.string().min(1).max(512),
  z.strictObject({ label: z.string().min(1).max(512), description: z.string().max(2_048).optional() }),
]);
const asked = {
  choices: z.array(Choice).min(1).max(12).optional().describe('the person may also answer in own words'),
  multiple: z.boolean().optional().describe('several choices may be taken'),
};
const Question = z.strictObject({ question: z.string().min(1).max(8_192), ...asked });
export const AskArgs = z
  .strictObject({
    question: z.string().min(1).max(8_192).optional(),
    ...asked,
    questions: z.array(Question).min(1).max(8).optional().describe('instead of question: several at once'),
  })
  .refine((args) => (args.question === undefined) !== (args.questions === undefined), {
    error: 'give either "question" or "questions"',
  })
  .refine((args) => args.questions === undefined || args.choices === undefined, {
    error: 'with "questions", each has its own "choices"',
  });

const PickFilesArgs = z.strictObject({
  prompt: z.string().min(1).max(1_024).describe('what the files are for'),
  many: z.boolean().optional(),
  folders: z.boolean().optional().describe('folders instead of files'),
});

const RequestSecretArgs = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "_" and "-", at most 64'),
  why: z.string().min(1).max(2_048).describe('what it is needed for, as the person reads it'),
});

const OpenDiffArgs = z
  .strictObject({
    path: z.string().min(1).max(4_096),
    other: z.string().min(1).max(4_096).optional().describe('a second file'),
    text: z.string().max(1_048_576).optional().describe('or a text, to compare the file with'),
    title: z.string().max(256).optional(),
  })
  .refine((args) => (args.other === undefined) !== (args.text === undefined), {
    error: 'give either "other" or "text"',
  });

const DiagnosticsArgs = z.strictObject({
  path: z.string().min(1).max(4_096).optional().describe('a file or folder; the whole workspace without it'),
  severity: z
    .enum(['error', 'warning', 'information', 'hint'])
    .optional()
    .describe('the least severe to give'),
});

const PERSON: ClientAnswered = { person: true, delivered: false };
const EDITOR: ClientAnswered = { person: false, delivered: true, timeoutMs: CLIENT_TOOL_MS };

/** What is said to the person alone reads nothing. */
const NONE = (): readonly string[] => [];

export const builtIn: readonly Declared[] = [
  declare({
    name: 'ask',
    description: 'Ask the person, and wait for the answer.',
    args: AskArgs,
    class: 'own',
    client: PERSON,
    paths: NONE,
    title: (args) => firstLine(args.question ?? args.questions?.[0]?.question ?? 'Question'),
  }),
  declare({
    name: 'pick_files',
    description: 'Let the person choose files; gives their absolute paths.',
    args: PickFilesArgs,
    class: 'own',
    client: PERSON,
    paths: NONE,
    title: (args) => firstLine(args.prompt),
  }),
  declare({
    name: REQUEST_SECRET,
    description: 'Ask the person to store a secret under a name. You never see its value.',
    args: RequestSecretArgs,
    class: 'own',
    client: { ...PERSON, secret: true },
    paths: NONE,
    title: (args) => `Secret ${args.name}`,
  }),
  declare({
    name: 'open_diff',
    description: 'Show the person a file beside another file or text.',
    args: OpenDiffArgs,
    class: 'read',
    client: EDITOR,
    paths: ({ path, other }) => (other === undefined ? [path] : [path, other]),
    title: (args) => firstLine(args.title ?? `Compare ${args.path}`),
  }),
  declare({
    name: 'diagnostics',
    description: 'The problems that the editor knows of: errors, warnings, hints of its languages.',
    args: DiagnosticsArgs,
    class: 'read',
    client: EDITOR,
    paths: ({ path }) => (path === undefined ? [] : [path]),
    title: (args) => firstLine(`Problems of ${args.path ?? 'the workspace'}`),
  }),
];

interface Declaration<A> {
  readonly name: string;
  readonly description: string;
  readonly args: z.ZodType<A>;
  readonly class: CallClass;
  readonly client: ClientAnswered;
  paths(args: A): readonly string[];
  title(args: A): string;
}

function declare<A>(tool: Declaration<A>): Declared {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.args, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
    },
  });
  return {
    spec: { name: tool.name, description: tool.description, schema },
    args: tool.args,
    class: tool.class,
    client: tool.client,
    paths: (args) => {
      const parsed = tool.args.safeParse(args);
      return parsed.success ? tool.paths(parsed.data) : [];
    },
    title: (args) => {
      const parsed = tool.args.safeParse(args);
      return parsed.success ? tool.title(parsed.data) : tool.name;
    },
  };
}
