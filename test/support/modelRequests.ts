/** What a recorded request says, in one form for three wires, and which of its provider's rules it breaks. */
import type { Wire } from './modelWires';

/** One entry of the conversation as a provider got it. A merged Anthropic message gives several. */
export interface Item {
  readonly role: 'system' | 'user' | 'assistant' | 'tool' | 'reasoning';
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly args: string }[];
  /** Of a result. */
  readonly callId?: string;
  /** As data URLs. */
  readonly images: readonly string[];
}

type Loose = Readonly<Record<string, unknown>>;

const list = (value: unknown): Loose[] => (Array.isArray(value) ? value : []) as Loose[];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const item = (role: Item['role'], more: Partial<Item>): Item => ({
  role,
  text: '',
  calls: [],
  images: [],
  ...more,
});

export function itemsOf(wire: Wire, body: unknown): Item[] {
  const request = body as Loose;
  if (wire === 'chat') return list(request.messages).map(chatItem);
  if (wire === 'responses') return [...systemOf(request.instructions), ...responsesItems(request.input)];
  return [...systemOf(request.system), ...list(request.messages).flatMap(anthropicItems)];
}

function systemOf(value: unknown): Item[] {
  const words =
    typeof value === 'string'
      ? value
      : list(value)
          .map((block) => text(block.text))
          .join('\n');
  return words === '' ? [] : [item('system', { text: words })];
}

function chatItem(message: Loose): Item {
  const parts = list(message.content);
  const words =
    typeof message.content === 'string' ? message.content : parts.map((part) => text(part.text)).join('');
  const images = parts.flatMap((part) =>
    part.type === 'image_url' ? [text((part.image_url as Loose).url)] : [],
  );
  const calls = list(message.tool_calls).map((call) => {
    const fn = call.function as Loose;
    return { id: text(call.id), tool: text(fn.name), args: text(fn.arguments) };
  });
  const role = message.role as Item['role'];
  return item(role, {
    text: words,
    images,
    calls,
    ...(role === 'tool' ? { callId: text(message.tool_call_id) } : {}),
  });
}

function responsesItems(input: unknown): Item[] {
  if (typeof input === 'string') return [item('user', { text: input })];
  return list(input).map((entry) => {
    const content = list(entry.content ?? entry.output);
    const images = content.flatMap((part) => (part.type === 'input_image' ? [text(part.image_url)] : []));
    const words = content.map((part) => text(part.text)).join('');
    switch (entry.type) {
      case 'function_call':
        return item('assistant', {
          calls: [{ id: text(entry.call_id), tool: text(entry.name), args: text(entry.arguments) }],
        });
      case 'function_call_output':
        return item('tool', { text: text(entry.output) || words, images, callId: text(entry.call_id) });
      case 'reasoning':
        return item('reasoning', { text: text(entry.encrypted_content) });
      default:
        return item(entry.role as Item['role'], { text: text(entry.content) || words, images });
    }
  });
}

function anthropicItems(message: Loose): Item[] {
  if (typeof message.content === 'string')
    return [item(message.role as Item['role'], { text: message.content })];
  const found: Item[] = [];
  for (const block of list(message.content)) {
    if (block.type === 'text') found.push(item(message.role as Item['role'], { text: text(block.text) }));
    if (block.type === 'thinking') found.push(item('reasoning', { text: text(block.signature) }));
    if (block.type === 'image') found.push(item('user', { images: [dataUrl(block)] }));
    if (block.type === 'tool_use') {
      const call = { id: text(block.id), tool: text(block.name), args: JSON.stringify(block.input) };
      found.push(item('assistant', { calls: [call] }));
    }
    if (block.type === 'tool_result') {
      const parts = list(block.content);
      const words =
        typeof block.content === 'string' ? block.content : parts.map((part) => text(part.text)).join('');
      const images = parts.flatMap((part) => (part.type === 'image' ? [dataUrl(part)] : []));
      found.push(item('tool', { text: words, images, callId: text(block.tool_use_id) }));
    }
  }
  return found;
}

function dataUrl(block: Loose): string {
  const source = block.source as Loose;
  return `data:${text(source.media_type)};base64,${text(source.data)}`;
}

