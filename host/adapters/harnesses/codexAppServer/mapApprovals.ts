/** What codex app-server asks for, and what it is answered. Pure. Every kind of request has an answer. */
import { z } from 'zod';
import { say, type FormQuestion } from '../../../../protocol';
import type { HarnessCall, HarnessVerdict } from '../../../engine/harnessPort';
import { answersIn, formFor, formFrom, titleOf, type AskedOne } from '../askedForms';
import { commandCall, mcpCall } from '../codexCalls';
import type { ToldCalls } from '../toldCalls';

const Command = z.looseObject({
  itemId: z.string(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  reason: z.string().nullish(),
  availableDecisions: z.array(z.unknown()).optional(),
});
const Item = z.looseObject({ itemId: z.string(), reason: z.string().nullish() });
const Elicitation = z.looseObject({
  serverName: z.string(),
  message: z.string().nullish(),
  requestedSchema: z.unknown().optional(),
  _meta: z
    .looseObject({
      codex_approval_kind: z.string().optional(),
      tool_name: z.string().optional(),
      tool_params: z.unknown().optional(),
    })
    .nullish(),
});
const Asked = z.looseObject({
  questions: z.array(
    z.looseObject({
      id: z.string(),
      header: z.string().nullish(),
      question: z.string(),
      isOther: z.boolean().nullish(),
      isSecret: z.boolean().nullish(),
      options: z.array(z.looseObject({ label: z.string(), description: z.string().nullish() })).nullish(),
    }),
  ),
});
const Permissions = z.looseObject({ reason: z.string().nullish(), permissions: z.unknown().optional() });

/** How a request is to be answered once there is a verdict or an answer. */
export type AnswerForm =
  | { readonly kind: 'decision' }
  | { readonly kind: 'elicitation' }
  | { readonly kind: 'input'; readonly asked: readonly AskedOne[] };

export type AskedFor =
  | {
      readonly kind: 'permission';
      readonly call: HarnessCall;
      readonly why: string | undefined;
      readonly form: AnswerForm;
    }
  | {
      readonly kind: 'question';
      readonly call: HarnessCall;
      readonly asked: FormQuestion;
      readonly form: AnswerForm;
    }
  /** Answered at once: what nobody is asked for here, and the sentence that says so. */
  | {
      readonly kind: 'unasked';
      readonly call: HarnessCall;
      readonly result: object;
      readonly detail: string;
    }
  | { readonly kind: 'unknown' };

/** `told`: the calls of items that were told before. `request` names the request within its process. */
export function askedFor(
  method: string,
  params: unknown,
  told: Pick<ToldCalls, 'find' | 'claim'>,
  request: string,
): AskedFor {
  switch (method) {
    case 'item/commandExecution/requestApproval': {
      const asked = Command.safeParse(params).data;
      if (asked === undefined) return { kind: 'unknown' };
      const line = asked.command ?? undefined;
      const call =
        line === undefined
          ? told.find(asked.itemId)
          : commandCall(asked.itemId, line, asked.cwd ?? undefined);
      return permission(call ?? unnamed(asked.itemId, 'command', params), asked.reason, DECISION);
    }
    case 'item/fileChange/requestApproval': {
      const asked = Item.safeParse(params).data;
      if (asked === undefined) return { kind: 'unknown' };
      const call = told.find(asked.itemId) ?? unnamed(asked.itemId, 'apply_patch', params);
      return permission(call, asked.reason, DECISION);
    }
    case 'item/permissions/requestApproval':
      return permissions(params, request);
    case 'mcpServer/elicitation/request':
      return elicitation(params, told, request);
    case 'item/tool/requestUserInput':
      return userInput(params, request);
    default:
      return { kind: 'unknown' };
  }
}

const DECISION: AnswerForm = { kind: 'decision' };

/** More permissions for a whole turn are none that a verdict here can give: nobody is asked, and none is granted. */
function permissions(params: unknown, request: string): AskedFor {
  const asked = Permissions.safeParse(params).data;
  return {
    kind: 'unasked',
    call: {
      ...unnamed(`asked:${request}`, 'request_permissions', {
        reason: asked?.reason ?? undefined,
        permissions: asked?.permissions,
      }),
      title: titleOf(`More permissions for the turn: ${asked?.reason ?? 'no reason given'}`),
    },
    result: { permissions: {}, scope: 'turn' },
    detail: say(
      'Codex asked for more permissions for all that it does in this turn. Belay gave none: what it does with them would no longer be asked for here. What needs them can be asked for call by call.',
    ),
  };
}

/** An MCP tool's approval comes as an elicitation; any other is a server's own question. */
function elicitation(params: unknown, told: Pick<ToldCalls, 'claim'>, request: string): AskedFor {
  const asked = Elicitation.safeParse(params).data;
  const meta = asked?._meta;
  const id = `elicited:${request}`;
  if (asked !== undefined && meta?.codex_approval_kind === 'mcp_tool_call') {
    const call = mcpCall(id, asked.serverName, meta.tool_name ?? 'tool', meta.tool_params ?? {});
    return permission(told.claim(call.tool, call.args) ?? call, undefined, { kind: 'elicitation' });
  }
  const server = asked?.serverName ?? 'a server';
  const message = asked?.message ?? '';
  const call = {
    ...unnamed(id, 'elicitation', { message, schema: asked?.requestedSchema }),
    title: titleOf(`${server}: ${message}`),
  };
  const form =
    asked?.requestedSchema === undefined
      ? undefined
      : formFrom(`Codex: ${server}`, message, asked.requestedSchema);
  if (form !== undefined) return { kind: 'question', call, asked: form, form: { kind: 'elicitation' } };
  return {
    kind: 'unasked',
    call,
    result: declinedElicitation,
    detail: say(
      'The server {server} of Codex asked for something that is no form which can be shown here. Belay declined.',
      { server },
    ),
  };
}

const declinedElicitation = { action: 'decline', content: null, _meta: null };

function userInput(params: unknown, request: string): AskedFor {
  const { questions = [] } = Asked.safeParse(params).data ?? {};
  const asked = questions.map(({ id, header, question, isOther, options }): AskedOne => ({
    key: id,
    header: header ?? '',
    question,
    choices: (options ?? []).map(({ label, description }) => ({
      label,
      description: description ?? undefined,
    })),
    several: false,
    words: isOther === true,
  }));
  const call = {
    ...unnamed(`asked:${request}`, 'request_user_input', { questions }),
    title: titleOf(questions[0]?.question ?? 'A question'),
  };
  const isSecret = questions.some((one) => one.isSecret === true);
  const form = isSecret ? undefined : formFor('Codex', asked);
  if (form !== undefined) return { kind: 'question', call, asked: form, form: { kind: 'input', asked } };
  return {
    kind: 'unasked',
    call,
    result: { answers: {} },
    detail: isSecret
      ? say(
          'Codex asked for a secret. Belay gave no answer: what is written in an answer is kept with the session. Give it to Codex outside of Belay.',
        )
      : say('Codex asked a question that cannot be shown here. Belay gave no answer.'),
  };
}

const permission = (call: HarnessCall, why: string | null | undefined, form: AnswerForm): AskedFor => ({
  kind: 'permission',
  call,
  why: why ?? undefined,
  form,
});

const unnamed = (id: string, tool: string, args: unknown): HarnessCall => ({
  id,
  tool,
  title: tool,
  args,
  deed: { kind: 'other' },
});

/** An allow is for this once: what shall hold longer is a rule of Belay's. */
export function answerOf(form: AnswerForm, verdict: HarnessVerdict): object {
  const content = 'content' in verdict ? verdict.content : undefined;
  switch (form.kind) {
    case 'decision':
      return { decision: verdict.allow ? 'accept' : 'decline' };
    case 'elicitation':
      return verdict.allow
        ? { action: 'accept', content: content ?? null, _meta: null }
        : declinedElicitation;
    case 'input': {
      const answers = content === undefined ? [] : [...answersIn(form.asked, content)];
      return { answers: Object.fromEntries(answers.map(([id, texts]) => [id, { answers: texts }])) };
    }
  }
}
