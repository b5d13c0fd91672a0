/** Cache marks at send time. */
import { expect, test } from 'vitest';
import { markForCache, view } from '../../../src/context/index.ts';
import { findFault } from '../../../src/transcript/protocol.ts';
import { busyLog, createLog } from '../../support/transcripts.ts';

const fixed = { system: [{ type: 'text', text: 'You are a tester.' }], tools: [{ name: 'read' }, { name: 'write' }] };
const marked = (list: readonly object[]) => list.flatMap((item, place) => ('cache_control' in item ? [place] : []));

test('system, last tool, the message that the last call ended with, and the last message: four at most', () => {
  const { messages } = view(busyLog(3).entries);
  const request = markForCache({ ...fixed, messages });
  expect(marked(request.system)).toEqual([0]);
  expect(marked(request.tools)).toEqual([1]);
  const places = request.messages.flatMap(({ content }, place) => (marked(content).length > 0 ? [place] : []));
  expect(places).toEqual([4, 6]);
  const marksBefore = [{ type: 'ephemeral' as const }, { type: 'ephemeral' as const }];
  expect(findFault(request.messages, { boundThinking: true, prefill: false, marksBefore })).toBeUndefined();
});

test('one call later, the mark of this call’s end is still set: the prefix is found again (S0.3)', () => {
  const log = busyLog(3);
  const last = view(log.entries).messages.length - 1;
  log.step(Array.from({ length: 30 }, () => ({ result: 'x' })));
  const request = markForCache({ ...fixed, messages: view(log.entries).messages });
  expect(marked(request.messages[last]?.content ?? [])).toHaveLength(1);
});

test('nothing of what is given is changed, and thinking never carries a mark', () => {
  const log = createLog();
  log.user('go');
  const { messages } = view(log.entries);
  const copy = structuredClone(messages);
  markForCache({ ...fixed, messages });
  expect(messages).toEqual(copy);
  const thought = [{ role: 'assistant' as const, content: [{ type: 'thinking', thinking: '', signature: 's' }] }];
  expect(marked(markForCache({ system: [], tools: [], messages: thought }).messages[0]?.content ?? [])).toEqual([]);
});
