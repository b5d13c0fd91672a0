/** What the model is shown. */
import type { Block } from '../../../src/transcript/message.ts';
import { describe, expect, test } from 'vitest';
import { acceptSummary, planCompaction, view } from '../../../src/context/index.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import type { Message } from '../../../src/transcript/message.ts';
import { getText } from '../../../src/transcript/message.ts';
import { findFault } from '../../../src/transcript/protocol.ts';
import { busyLog, compact, coreWith, createLog, summaryAnswer } from '../../support/transcripts.ts';

const core = coreWith();

function checked(entries: readonly Entry[]): Message[] {
  const { messages, rewrittenThrough } = view(entries);
  expect(findFault(messages, { boundThinking: true, prefill: false, rewrittenThrough })).toBeUndefined();
  return messages;
}

const kinds = (messages: readonly Message[]) =>
  messages.map(({ role, content }) => `${role}: ${content.map(({ type }) => type).join(' ')}`);

describe('before any compaction', () => {
  test('is the messages as they are, thinking included, in epoch e0', () => {
    const log = busyLog(2);
    const { messages, epoch, rewrittenThrough } = view(log.entries);
    expect(messages).toEqual(log.entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : [])));
    expect({ epoch, rewrittenThrough }).toEqual({ epoch: 'e0', rewrittenThrough: 0 });
  });

  test('never sends an empty answer, blank text, or a finished answer as the last message', () => {
    const log = createLog();
    log.user('go');
    log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content: [] } });
    log.append({
      type: 'message',
      origin: 'model',
      message: { role: 'assistant', content: [{ type: 'text', text: '\n\n' }] },
    });
    log.says('done', { think: 'hm' });
    expect(kinds(checked(log.entries))).toEqual(['user: text']);
    log.human('again');
    expect(kinds(checked(log.entries))).toEqual(['user: text', 'assistant: thinking text', 'user: text']);
    expect(view(log.entries).receipt.skipped).toEqual(['e2', 'e3']);
  });

  test('a call without a recorded result gets an answer, its answered siblings stay (T6, T7, S3.3)', () => {
    const log = createLog();
    log.user('go');
    log.step([{ id: 'a', result: 'fine' }, { id: 'b' }]);
    log.human('what happened?');
    const last = checked(log.entries).at(-1);
    expect(last?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: 'b', is_error: true },
      { type: 'text', text: 'what happened?' },
    ]);
  });

  test('a result that comes late or without a call is text, and of one that comes twice a line says so (T6, T8)', () => {
    const log = createLog();
    const result = (tool_use_id: string) =>
      log.append({
        type: 'message',
        origin: 'tools',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id, content: 'again' }] },
      });
    log.user('go');
    log.step([{ id: 'a', result: 'first' }, { id: 'b' }]);
    result('a');
    log.human('go on');
    result('b');
    result('z');
    const shown = checked(log.entries);
    expect(shown.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')).toHaveLength(2);
    const said = shown.slice(2).map(({ content }) => getText({ content }));
    expect(said).toEqual([
      '',
      'go on\n[Entry e4 has another result for the call a, which is left out.]',
      '[A result for the call b, which waits for none here:]\nagain',
      '[A result for the call z, which waits for none here:]\nagain',
    ]);
  });

  test('a person who speaks in the same message as results is heard, after the results (T6)', () => {
    const log = createLog();
    log.user('go');
    log.step([{ id: 'a' }]);
    log.append({
      type: 'message',
      origin: 'human',
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'stop' },
          { type: 'tool_result', tool_use_id: 'a', content: 'x' },
        ],
      },
    });
    expect(kinds(checked(log.entries)).at(-1)).toBe('user: tool_result text');
  });

  test('half surrogate pairs are replaced everywhere but in the transcript (T9)', () => {
    const log = createLog();
    log.user('a\uD83D');
    log.step([{ input: { 'k\uDE00': ['\uD83D'] }, result: [{ type: 'text', text: 'x\uDE00' }] }]);
    checked(log.entries);
    expect(JSON.stringify(log.entries)).toContain('\\ud83d');
  });

  test('also in blocks and fields that are new; thinking that has one goes back not at all', () => {
    const log = createLog();
    log.user('go');
    const cited = { type: 'text' as const, text: 'so', citations: [{ cited_text: '\uD83D' }] };
    const content: Block[] = [
      { type: 'thinking', thinking: '\uD83D', signature: 's' },
      { type: 'unknown', wire: { type: 'tomorrow', note: '\uD83D' } },
      cited,
    ];
    log.append({ type: 'message', origin: 'model', message: { role: 'assistant', content } });
    log.user('and?');
    const [, answer] = checked(log.entries);
    expect(answer?.content).toEqual([
      { type: 'unknown', wire: { type: 'tomorrow', note: '\uFFFD' } },
      { ...cited, citations: [{ cited_text: '\uFFFD' }] },
    ]);
  });
});

