/**
 * The models that the editor offers (`vscode.lm`), served to the host. A worker thread cannot call them itself.
 * The request leaves in the same tick in which the cord was looked at (P2).
 */
import * as vscode from 'vscode';
import { ResponseError, type CancellationToken } from 'vscode-jsonrpc/node';
import type { ClientParamsOf, ClientResultOf, ContextItem, ModelPart, ParamsOf } from '../protocol';
import { messageOf } from './hostError';

type Request = ClientParamsOf<'model/request'>;
type Done = ClientResultOf<'model/request'>;

/** The cord as this side knows it. */
export interface Cord {
  readonly paused: boolean;
  readonly epoch: number;
}

/** What the host is told of the models that can be chosen. */
export async function offeredModels(): Promise<ParamsOf<'model/offer'>> {
  const models = await vscode.lm.selectChatModels();
  return {
    models: models.slice(0, 256).map((model) => ({
      id: model.id,
      name: `${model.name} (${model.vendor})`,
      contextWindow: model.maxInputTokens,
    })),
  };
}

export async function askEditorModel(
  request: Request,
  tell: (part: ModelPart) => void,
  token: CancellationToken,
  cord: () => Cord | undefined,
): Promise<Done> {
  const id = request.model.replace(/^editor\//, '');
  const model = (await vscode.lm.selectChatModels()).find((one) => one.id === id);
  if (model === undefined) throw refusal('model_unknown', gone(id));
  const messages = toMessages(request);
  const tools = request.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.schema,
  }));
  const now = cord();
  if (token.isCancellationRequested || (now !== undefined && (now.paused || now.epoch > request.epoch))) {
    throw refusal('host_paused', vscode.l10n.t('Paused: the request was not made.'));
  }
  try {
    const answer = await model.sendRequest(messages, { tools }, asEditorToken(token));
    return await stream(request.request, answer, tell);
  } catch (error) {
    throw explain(error, model.name);
  }
}

async function stream(
  request: string,
  answer: vscode.LanguageModelChatResponse,
  tell: (part: ModelPart) => void,
): Promise<Done> {
  let calls = 0;
  for await (const part of answer.stream) {
    if (part instanceof vscode.LanguageModelTextPart) {
      tell({ request, part: { kind: 'text', text: part.value } });
    } else if (part instanceof vscode.LanguageModelToolCallPart) {
      calls += 1;
      const call = { callId: part.callId, tool: part.name, args: JSON.stringify(part.input) };
      tell({ request, part: { kind: 'call', call } });
    }
  }
  return { stop: calls > 0 ? 'calls' : 'end' };
}

/** There is no system role: what the model is to be goes first, as the person's words. */
export function toMessages({ system, items }: Request): vscode.LanguageModelChatMessage[] {
  const messages = [vscode.LanguageModelChatMessage.User(system)];
  let results: vscode.LanguageModelToolResultPart[] = [];
  const flush = (): void => {
    if (results.length > 0) messages.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
  };
  for (const item of items) {
    // Providers want the results of one answer together in the message that follows it.
    if (item.kind === 'result') {
      const text = new vscode.LanguageModelTextPart(withPictures(item.output, item.images?.length ?? 0));
      results.push(new vscode.LanguageModelToolResultPart(item.callId, [text]));
      continue;
    }
    flush();
    if (item.kind === 'assistant') messages.push(assistant(item));
    else
      messages.push(vscode.LanguageModelChatMessage.User(withPictures(item.text, item.images?.length ?? 0)));
  }
  flush();
  return messages;
}

function assistant(item: Extract<ContextItem, { kind: 'assistant' }>): vscode.LanguageModelChatMessage {
  const text = item.text === '' ? [] : [new vscode.LanguageModelTextPart(item.text)];
  const calls = item.calls.map(
    (call) => new vscode.LanguageModelToolCallPart(call.callId, call.tool, parsed(call.args)),
  );
  return vscode.LanguageModelChatMessage.Assistant([...text, ...calls]);
}

/** The editor's models take text only through the oldest supported API; the model is told what it does not see. */
function withPictures(text: string, pictures: number): string {
  return pictures === 0 ? text : `${text}\n[${pictures} picture(s) left out: this model takes text only]`;
}

function parsed(args: string): object {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function asEditorToken(token: CancellationToken): vscode.CancellationToken {
  const source = new vscode.CancellationTokenSource();
  if (token.isCancellationRequested) source.cancel();
  token.onCancellationRequested(() => source.cancel());
  return source.token;
}

/** The words in brackets are for the host, which reads from them whether another attempt can help. */
function explain(error: unknown, model: string): ResponseError<{ code: string }> {
  if (!(error instanceof vscode.LanguageModelError)) return refusal('model_unreachable', messageOf(error));
  switch (error.code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return refusal(
        'model_rejected',
        `${vscode.l10n.t('You have not allowed Belay to use {0}. Send the message again and allow it.', model)} [no permission]`,
      );
    case vscode.LanguageModelError.Blocked.name:
      return refusal(
        'model_rejected',
        `${vscode.l10n.t('{0} refuses: its quota is used up.', model)} [blocked]`,
      );
    case vscode.LanguageModelError.NotFound.name:
      return refusal('model_unknown', gone(model));
    default:
      return refusal('model_unreachable', error.message);
  }
}

function gone(model: string): string {
  return `${vscode.l10n.t('The editor no longer offers {0}.', model)} [model not found]`;
}

function refusal(code: string, message: string): ResponseError<{ code: string }> {
  return new ResponseError(-32000, message, { code });
}
