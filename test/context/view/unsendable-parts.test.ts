/** What no message may hold becomes text, and what a model wrote in place of an input stands before the result. */
import { expect, test } from 'vitest';
import { describeStray, toPlaceable, withMalformedInput } from '../../../src/context/view/unsendable-parts.ts';
import type { ToolResultBlock } from '../../../src/transcript/message.ts';

const result: ToolResultBlock = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };
const call = { type: 'tool_use' as const, id: 'a', name: 'read', input: {} };

test('a part of the other role is text; its own parts stay', () => {
  expect(toPlaceable(call, 'user')).toMatchObject({ text: expect.stringContaining('"name":"read"') });
  expect(toPlaceable(result, 'assistant')).toMatchObject({ text: expect.stringContaining('"content":"ok"') });
  expect(toPlaceable(call, 'assistant')).toBe(call);
  expect(toPlaceable(result, 'user')).toBe(result);
});

test('a stray result is text; the same once more says nothing, another one names its entry', () => {
  expect(describeStray(result, 'e5', undefined)).toMatchObject([
    { text: expect.stringContaining('call a') },
    { text: 'ok' },
  ]);
  expect(describeStray(result, 'e5', result)).toEqual([]);
  expect(describeStray({ ...result, content: 'no' }, 'e5', result)).toMatchObject([
    { text: expect.stringMatching(/e5.*call a/) },
  ]);
});

test('a malformed input stands before the result, in any form, up to its cap', () => {
  const broken = { ...call, malformed: `{"path": "${'x'.repeat(9000)}` };
  for (const content of [undefined, 'ok', [{ type: 'text' as const, text: 'ok' }]]) {
    const { content: _content, ...bare } = result;
    const made = withMalformedInput(content === undefined ? bare : { ...bare, content }, broken);
    expect(JSON.stringify(made)).toContain('The model wrote: {\\"path\\": \\"xxx');
    expect(JSON.stringify(made).length).toBeLessThan(4300);
    expect(JSON.stringify(made)).toContain('(… 9010 characters in all)');
  }
  expect(withMalformedInput(result, call)).toBe(result);
});
