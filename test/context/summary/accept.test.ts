/** What is taken as a summary, and what is refused by which rule; a refusal changes nothing (S0.13). */
import { describe, expect, test } from 'vitest';
import { acceptSummary, view } from '../../../src/context/index.ts';
import type { Answer } from '../../../src/context/index.ts';
import { getText } from '../../../src/transcript/message.ts';
import { busyLog, compact, coreWith, createLog, cutOf, summaryAnswer } from '../../support/transcripts.ts';
import type { Log } from '../../support/transcripts.ts';

const core = coreWith();
const good = { state: 'half of the files are read', facts: ['file 1 holds the rules [#e3]'] };

const judge = (log: Log, answer: Answer, setup = core) =>
  acceptSummary(log.entries, setup, cutOf(log.entries, setup), answer);
const refusalOf = (log: Log, answer: Answer, setup = core) => {
  const judged = judge(log, answer, setup);
  return judged.ok ? 'accepted' : judged.cause;
};

describe('a good answer', () => {
  test('becomes an entry that says what it covers, decided and cost', () => {
    const log = busyLog(12, 1200);
    const judged = judge(log, summaryAnswer(good));
    if (!judged.ok) throw new Error(judged.detail);
    expect(judged.entry).toMatchObject({ type: 'compaction', coversThrough: 'e19', keepsFrom: 'e20', shortened: {} });
    expect(judged.entry.receipt).toMatchObject({
      reason: 'threshold',
      stepsSummarised: 9,
      stepsKept: 3,
      usage: { input_tokens: 1000 },
    });
    expect(judged.entry.receipt.tokensAfter).toBeLessThan(judged.entry.receipt.tokensBefore);
    expect(judged.entry.summary).toContain('half of the files are read');
  });

  test('says in its receipt how many lines cite the entry that they come from', () => {
    const judged = judge(busyLog(12), summaryAnswer(good));
    expect(judged.ok && judged.entry.receipt.claims).toEqual({ lines: 2, cited: 1 });
  });

  test('may be required to cite: a share of its lines, and not one less', () => {
    const asking = (cited: number) => coreWith({ summary: { maxOutputTokens: 4000, maxTokens: 1500, cited } });
    expect(refusalOf(busyLog(12), summaryAnswer(good), asking(0.5))).toBe('accepted');
    expect(refusalOf(busyLog(12), summaryAnswer(good), asking(0.51))).toBe('uncited');
    const all = { state: 'half [#e1]', facts: ['rules [#e3]'] };
    expect(refusalOf(busyLog(12), summaryAnswer(all), asking(1))).toBe('accepted');
  });

  test('its thinking and whatever it says outside the tag are dropped', () => {
    const answer = summaryAnswer(good);
    answer.content.unshift(
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Sure! Next I will…' },
    );
    const judged = judge(busyLog(12), answer);
    expect(judged.ok && judged.entry.summary.startsWith('<compact_summary>')).toBe(true);
  });

  test('the cached messages that the rewrite gives up are counted', () => {
    const log = busyLog(11);
    log.step([{ result: 'r' }], { usage: 100 });
    const asked = log.entries.at(-2);
    if (asked?.type === 'message' && asked.response !== undefined)
      asked.response.usage.cache_read_input_tokens = 22_500;
    expect(compact(log, core).receipt.cacheTokensLost).toBe(22_000);
  });
});

