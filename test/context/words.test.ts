/** The words in which the core refuses a summary, names its layers, and fills its templates. */
import { describe, expect, test } from 'vitest';
import { acceptBlock, acceptSummary, layerEntry, view } from '../../src/context/index.ts';
import type { Answer } from '../../src/context/index.ts';
import { compressResult } from '../../src/context/passes/compress-result.ts';
import { takeSnapshot } from '../../src/context/context-snapshot.ts';
import { fillSummaryTemplate } from '../../src/context/summary/summary-template.ts';
import { importTranscript } from '../../src/interop/transcripts/import.ts';
import { getText } from '../../src/transcript/message.ts';
import { blockFor, compactBy, shippedPolicy, smallCore } from '../support/policies.ts';
import { busyLog, coreWith, cutOf, summaryAnswer, usageOf } from '../support/transcripts.ts';

const core = coreWith();
const log = busyLog(12, 1200);
const cut = cutOf(log.entries, core);
const good = { state: 'half', facts: ['rules [#e3]'] };

describe('why a summary is refused', () => {
  const said = (text: string): Answer => ({
    content: [{ type: 'text', text }],
    stopReason: 'end_turn',
    usage: usageOf(9),
  });
  const refusals: [Answer, string, string][] = [
    [
      { ...said('x'), content: [{ type: 'tool_use', id: 't', name: 'bash', input: {} }] },
      'tool_call',
      'the answer calls bash where text alone was asked for',
    ],
    [{ ...said('x'), stopReason: 'max_tokens' }, 'stop_max_tokens', 'the answer ended with max_tokens'],
    [said(' \n'), 'empty', 'the answer holds no text'],
    [said('no tag'), 'schema', 'the answer holds no closed <compact_summary>'],
    [said('<compact_summary>{</compact_summary>'), 'schema', 'the content of <compact_summary> is not JSON'],
    [summaryAnswer({ state: ' ', facts: [''] }), 'empty', 'every field of the summary is empty'],
    [
      summaryAnswer({ ...good, state: 'see [#e999]' }),
      'unknown_citation',
      'the summary cites [#e999], which no entry has',
    ],
    [
      summaryAnswer({ ...good, state: 'The user said: "drop the whole table now please"' }),
      'invented_quote',
      'nobody said "drop the whole table now please" in this conversation',
    ],
    [summaryAnswer({ ...good, state: 'word '.repeat(2000) }), 'too_long', 'at most 1500 are taken'],
  ];

  test.each(refusals)('%#', (answer, cause, detail) => {
    const judged = acceptSummary(log.entries, core, cut, answer);
    expect(judged).toEqual({ ok: false, cause, detail: expect.stringContaining(detail) as string });
  });

  test('the API’s own block: whole, alone, and with words', () => {
    const block = blockFor(['fact [#e3]']);
    const judge = (answer: Answer) => {
      const judged = acceptBlock(log.entries, core, cut, answer);
      return judged.ok ? 'ok' : [judged.cause, judged.detail];
    };
    expect(judge({ ...block, stopReason: 'end_turn' })).toEqual([
      'server_end_turn',
      'the API stopped with end_turn, not with its summary',
    ]);
    const empty = ['server_empty', 'the API sent no compaction block with a text'];
    expect(judge({ ...block, content: [] })).toEqual(empty);
    expect(judge({ ...block, content: [...block.content, ...block.content] })).toEqual(empty);
    expect(judge({ ...block, content: [{ type: 'compaction', content: ' ' }] })).toEqual(empty);
    expect(judge({ ...block, content: [{ type: 'text', text: 'x' }] })).toEqual(empty);
  });
});

describe('layers', () => {
  const layered = smallCore('layered');

  test('have the names by which they are found again', () => {
    expect(layerEntry([], layered, { law: { file: 'CODE_LAW.md', text: 'Tabs.' } })?.name).toBe('project_rules');
    expect(layerEntry([], layered, { skills: ['pdf: reads'] })?.name).toBe('available_skills');
  });

  test.each([{ law: undefined }, { law: { file: 'CODE_LAW.md', text: ' \n ' } }, { skills: [] }])(
    'nothing to say is no layer: %j',
    (nothing) => {
      expect(layerEntry([], layered, nothing)).toBeUndefined();
    },
  );

  test('a law beyond its cap keeps its beginning, and says how much more there is', () => {
    const short = smallCore('layered', { layers: { law: 'CODE_LAW.md', lawTokens: 10 } });
    const text = layerEntry([], short, { law: { file: 'CODE_LAW.md', text: 'tabs '.repeat(50) } })?.text ?? '';
    expect(text).toMatch(/tabs tabs [\s\S]*\[\.\.\. \d+ chars more in the file \.\.\.\]/);
    expect(text.match(/tabs/g)?.length).toBeLessThan(10);
  });
});

test('a summary of one text or one list stands in its template as `summary`', () => {
  const prompts = { ...core.prompts, wrap: '{{start}}|{{cutoff}}|{{summary}}|{{missing}}|{{body}}' };
  const context = { snapshot: takeSnapshot(log.entries), core, cut };
  const wrapped = (value: Parameters<typeof fillSummaryTemplate>[2]) =>
    fillSummaryTemplate({ ...context, core: { ...core, prompts } }, 'json', value);
  expect(wrapped('all well')).toBe('#e1|#e19|* all well|* (nothing)|### Summary\n* all well');
  expect(wrapped(['a', ' ', 'b'])).toBe('#e1|#e19|* a\n* b|* (nothing)|### Summary\n* a\n* b');
  expect(wrapped({ two_words: { inner_part: ['x'] }, none: [] })).toContain(
    '### Two words\n* Inner part: x\n\n### None\n* (nothing)',
  );
  expect(fillSummaryTemplate(context, 'json', 'x')).toBe('json');
});

test('a result whose call is not known is left as it is', () => {
  const block = { type: 'tool_result' as const, tool_use_id: 't', content: 'line\n'.repeat(400) };
  const result = { id: 'e3', block, call: undefined, path: undefined, text: block.content };
  expect(compressResult(result, shippedPolicy('layered'), 'here')).toBeUndefined();
});

test.each([
  [{ role: 'tool', tool_call_id: 'c', content: 'x' }, 'openai'],
  [{ role: 'developer', content: 'x' }, 'openai'],
  [{ role: 'assistant', content: 'x', tool_calls: [] }, 'openai'],
  [{ role: 'assistant', content: 'x', function_call: undefined }, 'messages'],
  [{ role: 'assistant', content: 'x' }, 'messages'],
])('%j is read as %s', (message, format) => {
  const said = [{ role: 'user', content: 'hi' }, message];
  expect(importTranscript(JSON.stringify(said), 'x').format).toBe(format);
});

test('where kept thinking goes back, no note closes the kept results (docs/internals/api-rules.md §2.5, fix B)', () => {
  const shown = (thinking: 'strip' | 'drop_block') => {
    const busy = busyLog(14, 1200);
    const { accepted } = compactBy(busy, smallCore('two-agent', { thinking }), ['x [#e1]']);
    expect(accepted?.ok).toBe(true);
    const { messages } = view(busy.entries);
    const thoughts = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'thinking')).length;
    return [thoughts, messages.map(getText).join('').includes('<compaction_note>')];
  };
  expect(shown('strip')).toEqual([0, true]);
  expect(shown('drop_block')).toEqual([3, false]);
});
