/** Messages of the Messages API keep what they say of a tool's result. */
import { expect, test } from 'vitest';
import { messagesApi } from '../../../src/library/shapes/anthropic-messages.ts';

const result = (more: object) => ({
  type: 'tool_result' as const,
  tool_use_id: 'toolu_1',
  content: 'no such file',
  ...more,
});

test('a failed result stays failed, and a good one does not become one', () => {
  const read = (block: ReturnType<typeof result>) =>
    messagesApi().read({ role: 'user', content: [block] }).messages[0]?.content;
  expect(read(result({ is_error: true }))).toEqual([result({ is_error: true })]);
  expect(read(result({ is_error: false }))).toEqual([result({})]);
  expect(read(result({}))).toEqual([result({})]);
});