describe('after a compaction', () => {
  test('is request, summary, bridge, latest steps, and one text that closes the tool loop (S0.9, S0.5)', () => {
    const log = busyLog(12, 1200);
    const before = view(log.entries).messages;
    const entry = compact(log, core);
    const messages = checked(log.entries);
    expect(kinds(messages)).toEqual([
      'user: text',
      'assistant: text',
      'user: text',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: tool_use',
      'user: tool_result text',
    ]);
    expect(getText(messages[1] ?? { content: [] })).toBe(entry.summary);
    expect(messages[6]).toEqual(before.at(-3));
    expect(messages.at(-1)?.content[0]).toEqual(before.at(-1)?.content[0]);
    expect(getText(messages.at(-1) ?? { content: [] })).toMatch(/^<compaction_note>/);
  });

  test('all thinking of kept steps is gone, what comes after keeps its own (T5, Y9)', () => {
    const log = busyLog(12, 1200);
    compact(log, core);
    expect(JSON.stringify(view(log.entries).messages)).not.toContain('signature');
    log.step([{ result: 'new' }], { think: 'afterwards' });
    const { messages, rewrittenThrough } = view(log.entries);
    expect(messages.findIndex(({ content }) => content.some(({ type }) => type === 'thinking'))).toBe(rewrittenThrough);
    checked(log.entries);
  });

  test('a kept part that opens with a person needs no bridge (S0.9, T10)', () => {
    const log = busyLog(9, 1200);
    log.says('All files are read.');
    log.human('Now write the summary table.');
    log.step([{ result: 'x'.repeat(3000) }]);
    log.step([{ result: 'y'.repeat(3000) }]);
    log.step([{ result: 'z'.repeat(3000) }]);
    compact(log, core);
    const messages = checked(log.entries);
    expect(kinds(messages).slice(0, 3)).toEqual(['user: text', 'assistant: text', 'user: text']);
    expect(getText(messages[2] ?? { content: [] })).toBe('Now write the summary table.');
  });

  test('finished turns leave as whole units: no result without its call, no call without its result (S0.4, Y1-Y4)', () => {
    const log = busyLog(6, 1000);
    log.says('First part done.');
    log.human('Second part.');
    for (let n = 0; n < 6; n += 1) log.step([{ result: 'r '.repeat(500) }, { result: 's '.repeat(500) }]);
    const ends = [];
    for (let end = 9; end <= log.entries.length; end += 1) {
      const entries = log.entries.slice(0, end);
      const plan = planCompaction(entries, core, { reason: 'manual' });
      ends.push(plan.type);
      if (plan.type !== 'cut') continue;
      const made = acceptSummary(entries, core, plan, summaryAnswer({ state: 'under way', facts: [] }));
      if (made.ok) checked([...entries, { version: 1, id: 'e99', parents: [], lane: 'main', ...made.entry }]);
      else expect(made.cause).toBe('not_smaller');
    }
    expect(ends.filter((type) => type === 'defer')).toHaveLength(8);
  });

  test('a crash before the compaction is appended leaves the old view, after it the new one (T31)', () => {
    const log = busyLog(12, 1200);
    const old = view(log.entries);
    const entry = compact(log, core);
    expect(view(log.entries.filter((one) => one !== entry))).toEqual(old);
    expect(view(JSON.parse(JSON.stringify(log.entries)) as Entry[])).toEqual(view(log.entries));
  });

  test('a compaction over open calls, which the core never makes, still gives a view that can be sent (T31)', () => {
    const log = busyLog(12, 1200);
    const entry = compact(log, core);
    log.entries.pop();
    log.step([{ id: 'late' }]);
    log.append({ ...entry, type: 'compaction' });
    log.append({
      type: 'message',
      origin: 'tools',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'late', content: 'too late' }] },
    });
    expect(JSON.stringify(checked(log.entries))).toContain('too late');
  });

  test('refuses a compaction that covers an entry which does not stand before it', () => {
    const log = busyLog(12, 1200);
    const entry = compact(log, core);
    const broken = log.entries.map((one) => (one === entry ? { ...entry, coversThrough: 'e999' } : one));
    expect(() => view(broken)).toThrow(expect.objectContaining({ code: 'data_corrupt' }));
  });

  test('the receipt says how much is covered, through where, and what is shortened (S4.6)', () => {
    const log = busyLog(12, 1200);
    compact(log, core);
    expect(view(log.entries).receipt).toEqual({
      entries: 25,
      covered: 19,
      coveredThrough: 'e19',
      shortened: [],
      skipped: [],
    });
  });
});
