/** Calls of the server in the view: the request ends with a paused answer, and what cannot be paired any more is text. */
import { expect, test } from 'vitest';
import { view } from '../../../src/context/index.ts';
import type { Block } from '../../../src/transcript/message.ts';
import { findFault } from '../../../src/transcript/protocol.ts';
import { createLog, type Log } from '../../support/transcripts.ts';

const wired = (wire: { type: string; [field: string]: unknown }): Block => ({ type: 'unknown', wire });
const search = (id: string) => wired({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'q' } });
const found = (id: string) => wired({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
const thought: Block = { type: 'thinking', thinking: 'hm', signature: 'sig' };
const text = (words: string): Block => ({ type: 'text', text: words });
const says = (log: Log, content: Block[], pauses?: true) =>
  log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content }, ...(pauses && { pauses }) });

function begun(): Log {
  const log = createLog();
  log.user('go');
  return log;
}

test('the view ends with a paused answer as it is, also one without a call; with its rest nothing changes', () => {
  const log = begun();
  says(log, [thought, search('s')]);
  expect(view(log.entries)).toMatchObject({ paused: true, messages: [{}, { content: [thought, search('s')] }] });
  log.append({
    type: 'message',
    origin: 'reminder',
    lasts: 'call',
    message: { role: 'user', content: [text('5 left')] },
  });
  expect(view(log.entries).messages).toHaveLength(2);
  says(log, [found('s'), text('I begin')], true);
  expect(view(log.entries)).toMatchObject({ paused: true });
  says(log, [text('and end.')]);
  expect(view(log.entries).paused).toBeUndefined();
  log.human('thanks');
  expect(view(log.entries).messages.map(({ content }) => content.length)).toEqual([1, 2, 2, 1, 1]);
});

test('words that end a pause make its call a text, and a result without a call is one', () => {
  const log = begun();
  says(log, [thought, text('I look.'), search('s'), thought], true);
  log.human('never mind');
  says(log, [found('s'), text('So.')]);
  log.human('and now?');
  const { messages } = view(log.entries);
  expect(messages[1]?.content).toMatchObject([
    thought,
    { text: 'I look.' },
    {
      text: '[A call of the server, of which no result came: {"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}}]',
    },
  ]);
  expect(messages[3]?.content[0]).toMatchObject({
    text: '[A result of the server, whose call is not here: {"type":"web_search_tool_result","tool_use_id":"s","content":[]}]',
  });
  expect(findFault(messages, { boundThinking: true, prefill: false })).toBeUndefined();
});
