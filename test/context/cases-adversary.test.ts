/** What random conversations found: each once killed a session whose next request could have been sent (T5, T9, T21, T23, S2.7). */
import { expect, test } from 'vitest';
import { itemEntry, layerEntry, markForCache, summaryRequest, view } from '../../src/context/index.ts';
import type { Block } from '../../src/transcript/message.ts';
import { findFault } from '../../src/transcript/protocol.ts';
import { faultOf, smallCore } from '../support/policies.ts';
import { createLog, cutOf } from '../support/transcripts.ts';

const core = smallCore('two-agent');

test.each(['multi_tool.parallel', '$FUNCTION_NAME', '', 'ein Werkzeug', 'x'.repeat(65), '読む'])(
  'T21: a model that calls %j, which nobody offered, is answered, and the call can be sent back',
  (tool) => {
    const log = createLog();
    log.human('go');
    log.step([{ tool, result: 'No tool is named so.', error: true }]);
    expect(faultOf(log.entries)).toBeUndefined();
    const [block] = view(log.entries).messages[1]?.content ?? [];
    expect(block).toMatchObject({ type: 'tool_use', name: expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/) });
  },
);

test('T21: a name that can be sent stays as it is', () => {
  const log = createLog();
  log.human('go');
  log.step([{ tool: 'x'.repeat(64), result: 'r' }]);
  expect(view(log.entries).messages[1]?.content[0]).toMatchObject({ name: 'x'.repeat(64) });
});

test('T5: thinking that was cut before it was signed is left out, and what is signed stays', () => {
  const log = createLog();
  log.human('go');
  const content: Block[] = [
    { type: 'thinking', thinking: 'whole', signature: 'signed' },
    { type: 'text', text: 'so far' },
    { type: 'thinking', thinking: 'cut in the mid', signature: '' },
    { type: 'redacted_thinking', data: '' },
  ];
  log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content } });
  log.user('go on', 'reminder');
  expect(faultOf(log.entries)).toBeUndefined();
  expect(view(log.entries).messages[1]?.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
});

test('T9, T23: the summary request that had to be shortened holds no half of a pair, wherever a result was cut', () => {
  const log = createLog();
  log.human('go');
  for (let n = 1; n <= 18; n += 1) log.step([{ result: `${n}${'\uD83D'.repeat(2600)}` }]);
  const small = smallCore('two-agent', {}, { budget: { window: 40_000 } });
  const request = summaryRequest(log.entries, small, cutOf(log.entries, small));
  if (request === undefined) throw new Error('no request');
  expect(request.shape).toBe('shortened');
  const { messages, rewrittenThrough } = request;
  expect(findFault(messages, { boundThinking: true, prefill: false, rewrittenThrough })).toBeUndefined();
  expect(messages.every(({ content }) => JSON.stringify(content).isWellFormed())).toBe(true);
});

test('S2.7: no cache mark stands on what is for one call, although something was said after it', () => {
  const log = createLog();
  log.human('go');
  log.step([{ result: 'r' }]);
  log.append({ ...itemEntry('ephemeral', 'now is Monday'), lasts: 'call' });
  log.human('and now?');
  const { messages, passing } = view(log.entries);
  expect(passing).toBe(2);
  const marked = markForCache({ system: [], tools: [], messages }, passing).messages;
  const places = marked.flatMap(({ content }, place) => (content.some((block) => block.cache_control) ? [place] : []));
  expect(places).toEqual([0, 2]);
  log.step([{ result: 'r' }]);
  expect(view(log.entries).messages.slice(0, 3)).toEqual(messages.slice(0, 3));
  expect(view(log.entries).passing).toBe(0);
});

test('T5, S2.7: a layer that changes beside a text for one call does not call later thinking old', () => {
  const log = createLog();
  log.human('go');
  log.step([{ result: 'r' }], { think: 'one' });
  log.append({ ...itemEntry('ephemeral', 'now is Monday'), lasts: 'call' });
  const law = layerEntry(
    log.entries,
    { ...core, prompts: { ...core.prompts, law: '{{text}}{{file}}' } },
    { law: { file: 'L', text: 'be kind' } },
  );
  if (law === undefined) throw new Error('no layer');
  log.append(law);
  expect(view(log.entries).rewrittenThrough).toBe(4);
  log.step([{ result: 'r' }], { think: 'two' });
  expect(view(log.entries).rewrittenThrough).toBe(3);
  expect(faultOf(log.entries)).toBeUndefined();
  expect(JSON.stringify(view(log.entries).messages)).toContain('"two"');
});