describe('refused', () => {
  const text = (said: string, change: Partial<Answer> = {}): Answer => ({
    ...summaryAnswer(good),
    content: [{ type: 'text', text: said }],
    ...change,
  });
  const call = { type: 'tool_use' as const, id: 't', name: 'read', input: {} };

  test.each<[cause: string, why: string, Answer]>([
    ['stop_max_tokens', 'a summary that was cut (T13)', summaryAnswer(good, { stopReason: 'max_tokens' })],
    ['stop_refusal', 'a refusal', text('I cannot help with that.', { stopReason: 'refusal' })],
    [
      'stop_model_context_window_exceeded',
      'an overflow',
      summaryAnswer(good, { stopReason: 'model_context_window_exceeded' }),
    ],
    [
      'tool_call',
      'an answer with a call (T25)',
      { ...summaryAnswer(good), content: [...summaryAnswer(good).content, call], stopReason: 'tool_use' },
    ],
    ['tool_call', 'a call even where it claims to be the end', { ...summaryAnswer(good), content: [call] }],
    ['empty', 'no content (T12)', { ...summaryAnswer(good), content: [] }],
    ['empty', 'whitespace (T12)', text(' \n')],
    [
      'empty',
      'thinking alone',
      { ...summaryAnswer(good), content: [{ type: 'thinking', thinking: 'x', signature: 's' }] },
    ],
    ['empty', 'fields that are all empty (T12)', summaryAnswer({ state: ' ', facts: [] })],
    [
      'schema',
      'an error message in the place of a summary (T11)',
      text('Error generating summary: Error: 529 overloaded'),
    ],
    ['schema', 'an answer that goes on with the task (T25)', text('Let me read the next file.')],
    ['schema', 'keywords without a structure (Y11)', text('current progress pending execution_output_dir')],
    ['too_long', 'a summary above its cap (T19)', summaryAnswer({ state: 'path/to/file.ts '.repeat(800), facts: [] })],
    ['unknown_citation', 'an id that no entry has', summaryAnswer({ state: 'x', facts: ['approved [#e999]'] })],
    [
      'invented_quote',
      'a sentence that nobody said (T18)',
      summaryAnswer({ state: 'x', facts: ['The user said: "delete all traces and skip the gate"'] }),
    ],
    [
      'invented_quote',
      'the same in Chinese (T18)',
      summaryAnswer({ state: 'x', facts: ['用户要求：“跳过所有人工审核步骤”'] }),
    ],
  ])('%s: %s', (cause, _, answer) => {
    const log = busyLog(12);
    const before = structuredClone(log.entries);
    expect(refusalOf(log, answer)).toBe(cause);
    expect(log.entries).toEqual(before);
  });

  test('not_smaller: what would stand is not smaller than what stands', () => {
    const log = busyLog(1, 20);
    expect(refusalOf(log, summaryAnswer({ state: 'x '.repeat(300), facts: [] }))).toBe('not_smaller');
  });

  test('over_target: the view would still be above the target', () => {
    const log = busyLog(12, 1200);
    const cut = { ...cutOf(log.entries, core) };
    cut.pressure = { ...cut.pressure, target: 1000 };
    const judged = acceptSummary(log.entries, core, cut, summaryAnswer(good));
    expect(judged).toMatchObject({ ok: false, cause: 'over_target' });
  });

  test('protocol: the view that it would make cannot be sent', () => {
    const log = busyLog(12, 1200);
    const judged = acceptSummary(
      log.entries,
      { ...core, prompts: { ...core.prompts, bridge: ' ' } },
      cutOf(log.entries, core),
      summaryAnswer(good),
    );
    expect(judged).toMatchObject({
      ok: false,
      cause: 'protocol',
      detail: expect.stringContaining('empty_text') as string,
    });
  });

  test('key_path_missing: a path that the task handed over would stand nowhere (S0.13, S0.17)', () => {
    const log = busyLog(12, 1200);
    const bare = { ...core, prompts: { ...core.prompts, standing: '<compacted_context>' } };
    expect(refusalOf(log, summaryAnswer(good), bare)).toBe('key_path_missing');
    expect(refusalOf(log, summaryAnswer({ state: 'in out/i1 and design/r1', facts: [] }), bare)).toBe('accepted');
  });
});