/** The rules that the providers answer with status 400 for, as far as a tool round can break them. */
export function violationsOf(wire: Wire, body: unknown): string[] {
  const request = body as Loose;
  const items = itemsOf(wire, body);
  const found = [...pairing(items), ...names(wire, request)];
  if (typeof request.model !== 'string' || request.model === '') found.push('no model is named');
  if (request.stream !== true) found.push('it does not ask for a stream');
  if (!items.some((entry) => entry.role === 'user')) found.push('no user message');
  if (wire === 'chat') found.push(...chatRules(list(request.messages)));
  if (wire === 'messages') found.push(...anthropicRules(request));
  if (wire === 'responses') found.push(...responsesRules(request));
  return found;
}

/** After an answer's calls come their results, all of them, in order, before anything else. */
function pairing(items: readonly Item[]): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  let owed: string[] = [];
  for (const entry of items) {
    if (entry.role === 'reasoning') continue;
    if (entry.callId !== undefined) {
      const expected = owed.shift();
      if (entry.callId !== expected)
        found.push(`result of ${entry.callId} where ${expected ?? 'none'} is owed`);
      continue;
    }
    if (owed.length > 0 && entry.calls.length === 0) {
      found.push(`no result of ${owed.join(', ')} before a message of the ${entry.role}`);
      owed = [];
    }
    for (const call of entry.calls) {
      if (seen.has(call.id)) found.push(`call id ${call.id} stands twice`);
      if (call.id === '') found.push('a call without id');
      seen.add(call.id);
      owed.push(call.id);
    }
  }
  if (owed.length > 0) found.push(`no result of ${owed.join(', ')} at the end`);
  return found;
}

function names(wire: Wire, request: Loose): string[] {
  const tools = list(request.tools).map((tool) =>
    text(wire === 'chat' ? (tool.function as Loose).name : tool.name),
  );
  const twice = tools.filter((name, index) => tools.indexOf(name) !== index);
  const strange = tools.filter((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name));
  return [
    ...twice.map((name) => `tool ${name} is offered twice`),
    ...strange.map((name) => `tool name ${name}`),
  ];
}

function chatRules(messages: readonly Loose[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'assistant' && !text(message.content) && list(message.tool_calls).length === 0) {
      return [`message ${index} of the assistant is empty`];
    }
    if (message.role === 'tool' && typeof message.content !== 'string') return [`result ${index} is no text`];
    return list(message.tool_calls).flatMap((call) => {
      try {
        JSON.parse(text((call.function as Loose).arguments));
        return [];
      } catch {
        return [`message ${index} has arguments that are no JSON`];
      }
    });
  });
}

function responsesRules(request: Loose): string[] {
  if (typeof request.input === 'string') return [];
  return list(request.input).flatMap((entry, index) =>
    entry.type === 'reasoning' && request.store === false && !text(entry.encrypted_content)
      ? [`reasoning ${index} is not stored and has no sealed text`]
      : [],
  );
}

function anthropicRules(request: Loose): string[] {
  const found: string[] = [];
  if (typeof request.max_tokens !== 'number') found.push('max_tokens is missing');
  const marks = JSON.stringify(request).split('"cache_control"').length - 1;
  if (marks > 4) found.push(`${marks} cache marks, at most 4`);
  const messages = list(request.messages);
  if (messages[0]?.role !== 'user') found.push('the first message is not the user’s');
  messages.forEach((message, index) => {
    if (index > 0 && messages[index - 1]?.role === message.role)
      found.push(`two messages of the ${String(message.role)} in a row at ${index}`);
    const blocks =
      typeof message.content === 'string'
        ? [{ type: 'text', text: message.content } as Loose]
        : list(message.content);
    if (blocks.length === 0) found.push(`message ${index} is empty`);
    if (blocks.some((block) => block.type === 'text' && text(block.text).trim() === ''))
      found.push(`an empty text in message ${index}`);
    const results = blocks.map((block) => block.type === 'tool_result');
    if (results.lastIndexOf(true) >= 0 && results.slice(0, results.lastIndexOf(true)).includes(false)) {
      found.push(`something stands before a result in message ${index}`);
    }
    for (const block of blocks) {
      if (block.type !== 'tool_use') continue;
      if (!/^[a-zA-Z0-9_-]+$/.test(text(block.id)))
        found.push(`call id ${text(block.id)} in message ${index}`);
      if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
        found.push(`input of ${text(block.id)} is no object`);
    }
  });
  return found;
}
