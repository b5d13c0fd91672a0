/** Which fields are a vendor's own, and where they are looked for. */
import { expect, test } from 'vitest';
import { findRefusedFields, omitFields } from '../../src/transcript/vendor-fields.ts';

const MESSAGES = [
  { role: 'user', content: 'reasoning_content and x_block are words here' },
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'x_result', x_block: 1 }],
    reasoning_content: 'hm',
    tool_calls: [{ id: 'a', type: 'function', extra_content: {}, function: { name: 'f', arguments: '{}', x_f: 2 } }],
  },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ x_result: 1 }], input: { x_in: 1 } }],
  },
];
const REFUSAL =
  '{"loc":["messages",2,"assistant","reasoning_content"]} x_block, x_f; x_result x_in role content type: Extra inputs are not permitted';

test('a field of a message, part or call that the refusal names; never one of the API, nor what a tool gave or takes', () => {
  expect(findRefusedFields(MESSAGES, REFUSAL)).toEqual(['x_block', 'reasoning_content', 'x_f']);
  expect(findRefusedFields(MESSAGES, 'no_reasoning_content')).toEqual([]);
});

test('only they leave, and nothing is changed where there is none', () => {
  const names = new Set(['x_block', 'reasoning_content', 'x_f', 'x_result', 'x_in']);
  const before = structuredClone(MESSAGES);
  const left = MESSAGES.map((message) => omitFields(message, names));
  expect(MESSAGES).toEqual(before);
  expect(left[1]).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: 'x_result' }],
    tool_calls: [{ id: 'a', type: 'function', extra_content: {}, function: { name: 'f', arguments: '{}' } }],
  });
  expect(left[2]).toEqual(MESSAGES[2]);
  expect(omitFields(MESSAGES[1], new Set())).toBe(MESSAGES[1]);
});
