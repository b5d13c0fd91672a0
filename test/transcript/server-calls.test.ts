/** Calls of the server and their results, in the spelling of each API; and the units that never part them. */
import { expect, test } from 'vitest';
import { planCompaction } from '../../src/context/index.ts';
import type { Block } from '../../src/transcript/message.ts';
import { readServerCall, readServerResult } from '../../src/transcript/call-pairs.ts';
import { splitSteps } from '../../src/transcript/step.ts';
import { coreWith, createLog, type Log } from '../support/transcripts.ts';

const wired = (wire: { type: string; [field: string]: unknown }): Block => ({ type: 'unknown', wire });
const search = (id: string) => wired({ type: 'server_tool_use', id, name: 'web_search', input: {} });
const found = (id: string) => wired({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
const says = (log: Log, content: Block[], pauses?: true) =>
  log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content }, ...(pauses && { pauses }) });
const shape = ({ entries }: Log) => splitSteps(entries).map((unit) => unit.entries.map(({ id }) => id).join(' '));

test('every spelling of a call and of a result is read, and nothing else is one', () => {
  const mcp = wired({ type: 'mcp_tool_use', id: 'm', name: 'ask', server_name: 's', input: {} });
  const provided = wired({ type: 'tool-call', toolCallId: 'p', toolName: 'search', providerExecuted: true });
  expect([search('s'), mcp, provided].map(readServerCall)).toEqual([
    { id: 's', name: 'web_search' },
    { id: 'm', name: 'ask' },
    { id: 'p', name: 'search' },
  ]);
  const results = [found('s'), wired({ type: 'mcp_tool_result', tool_use_id: 'm' })];
  expect([...results, wired({ type: 'tool-result', toolCallId: 'p' })].map(readServerResult)).toEqual(['s', 'm', 'p']);
  const others: Block[] = [
    wired({ type: 'tool_use', id: 'x' }),
    wired({ type: 'document' }),
    { type: 'text', text: '' },
  ];
  expect(others.flatMap((block) => [readServerCall(block), readServerResult(block)])).toEqual(Array(6).fill(undefined));
});

test('a call of the server, its late result and all between them are one unit; so is an answer with its rest', () => {
  const log = createLog();
  log.user('go');
  says(log, [search('s'), { type: 'tool_use', id: 'a', name: 'read', input: {} }]);
  log.append({
    ...{ type: 'message', origin: 'tools' },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
  });
  says(log, [found('s'), { type: 'text', text: 'So.' }]);
  log.step([{ result: 'x' }]);
  says(log, [{ type: 'text', text: 'I begin' }], true);
  log.step([{ result: 'y' }]);
  expect(shape(log)).toEqual(['e1', 'e2 e3 e4', 'e5 e6', 'e7 e8 e9']);
});

test('a compaction waits while the server has yet to answer, and no longer', () => {
  const log = createLog();
  log.user('go');
  for (let n = 0; n < 12; n += 1) log.step([{ result: 'word '.repeat(1200) }]);
  says(log, [search('s')], true);
  expect(planCompaction(log.entries, coreWith(), { reason: 'window' })).toMatchObject({ type: 'defer' });
  says(log, [found('s'), { type: 'text', text: 'So.' }]);
  expect(planCompaction(log.entries, coreWith(), { reason: 'window' })).toMatchObject({ type: 'cut' });
});
