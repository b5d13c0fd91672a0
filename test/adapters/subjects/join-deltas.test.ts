/** Pieces of a stream become what the endpoint would have sent whole, with the fields of its vendor. */
import { expect, test } from 'vitest';
import { joinDeltas } from '../../../src/adapters/subjects/chat-completion.ts';

test('texts grow, types and ids do not, and elements of lists meet by their index', () => {
  const pieces = [
    { role: 'assistant', content: '', reasoning_content: 'ha' },
    { content: null, reasoning_content: 'ha', reasoning_details: [{ index: 0, type: 'reasoning.text', text: 'a' }] },
    { reasoning_details: [{ index: 0, type: 'reasoning.text', text: 'b', signature: null }] },
    { reasoning_details: [{ index: 0, type: 'reasoning.text', signature: 'sig' }, { type: 'reasoning.encrypted' }] },
    { tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '{"p' } }] },
    { tool_calls: [{ index: 1, id: 'b', function: { name: 'read', arguments: '{}' } }] },
    { tool_calls: [{ index: 0, id: '', function: { arguments: '":1}' }, extra_content: { google: { sig: 's' } } }] },
    undefined,
  ];
  expect(joinDeltas(pieces)).toEqual({
    ...{ role: 'assistant', content: null, reasoning_content: 'haha' },
    reasoning_details: [
      { index: 0, type: 'reasoning.text', text: 'ab', signature: 'sig' },
      { type: 'reasoning.encrypted' },
    ],
    tool_calls: [
      {
        ...{ index: 0, id: 'a', function: { name: 'read', arguments: '{"p":1}' } },
        extra_content: { google: { sig: 's' } },
      },
      { index: 1, id: 'b', function: { name: 'read', arguments: '{}' } },
    ],
  });
});
