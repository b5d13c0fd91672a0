/** What is known of a context's size: the estimate of the view, the billed calls, and the messages since the last one. */
import { expect, test } from 'vitest';
import { createUsageTracker } from '../../../src/context/view/usage-tracker.ts';
import { buildView } from '../../../src/context/view/view.ts';
import { estimateMessages } from '../../../src/transcript/tokens.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import { compact, coreWith, busyLog, createLog } from '../../support/transcripts.ts';

function track(entries: readonly Entry[]) {
  const tracker = createUsageTracker();
  for (const entry of entries) tracker.feed(entry);
  return tracker;
}

test('the load is the estimate of the view, before and after a compaction, without a finished answer at the end', () => {
  const log = busyLog(12);
  for (const change of [() => undefined, () => compact(log, coreWith()), () => log.says('All done.')]) {
    change();
    const tracker = track(log.entries);
    const { messages } = buildView(tracker.projection);
    expect(tracker.measure().load).toMatchObject({ tokens: estimateMessages(messages), messages: messages.length });
  }
});

test('every billed call of the epoch is a sample; later messages count as appended', () => {
  const log = createLog();
  log.user('go');
  log.step([{ result: 'one' }], { usage: 700 });
  log.step([{ result: 'two '.repeat(50) }], { usage: 900 });
  const { samples, sinceUsage } = track(log.entries).measure();
  expect(samples.map(({ measured }) => measured)).toEqual([700, 900]);
  const last = log.entries.at(-1);
  const appended = last?.type === 'message' ? estimateMessages([last.message]) : 0;
  expect(sinceUsage).toEqual({ billed: 910, appended });
});

test('usage of an earlier epoch says nothing of the view after a compaction', () => {
  const log = busyLog(12);
  log.step([{ result: 'x' }], { usage: 25_000 });
  compact(log, coreWith());
  expect(track(log.entries).measure().sinceUsage).toBeUndefined();
});
