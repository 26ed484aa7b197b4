/** A request of Chat Completions, put together from JSON that is made once for each item. */
import { z } from 'zod';
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Image } from '../../../protocol';
import {
  Kept,
  nativeOf,
  type AssistantItem,
  argsObject,
  soundTranscript,
  wireName,
  type Passage,
  type ResultItem,
  type SoundCall,
} from './transcript';
import type { Attempt } from './wire';

export const CHAT_FAMILY = 'chat';

const answers = new Kept<string>();
const results = new Kept<string>();
const pictures = new Kept<string>();
const users = new Kept<string>();
const tools = new Kept<string>();

export function chatBody(attempt: Attempt): string {
  const { call, quirks } = attempt;
  const head: Record<string, unknown> = {
    model: attempt.model,
    stream: true,
    stream_options: { include_usage: true },
    ...(attempt.maxOutput === undefined ? {} : { max_tokens: attempt.maxOutput }),
  };
  const passages = soundTranscript(call.items, (id) => id);
  const messages = (quirks.mergeUsers === true ? mergedUsers(passages) : passages).flatMap((passage) =>
    json(passage, attempt),
  );
  if (call.system !== '') messages.unshift(JSON.stringify({ role: 'system', content: call.system }));
  const offered =
    call.tools.length === 0
      ? ''
      : `,"tools":[${call.tools.map((spec) => tools.of(spec, '', () => asText(toolOf(spec)))).join(',')}]`;
  return `${JSON.stringify(head).slice(0, -1)},"messages":[${messages.join(',')}]${offered}}`;
}

const asText = (value: object): string => JSON.stringify(value);

const toolOf = (tool: Attempt['call']['tools'][number]): object => ({
  type: 'function',
  function: { name: tool.name, description: tool.description, parameters: tool.schema },
});

function json(passage: Passage, attempt: Attempt): string[] {
  if (passage.kind === 'user')
    return [users.of(passage.item, '', () => asText(userMessage(passage.item.text, passage.item.images)))];
  const { item, calls } = passage;
  const key = `${attempt.call.model} ${calls.map((call) => call.wireId).join(' ')}`;
  const found = [
    answers.of(item, key, () =>
      asText(assistantMessage(item.text, calls, reasoningOf(item, attempt.call.model))),
    ),
  ];
  for (const { result, wireId } of calls)
    found.push(results.of(result, wireId, () => asText(resultMessage(result, wireId))));
  const shown = calls.filter(({ result }) => result.images !== undefined && result.images.length > 0);
  // A result of this wire is text: its pictures follow as a message, after the last result.
  for (const { result } of shown) found.push(pictures.of(result, '', () => asText(pictureMessage(result))));
  return found;
}

/** The model's reasoning as it sent it, only for the model that did. */
const Native = z
  .object({ reasoning_content: z.string(), reasoning: z.string(), reasoning_details: z.array(z.unknown()) })
  .partial();

function reasoningOf(item: AssistantItem, model: string): object {
  if (item.calls.length === 0) return {};
  return Native.safeParse(nativeOf(item, CHAT_FAMILY, model)).data ?? {};
}

function assistantMessage(
  words: string,
  calls: readonly SoundCall[],
  native: object,
): ChatCompletionMessageParam {
  return {
    role: 'assistant',
    content: words,
    ...native,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ call, wireId }) => ({
            id: wireId,
            type: 'function' as const,
            function: { name: wireName(call.tool), arguments: JSON.stringify(argsObject(call.args)) },
          })),
        }),
  };
}

function resultMessage(result: ResultItem, wireId: string): ChatCompletionMessageParam {
  return { role: 'tool', tool_call_id: wireId, content: result.output };
}

function userMessage(text: string, images: readonly Image[] | undefined): ChatCompletionMessageParam {
  if (images === undefined || images.length === 0) return { role: 'user', content: text };
  const words: ChatCompletionContentPart[] = text === '' ? [] : [{ type: 'text', text }];
  return { role: 'user', content: [...words, ...images.map(imagePart)] };
}

const pictureMessage = (result: ResultItem): ChatCompletionMessageParam =>
  userMessage(`What the call of ${result.tool} shows:`, result.images);

const imagePart = (image: Image): ChatCompletionContentPart => ({
  type: 'image_url',
  image_url: { url: `data:${image.mediaType};base64,${image.data}` },
});

/** One message in the place of several of the user in a row. */
function mergedUsers(passages: readonly Passage[]): Passage[] {
  const merged: Passage[] = [];
  for (const passage of passages) {
    const last = merged.at(-1);
    if (passage.kind === 'user' && last?.kind === 'user') {
      const images = [...(last.item.images ?? []), ...(passage.item.images ?? [])];
      const text = `${last.item.text}\n\n${passage.item.text}`;
      merged[merged.length - 1] = {
        kind: 'user',
        item: { kind: 'user', text, ...(images.length === 0 ? {} : { images }) },
      };
    } else {
      merged.push(passage);
    }
  }
  return merged;
}
