/** A request of Anthropic's Messages, put together from JSON that is made once for each block. */
import { z } from 'zod';
import type { ContentBlockParam, ImageBlockParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { Image, ToolSpec } from '../../../protocol';
import {
  Kept,
  nativeOf,
  argsObject,
  soundTranscript,
  wireName,
  type AssistantItem,
  type ResultItem,
  type SoundCall,
  type UserItem,
} from './transcript';
import type { Attempt } from './wire';

export const ANTHROPIC_FAMILY = 'anthropic';

/** What an answer may have where nobody says: `max_tokens` is not optional on this wire. */
const MAX_OUTPUT = 16_384;

const tools = new Kept<string>();
const results = new Kept<string>();
const passages = new Kept<readonly string[]>();

interface Message {
  readonly role: 'user' | 'assistant';
  readonly blocks: string[];
}

export function anthropicBody(attempt: Attempt): string {
  const { call } = attempt;
  const head: Record<string, unknown> = {
    model: attempt.model,
    max_tokens: attempt.maxOutput ?? MAX_OUTPUT,
    stream: true,
    ...thinking(attempt),
    ...(call.system === '' ? {} : { system: [{ type: 'text', text: call.system, ...CACHED }] }),
  };
  const offered = call.tools.length === 0 ? '' : `,"tools":[${toolsJson(call.tools)}]`;
  const messages = messagesOf(attempt).map(
    ({ role, blocks: parts }) => `{"role":"${role}","content":[${parts.join(',')}]}`,
  );
  return `${JSON.stringify(head).slice(0, -1)}${offered},"messages":[${messages.join(',')}]}`;
}

/**
 * Marks where the provider keeps what it has read: after the tools, after the system text, and after the last
 * two messages of the user, so that each request finds what the one before has left. Four are allowed.
 */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;
const CACHED_JSON = JSON.stringify(CACHED).slice(1, -1);
const marked = (json: string): string => `${json.slice(0, -1)},${CACHED_JSON}}`;

function thinking({ reasons, quirks }: Attempt): object {
  if (!reasons || quirks.noReasoning === true) return {};
  const binding =
    quirks.dropBound === true ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {};
  return { thinking: { type: 'adaptive', display: 'summarized', ...binding } };
}

function toolsJson(specs: readonly ToolSpec[]): string {
  const texts = specs.map((spec) => tools.of(spec, '', () => json(toolOf(spec))));
  return [...texts.slice(0, -1), ...texts.slice(-1).map(marked)].join(',');
}

const toolOf = (spec: ToolSpec): Tool => ({
  name: spec.name,
  description: spec.description,
  input_schema: { ...spec.schema, type: 'object' },
});

/** Users and assistants in turn: results and the messages after them are one message. */
function messagesOf({ call }: Attempt): Message[] {
  const messages: Message[] = [];
  const add = (role: Message['role'], parts: readonly string[]): void => {
    const last = messages.at(-1);
    if (last?.role === role) last.blocks.push(...parts);
    else messages.push({ role, blocks: [...parts] });
  };
  for (const passage of soundTranscript(call.items, cleanId)) {
    if (passage.kind === 'user') {
      add('user', userJson(passage.item));
    } else {
      add('assistant', answerJson(passage.item, passage.calls, call.model));
      if (passage.calls.length > 0)
        add(
          'user',
          passage.calls.map(({ result, wireId }) => resultJson(result, wireId)),
        );
    }
  }
  for (const message of messages.filter(({ role }) => role === 'user').slice(-2)) {
    message.blocks.push(...message.blocks.splice(-1).map(marked));
  }
  return messages;
}

const cleanId = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);

/** A text of nothing but white space is refused. */
const isBlank = (text: string): boolean => text.trim() === '';

const json = (block: object): string => JSON.stringify(block);

function userJson(item: UserItem): readonly string[] {
  return passages.of(item, '', () => {
    const images = (item.images ?? []).map((image) => json(imageOf(image)));
    if (isBlank(item.text) && images.length > 0) return images;
    return [json({ type: 'text', text: isBlank(item.text) ? '(empty)' : item.text }), ...images];
  });
}

function answerJson(item: AssistantItem, calls: readonly SoundCall[], model: string): readonly string[] {
  const key = `${model} ${calls.map(({ wireId }) => wireId).join(' ')}`;
  return passages.of(item, key, () =>
    (nativeBlocks(item, calls, model) ?? plainBlocks(item, calls)).map(json),
  );
}

function plainBlocks(item: AssistantItem, calls: readonly SoundCall[]): ContentBlockParam[] {
  const uses = calls.map(({ call, wireId }) => toolUse(wireId, call.tool, call.args));
  return isBlank(item.text) && uses.length > 0
    ? uses
    : [{ type: 'text', text: isBlank(item.text) ? '(empty)' : item.text }, ...uses];
}

const Native = z.array(
  z.looseObject({ type: z.string(), name: z.string().optional(), args: z.string().optional() }),
);

/** The model's own blocks, with the ids that the calls have in this request. */
function nativeBlocks(item: AssistantItem, calls: readonly SoundCall[], model: string): object[] | undefined {
  const native = Native.safeParse(nativeOf(item, ANTHROPIC_FAMILY, model));
  if (!native.success) return undefined;
  if (native.data.filter((block) => block.type === 'tool_use').length !== calls.length) return undefined;
  const ids = calls.map(({ wireId }) => wireId);
  const made = native.data.flatMap((block): object[] => {
    if (block.type === 'tool_use') return [toolUse(ids.shift() ?? '', block.name ?? '', block.args ?? '')];
    if (block.type === 'text' && isBlank(String(block['text']))) return [];
    return block.type === 'thinking' || block.type === 'redacted_thinking' || block.type === 'text'
      ? [block]
      : [];
  });
  return made.length === 0 ? undefined : made;
}

const toolUse = (id: string, tool: string, args: string): ContentBlockParam => ({
  type: 'tool_use',
  id,
  name: wireName(tool),
  input: argsObject(args),
});

function resultJson(result: ResultItem, wireId: string): string {
  return results.of(result, wireId, () => {
    const images = (result.images ?? []).map(imageOf);
    const block: ContentBlockParam = {
      type: 'tool_result',
      tool_use_id: wireId,
      content: images.length === 0 ? result.output : [{ type: 'text', text: result.output }, ...images],
      ...(result.failed ? { is_error: true } : {}),
    };
    return json(block);
  });
}

const imageOf = (image: Image): ImageBlockParam => ({
  type: 'image',
  source: { type: 'base64', media_type: image.mediaType, data: image.data },
});
