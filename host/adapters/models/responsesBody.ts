/** A request of OpenAI's Responses, put together from JSON that is made once for each item. */
import { z } from 'zod';
import type {
  FunctionTool,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { Image, ToolSpec } from '../../../protocol';
import {
  argsObject,
  Kept,
  nativeOf,
  soundTranscript,
  wireName,
  type AssistantItem,
  type Passage,
  type ResultItem,
  type SoundCall,
  type UserItem,
} from './transcript';
import type { Attempt } from './wire';

export const RESPONSES_FAMILY = 'responses';

const tools = new Kept<string>();
const passages = new Kept<string>();

export function responsesBody(attempt: Attempt): string {
  const { call } = attempt;
  const head: Record<string, unknown> = {
    model: attempt.model,
    stream: true,
    store: false,
    prompt_cache_key: call.session,
    ...(call.system === '' ? {} : { instructions: call.system }),
    ...(attempt.maxOutput === undefined ? {} : { max_output_tokens: attempt.maxOutput }),
    ...reasoning(attempt),
  };
  const input = soundTranscript(call.items, cleanId).flatMap((passage) => json(passage, call.model));
  const offered =
    call.tools.length === 0
      ? ''
      : `,"tools":[${call.tools.map((spec) => tools.of(spec, '', () => JSON.stringify(toolOf(spec)))).join(',')}]`;
  return `${JSON.stringify(head).slice(0, -1)}${offered},"input":[${input.join(',')}]}`;
}

/** Sealed reasoning comes along, since nothing is stored at the provider's. */
function reasoning({ reasons, quirks }: Attempt): object {
  if (!reasons || quirks.noReasoning === true) return {};
  return {
    include: ['reasoning.encrypted_content'],
    ...(quirks.noSummary === true ? {} : { reasoning: { summary: 'auto' } }),
  };
}

const toolOf = (spec: ToolSpec): FunctionTool => ({
  type: 'function',
  name: spec.name,
  description: spec.description,
  parameters: spec.schema,
  strict: false,
});

const cleanId = (id: string): string => id.slice(0, 64);

function json(passage: Passage, model: string): string[] {
  if (passage.kind === 'user') {
    return [passages.of(passage.item, '', () => JSON.stringify(userItem(passage.item)))];
  }
  const { item, calls } = passage;
  const key = `${model} ${calls.map(({ wireId }) => wireId).join(' ')}`;
  const own = passages.of(item, key, () =>
    joined(nativeItems(item, calls, model) ?? plainItems(item, calls)),
  );
  const results = calls.map(({ result, wireId }) =>
    passages.of(result, wireId, () => JSON.stringify(resultItem(result, wireId))),
  );
  return [own, ...results];
}

const joined = (items: readonly object[]): string => items.map((item) => JSON.stringify(item)).join(',');

function userItem(item: UserItem): ResponseInputItem {
  if (item.images === undefined || item.images.length === 0) return { role: 'user', content: item.text };
  const words: ResponseInputContent[] = item.text === '' ? [] : [{ type: 'input_text', text: item.text }];
  return { role: 'user', content: [...words, ...item.images.map(imageOf)] };
}

function plainItems(item: AssistantItem, calls: readonly SoundCall[]): object[] {
  const words: ResponseInputItem[] = item.text === '' ? [] : [{ role: 'assistant', content: item.text }];
  return [...words, ...calls.map(functionCall)];
}

function functionCall({ call, wireId }: SoundCall): ResponseInputItem {
  return {
    type: 'function_call',
    call_id: wireId,
    name: wireName(call.tool),
    arguments: JSON.stringify(argsObject(call.args)),
  };
}

const Native = z.array(z.looseObject({ type: z.string(), encrypted_content: z.string().nullish() }));

/** The model's own items, with the ids that the calls have in this request; reasoning only with its seal. */
function nativeItems(item: AssistantItem, calls: readonly SoundCall[], model: string): object[] | undefined {
  const native = Native.safeParse(nativeOf(item, RESPONSES_FAMILY, model));
  if (!native.success) return undefined;
  if (native.data.filter(({ type }) => type === 'function_call').length !== calls.length) return undefined;
  let next = 0;
  const made = native.data.flatMap((own): object[] => {
    if (own.type === 'reasoning') return own.encrypted_content ? [own] : [];
    if (own.type === 'message') return [own];
    if (own.type !== 'function_call') return [];
    const call = calls[next];
    next += 1;
    return call === undefined ? [] : [{ ...own, ...functionCall(call) }];
  });
  return made.length === 0 ? undefined : made;
}

function resultItem(result: ResultItem, wireId: string): ResponseInputItem {
  const images = (result.images ?? []).map(imageOf);
  const output =
    images.length === 0 ? result.output : [{ type: 'input_text' as const, text: result.output }, ...images];
  return { type: 'function_call_output', call_id: wireId, output };
}

const imageOf = (image: Image): { type: 'input_image'; image_url: string; detail: 'auto' } => ({
  type: 'input_image',
  image_url: `data:${image.mediaType};base64,${image.data}`,
  detail: 'auto',
});
