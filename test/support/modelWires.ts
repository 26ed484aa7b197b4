/** A scripted answer as the events of a provider's stream, each with its blank line. */
import type { Answer, ScriptedCall } from './modelServer';

export type Wire = 'chat' | 'responses' | 'messages';

export function encodeAnswer(wire: Wire, n: number, answer: Answer): string[] {
  switch (wire) {
    case 'chat':
      return chat(n, answer);
    case 'responses':
      return responses(n, answer);
    case 'messages':
      return messages(n, answer);
  }
}

const argsText = (call: ScriptedCall): string =>
  typeof call.args === 'string' ? call.args : JSON.stringify(call.args);

const stopOf = (answer: Answer): 'end' | 'calls' | 'length' | 'refusal' =>
  answer.stop ?? ((answer.calls ?? []).length > 0 ? 'calls' : 'end');

/** Cuts a text into so many pieces by UTF-16 units, never through a surrogate pair. */
export function cut(text: string, pieces: number): string[] {
  const letters = Array.from(text);
  const size = Math.max(1, Math.ceil(letters.length / Math.max(1, pieces)));
  const found: string[] = [];
  for (let from = 0; from < letters.length; from += size)
    found.push(letters.slice(from, from + size).join(''));
  return found;
}

function chat(n: number, answer: Answer): string[] {
  const pieces = answer.pieces ?? 1;
  const head = {
    id: `chatcmpl-${n}`,
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'scripted',
  };
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const events = [chunk({ role: 'assistant', content: '' })];
  for (const text of cut(answer.reasoning ?? '', pieces)) events.push(chunk({ reasoning_content: text }));
  for (const content of cut(answer.text ?? '', pieces)) events.push(chunk({ content }));
  (answer.calls ?? []).forEach((call, index) => {
    const id = call.id ?? `call_${n}_${index}`;
    const first = { index, type: 'function', function: { name: call.tool, arguments: '' } };
    events.push(chunk({ tool_calls: [id === '' ? first : { ...first, id }] }));
    for (const text of cut(argsText(call), pieces)) {
      events.push(chunk({ tool_calls: [{ index, function: { arguments: text } }] }));
    }
  });
  const finish = { end: 'stop', calls: 'tool_calls', length: 'length', refusal: 'content_filter' }[
    stopOf(answer)
  ];
  const { input, output, cached } = { input: 10, output: 5, cached: 0, ...answer.usage };
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
  events.push(chunk({}, finish));
  events.push(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`);
  events.push('data: [DONE]\n\n');
  return events;
}

function messages(n: number, answer: Answer): string[] {
  const pieces = answer.pieces ?? 1;
  const events: string[] = [];
  const event = (type: string, data: object): void =>
    void events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const { input, output, cached } = { input: 10, output: 5, cached: 0, ...answer.usage };
  const usage = {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
  let index = 0;
  const block = (start: object, deltas: readonly object[]): void => {
    event('content_block_start', { index, content_block: start });
    for (const delta of deltas) event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
    index += 1;
  };

  event('message_start', {
    message: {
      id: `msg_${n}`,
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  });
  event('ping', {});
  if (answer.reasoning !== undefined) {
    block({ type: 'thinking', thinking: '', signature: '' }, [
      ...cut(answer.reasoning, pieces).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: answer.signature ?? `signed-${n}` },
    ]);
  }
  if (answer.text !== undefined) {
    const deltas = cut(answer.text, pieces).map((text) => ({ type: 'text_delta', text }));
    block({ type: 'text', text: '' }, deltas);
  }
  (answer.calls ?? []).forEach((call, place) => {
    const id = call.id ?? `toolu_${n}_${place}`;
    const deltas = cut(argsText(call), pieces).map((json) => ({
      type: 'input_json_delta',
      partial_json: json,
    }));
    block({ type: 'tool_use', id, name: call.tool, input: {} }, [
      { type: 'input_json_delta', partial_json: '' },
      ...deltas,
    ]);
  });
  const reason = { end: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' }[
    stopOf(answer)
  ];
  event('message_delta', {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { ...usage, output_tokens: output },
  });
  event('message_stop', {});
  return events;
}

function responses(n: number, answer: Answer): string[] {
  const pieces = answer.pieces ?? 1;
  const events: string[] = [];
  let sequence = 0;
  const event = (type: string, data: object): void => {
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...data })}\n\n`);
    sequence += 1;
  };
  const { input, output, cached } = { input: 10, output: 5, cached: 0, ...answer.usage };
  const base = {
    id: `resp_${n}`,
    object: 'response',
    created_at: 1_790_000_000,
    model: 'scripted',
    store: false,
  };
  const done: object[] = [];
  const item = (
    start: object,
    body: (place: { item_id: string; output_index: number }) => void,
    end: object,
  ): void => {
    const output_index = done.length;
    const id = `item_${n}_${output_index}`;
    event('response.output_item.added', { output_index, item: { id, ...start } });
    body({ item_id: id, output_index });
    event('response.output_item.done', { output_index, item: { id, ...end } });
    done.push({ id, ...end });
  };

  event('response.created', { response: { ...base, status: 'in_progress', output: [] } });
  event('response.in_progress', { response: { ...base, status: 'in_progress', output: [] } });
  if (answer.reasoning !== undefined) {
    const text = answer.reasoning;
    const summary = [{ type: 'summary_text', text }];
    const sealed = { encrypted_content: answer.signature ?? `sealed-${n}` };
    item(
      { type: 'reasoning', summary: [], ...sealed },
      (place) => {
        event('response.reasoning_summary_part.added', {
          ...place,
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        });
        for (const delta of cut(text, pieces)) {
          event('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta });
        }
        event('response.reasoning_summary_text.done', { ...place, summary_index: 0, text });
        event('response.reasoning_summary_part.done', { ...place, summary_index: 0, part: summary[0] });
      },
      { type: 'reasoning', summary, ...sealed },
    );
  }
  const refused = stopOf(answer) === 'refusal';
  if (answer.text !== undefined) {
    const text = answer.text;
    const part = refused
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations: [], logprobs: [] };
    item(
      { type: 'message', role: 'assistant', status: 'in_progress', content: [] },
      (place) => {
        const where = { ...place, content_index: 0 };
        event('response.content_part.added', {
          ...where,
          part: { ...part, ...(refused ? { refusal: '' } : { text: '' }) },
        });
        const kind = refused ? 'response.refusal' : 'response.output_text';
        for (const delta of cut(text, pieces))
          event(`${kind}.delta`, { ...where, delta, ...(refused ? {} : { logprobs: [] }) });
        event(`${kind}.done`, { ...where, ...(refused ? { refusal: text } : { text, logprobs: [] }) });
        event('response.content_part.done', { ...where, part });
      },
      { type: 'message', role: 'assistant', status: 'completed', content: [part] },
    );
  }
  (answer.calls ?? []).forEach((call, place) => {
    const args = argsText(call);
    const head = { type: 'function_call', call_id: call.id ?? `call_${n}_${place}`, name: call.tool };
    item(
      { ...head, status: 'in_progress', arguments: '' },
      (where) => {
        for (const delta of cut(args, pieces))
          event('response.function_call_arguments.delta', { ...where, delta });
        event('response.function_call_arguments.done', { ...where, name: call.tool, arguments: args });
      },
      { ...head, status: 'completed', arguments: args },
    );
  });
  const cutShort = stopOf(answer) === 'length';
  event(cutShort ? 'response.incomplete' : 'response.completed', {
    response: {
      ...base,
      status: cutShort ? 'incomplete' : 'completed',
      incomplete_details: cutShort ? { reason: 'max_output_tokens' } : null,
      error: null,
      output: done,
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    },
  });
  return events;
}
