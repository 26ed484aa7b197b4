/** Whatever a session has been through, what is sent is valid for the wire: random transcripts, judged by the server. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ContextItem, PlannedCall } from '../../protocol';
import { anthropicBody } from '../../host/adapters/models/anthropicBody';
import { chatBody } from '../../host/adapters/models/chatBody';
import { responsesBody } from '../../host/adapters/models/responsesBody';
import { violationsOf } from '../support/modelRequests';
import type { Attempt } from '../../host/adapters/models/wire';
import { attemptFor, callOf, readTool } from './bench';

const text = fc.constantFrom('', ' \n', 'word', '世界 "quoted" \\ \u2028');
const id = fc.constantFrom('a', 'b', 'call_1', 'toolu/1:x', 'x'.repeat(70));
const image = fc.constant({ mediaType: 'image/png' as const, data: 'AAAA' });
const images = fc.option(fc.array(image, { maxLength: 2 }), { nil: undefined });
const args = fc.constantFrom('{}', '{"path":"x"}', '', '[1]', 'null', '{"cut');
const tool = fc.constantFrom('read', 'SERVER__TOOL', 'functions.read', '');
const call: fc.Arbitrary<PlannedCall> = fc.record({ callId: id, tool, args });
const block = fc.constantFrom(
  { type: 'thinking', thinking: 'hm', signature: 's' },
  { type: 'text', text: '' },
  { type: 'tool_use', name: 'read', args: '{"a":1}' },
  { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'sealed' },
  { type: 'reasoning', id: 'r', summary: [], encrypted_content: null },
  { type: 'function_call', call_id: 'old', name: 'read', arguments: '{}' },
  'nonsense',
);
const native = fc.option(
  fc.record({
    family: fc.constantFrom('anthropic', 'responses', 'chat'),
    model: fc.constantFrom('local/m1', 'local/m2'),
    blocks: fc.oneof(fc.array(block, { maxLength: 4 }), fc.constant({ reasoning: 'hm' })),
  }),
  { nil: undefined },
);
const without = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
const item: fc.Arbitrary<ContextItem> = fc.oneof(
  fc
    .record({ kind: fc.constant('user' as const), text, images })
    .map((value) => without(value) as ContextItem),
  fc
    .record({
      kind: fc.constant('assistant' as const),
      text,
      calls: fc.array(call, { maxLength: 3 }),
      native,
    })
    .map((value) => without(value) as ContextItem),
  fc
    .record({
      kind: fc.constant('result' as const),
      callId: id,
      tool,
      output: fc.constant('{"ok":true}'),
      images,
      failed: fc.boolean(),
    })
    .map((value) => without(value) as ContextItem),
);

const wires = [
  ['chat', chatBody],
  ['responses', responsesBody],
  ['messages', anthropicBody],
] as const;

describe('models: any transcript is sent as the provider wants it', () => {
  for (const [wire, body] of wires) {
    it(`T5: ${wire}`, () => {
      const check = (items: ContextItem[], reasons: boolean): void => {
        const attempt: Attempt = attemptFor(callOf({ items, system: 's', tools: [readTool] }), { reasons });
        const sent = body(attempt);
        const known = violationsOf(wire, JSON.parse(sent));
        assert.deepEqual(known, []);
        // Made again from what was kept, it is the same: providers cache by prefix.
        assert.equal(body(attempt), sent);
      };
      fc.assert(fc.property(fc.array(item, { maxLength: 12 }), fc.boolean(), check), { numRuns: 500 });
    });

    it(`what was sent before is sent again unchanged when the conversation goes on: ${wire}`, () => {
      const check = (items: ContextItem[], more: ContextItem[]): void => {
        const whole = [
          { kind: 'user' as const, text: 'go' },
          ...items,
          { kind: 'user' as const, text: 'now' },
        ];
        const before = body(attemptFor(callOf({ items: whole })));
        const after = body(
          attemptFor(callOf({ items: [...whole, { kind: 'assistant', text: 'ok', calls: [] }, ...more] })),
        );
        const list = (sent: string): unknown[] => {
          const value: Record<string, unknown[] | undefined> = JSON.parse(
            sent.replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
          );
          return value['messages'] ?? value['input'] ?? [];
        };
        assert.deepEqual(list(after).slice(0, list(before).length), list(before));
      };
      fc.assert(fc.property(fc.array(item, { maxLength: 8 }), fc.array(item, { maxLength: 4 }), check), {
        numRuns: 200,
      });
    });
  }
});
