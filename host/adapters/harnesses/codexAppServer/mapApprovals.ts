/** What codex app-server asks for, and what it is answered. Pure. Every kind of request has an answer. */
import { z } from 'zod';
import type { HarnessCall, HarnessVerdict } from '../../../engine/harnessPort';
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
  _meta: z
    .looseObject({
      codex_approval_kind: z.string().optional(),
      tool_name: z.string().optional(),
      tool_params: z.unknown().optional(),
    })
    .nullish(),
});

/** How a request is to be answered once there is a verdict. */
export type AnswerForm = 'decision' | 'elicitation';

export type AskedFor =
  | {
      readonly kind: 'permission';
      readonly call: HarnessCall;
      readonly why: string | undefined;
      readonly form: AnswerForm;
    }
  /** Answered at once: what nobody is asked for here. */
  | { readonly kind: 'answer'; readonly result: object }
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
      return permission(call ?? unnamed(asked.itemId, 'command', params), asked.reason, 'decision');
    }
    case 'item/fileChange/requestApproval': {
      const asked = Item.safeParse(params).data;
      if (asked === undefined) return { kind: 'unknown' };
      const call = told.find(asked.itemId) ?? unnamed(asked.itemId, 'apply_patch', params);
      return permission(call, asked.reason, 'decision');
    }
    // More permissions for a whole turn are none that a verdict here can give: nobody is asked, and none is granted.
    case 'item/permissions/requestApproval':
      return { kind: 'answer', result: { permissions: {}, scope: 'turn' } };
    case 'mcpServer/elicitation/request':
      return elicitation(params, told, request);
    case 'item/tool/requestUserInput':
      return { kind: 'answer', result: { answers: {} } };
    default:
      return { kind: 'unknown' };
  }
}

/** An MCP tool's approval comes as an elicitation; a server's own form is declined, since nobody is asked for it here. */
function elicitation(params: unknown, told: Pick<ToldCalls, 'claim'>, request: string): AskedFor {
  const asked = Elicitation.safeParse(params).data;
  const meta = asked?._meta;
  if (asked === undefined || meta?.codex_approval_kind !== 'mcp_tool_call')
    return { kind: 'answer', result: { action: 'decline', content: null, _meta: null } };
  const call = mcpCall(
    `elicited:${request}`,
    asked.serverName,
    meta.tool_name ?? 'tool',
    meta.tool_params ?? {},
  );
  return permission(told.claim(call.tool, call.args) ?? call, undefined, 'elicitation');
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
  switch (form) {
    case 'decision':
      return { decision: verdict.allow ? 'accept' : 'decline' };
    case 'elicitation':
      return { action: verdict.allow ? 'accept' : 'decline', content: null, _meta: null };
  }
}
