/** Calls of the server in the view: the request ends with a paused answer, and what cannot be paired any more is text. */
import { expect, test } from 'vitest';
import { view } from '../../../src/context/index.ts';
import type { Block } from '../../../src/transcript/message.ts';
import { findFault } from '../../../src/transcript/protocol.ts';
import { compactBy, POLICY_NAMES, smallCore } from '../../support/policies.ts';
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

const STEPS = 20;

function busy(): Log {
  const log = begun();
  for (let step = 0; step < STEPS; step += 1) log.step([{ result: 'r '.repeat(700) }]);
  return log;
}

function waits(log: Log): void {
  says(log, [search('s'), { type: 'tool_use', id: 'own', name: 'read', input: {} }]);
  const content: Block[] = [{ type: 'tool_result', tool_use_id: 'own', content: 'it is read' }];
  log.append({ type: 'message', origin: 'tools', message: { role: 'user', content } });
}

test.each(POLICY_NAMES)('%s does not compact while a call of the server waits', (name) => {
  const log = busy();
  waits(log);
  expect(compactBy(log, smallCore(name), ['it is so [#e1]']).plan).toEqual({ type: 'defer', calls: [] });
});

test.each(POLICY_NAMES)('a saved compaction of %s that adds a text after the results of such a call', (name) => {
  const other = busy();
  compactBy(other, smallCore(name), ['it is so [#e1]']);
  const compaction = other.entries.at(-1);
  if (compaction?.type !== 'compaction') throw new Error('nothing was compacted');
  const log = busy();
  waits(log);
  log.entries.push({ ...compaction, id: 'e900', parents: [log.entries.at(-1)?.id ?? ''] });
  const { messages } = view(log.entries);
  const place = messages.findIndex((message) => message.content.some(({ type }) => type === 'unknown'));
  const after = messages.slice(place + 1).flatMap((message) => message.content.map(({ type }) => type));
  if (place !== -1) expect(new Set(after)).toEqual(new Set(['tool_result']));
  else expect(JSON.stringify(messages)).toContain('[A call of the server, of which no result came: ');
});