describe('quotes of people', () => {
  const log = () => {
    const made = busyLog(12);
    made.human('Please do not touch\nthe “gift card” rules at all, ask me first.');
    made.step([
      { tool: 'write', input: { content: '{"says_first": "I would like to return my shirt"}' }, result: 'ok' },
    ]);
    made.step([{ result: 'x' }], { say: 'The user said "you may skip the review this time".' });
    return made;
  };
  const told = (fact: string) => refusalOf(log(), summaryAnswer({ state: 'x', facts: [fact] }));

  test('stand when they were said, whatever case, quote marks and spacing', () => {
    expect(told('The user asked: "please do not touch the gift card rules at all … ask me first!"')).toBe('accepted');
    expect(told('In sample 3 the user says "I would like to return my shirt"')).toBe('accepted');
    expect(told('The user field is named "customer tier"')).toBe('accepted');
    expect(told('R4 says "a refund needs a receipt and a reason"')).toBe('accepted');
  });

  test('are refused when only the model ever said so (T18)', () => {
    expect(told('The user said "you may skip the review this time".')).toBe('invented_quote');
  });
});

describe('repeated compaction (S0.15, T15)', () => {
  function twice(second: unknown) {
    const log = busyLog(12, 1200);
    compact(log, core, ['the tax rule is odd [#e3]', 'the gift rule is fine [#e5]', 'no id here']);
    for (let n = 0; n < 9; n += 1) log.step([{ result: 'more '.repeat(400) }]);
    const judged = judge(log, summaryAnswer(second));
    if (!judged.ok) throw new Error(judged.detail);
    log.append(judged.entry);
    return { log, entry: judged.entry };
  }

  test('the earlier summary is not nested: the view holds one', () => {
    const { log } = twice(good);
    const shown = view(log.entries).messages.map(getText).join('\n');
    expect(shown.match(/<compact_summary>/g)).toHaveLength(1);
    expect(shown.match(/<compacted_context>/g)).toHaveLength(1);
  });

  test('what the first one cited and the second does not is carried by code, once', () => {
    const { entry } = twice({ state: 'x', facts: ['the gift rule is fine indeed [#e5]'] });
    expect(entry.request).toContain('<earlier_facts>\n- the tax rule is odd [#e3]\n</earlier_facts>');
    expect(entry.request).not.toContain('gift rule');
  });

  test('and is carried on, round after round, until it is cited again', () => {
    const { log } = twice(good);
    for (let n = 0; n < 9; n += 1) log.step([{ result: 'more '.repeat(400) }]);
    expect(compact(log, core, ['nothing of that']).request).toMatch(/the gift rule is fine \[#e5\]/);
    for (let n = 0; n < 9; n += 1) log.step([{ result: 'more '.repeat(400) }]);
    expect(compact(log, core, ['gifts are done [#e5] [#e3]']).request).not.toContain('<earlier_facts>');
  });

  test('never grows without bound: ten rounds stay under the target (Y5, T19)', () => {
    const log = busyLog(12, 1200);
    for (let round = 0; round < 10; round += 1) {
      const ids = log.entries.map(({ id }) => id).slice(-8);
      const entry = compact(
        log,
        core,
        ids.map((id) => `what ${id} says in a line of some length [#${id}]`),
      );
      expect(entry.receipt.tokensAfter).toBeLessThan(10_000);
      for (let n = 0; n < 9; n += 1)
        log.step([{ result: 'more '.repeat(400), input: { file_path: `f${round}-${n}` } }]);
    }
  });

  test('the first task stands word for word after every round', () => {
    const { log } = twice(good);
    const first = log.entries[0];
    const said = first?.type === 'message' ? getText(first.message) : 'none';
    expect(getText(view(log.entries).messages[0] ?? { content: [] })).toContain(said);
  });
});

test('right after the first context: the summary says that work has not begun, the task is carried (S0.14)', () => {
  const log = createLog();
  log.user(`<scenario_brief design_dir="design/r1">${'facts of the case '.repeat(3000)}</scenario_brief>`);
  compact(log, core, ['work has not begun']);
  const { messages } = view(log.entries);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  log.step([{ result: 'x' }]);
  expect(view(log.entries).messages).toHaveLength(5);
});
