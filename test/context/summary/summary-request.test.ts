/** The call that asks for a summary. */
import { describe, expect, test } from 'vitest';
import { summaryRequest, view } from '../../../src/context/index.ts';
import { getText } from '../../../src/transcript/message.ts';
import { findFault } from '../../../src/transcript/protocol.ts';
import { busyLog, compact, coreWith, createLog, cutOf } from '../../support/transcripts.ts';
import type { Log } from '../../support/transcripts.ts';

const core = coreWith();

function requestOf(log: Log, setup = core, fault?: string) {
  const request = summaryRequest(log.entries, setup, cutOf(log.entries, setup), fault);
  if (request === undefined) throw new Error('expected a request');
  const { messages, rewrittenThrough } = request;
  expect(findFault(messages, { boundThinking: true, prefill: false, rewrittenThrough })).toBeUndefined();
  return { ...request, text: getText(messages.at(-1) ?? { content: [] }) };
}

describe('summaryRequest', () => {
  test('is the live request, thinking and all, with one user message more: it reads the cache (S0.7, T14, T29)', () => {
    const log = busyLog(12);
    const { messages, shape, text } = requestOf(log);
    expect(messages.slice(0, -1)).toEqual(view(log.entries).messages);
    expect(shape).toBe('live');
    expect(text).toMatch(/^<compaction_request>/);
    expect(text).toContain('"state": "where the work stands"');
  });

  test('shows the ids that may be cited', () => {
    const { text } = requestOf(busyLog(12));
    expect(text).toContain('src/file-3.ts: read [#e7]');
    expect(text).toContain('<carried_task id="e1">');
  });

  test('has a line for each entry that is about to leave, and for no other, the newest where the cap has no room', () => {
    const log = busyLog(12);
    const cut = cutOf(log.entries, core);
    const index = (text: string) => /<entry_index>\n([\s\S]*)\n<\/entry_index>/.exec(text)?.[1]?.split('\n') ?? [];
    const whole = index(requestOf(log).text);
    const last = Number(cut.coversThrough.slice(1));
    const leaving = log.entries.filter((entry) => entry.type === 'message' && Number(entry.id.slice(1)) <= last);
    const named = leaving.filter(
      (entry) => entry.type === 'message' && (entry.origin !== 'model' || getText(entry.message) !== ''),
    );
    expect(whole.map((line) => /^\[#(e\d+)\]/.exec(line)?.[1])).toEqual(named.map(({ id }) => id));
    expect(whole.find((line) => line.startsWith('[#e3]'))).toMatch(/^\[#e3\] read src\/file-1\.ts -> /);
    expect(new Set(whole.map((line) => line.replace(/^\[#e\d+\]/, ''))).size).toBe(whole.length);
    const some = index(requestOf(log, coreWith({ facts: { index: 100 } })).text);
    expect(some[0]).toMatch(/^\(\d+ older entries left out\)$/);
    expect(some.at(-1)).toBe(whole.at(-1));
    expect(index(requestOf(log, coreWith({ facts: { index: 0 } })).text)).toEqual([]);
  });

  test('a finished answer at the end is summarised too', () => {
    const log = busyLog(12);
    log.says('All done.');
    expect(getText(requestOf(log).messages.at(-2) ?? { content: [] })).toBe('All done.');
  });

  test('the output cap is the policy’s, thinking counts (S0.8)', () => {
    expect(requestOf(busyLog(12)).maxTokens).toBe(4000);
  });

  test('the earlier summary stands in it once, as part of the live view (S0.15)', () => {
    const log = busyLog(12);
    compact(log, core, ['the tax rule is odd [#e3]']);
    for (let n = 0; n < 9; n += 1) log.step([{ result: 'more '.repeat(400) }]);
    const all = requestOf(log).messages.map(getText).join('\n');
    expect(all.match(/the tax rule is odd/g)).toHaveLength(1);
    expect(all.match(/<compaction_request>/g)).toHaveLength(1);
  });

  test('a repair says what was wrong', () => {
    expect(requestOf(busyLog(12), core, 'facts: expected array').text).toMatch(/not accepted: facts: expected array\./);
  });

  test('replacement patterns in the transcript change nothing (T27)', () => {
    const log = createLog();
    log.user("fill $& $` $' $$ {{fields}} {{facts}}");
    for (let n = 0; n < 12; n += 1) log.step([{ result: 'x '.repeat(2000) }]);
    const { text } = requestOf(log);
    expect(text).toContain("fill $& $` $' $$ {{fields}} {{facts}}");
    expect(text.match(/<carried_facts>/g)).toHaveLength(1);
  });

  test('where the live request would overflow its window, long results are shortened and thinking goes (T23)', () => {
    const log = busyLog(3, 600);
    log.step([{ result: 'a huge file '.repeat(9000) }], { think: 'read it' });
    const { messages, shape } = requestOf(log);
    expect(shape).toBe('shortened');
    expect(JSON.stringify(messages)).not.toContain('signature');
    expect(JSON.stringify(messages).length).toBeLessThan(60_000);
  });

  test('where nothing makes it fit there is none', () => {
    const log = busyLog(3);
    log.step([{ tool: 'write', input: { file_path: 'a', content: 'text '.repeat(40_000) }, result: 'ok' }]);
    expect(summaryRequest(log.entries, core, cutOf(log.entries, core))).toBeUndefined();
  });
});
