/** The pace of a session as `trigger: auto` reads it from the transcript. */
import { expect, test } from 'vitest';
import { createPaceTracker } from '../../../src/context/view/usage-tracker.ts';
import { estimateMessages } from '../../../src/transcript/tokens.ts';
import { compact, coreWith, createLog, usageOf } from '../../support/transcripts.ts';

test('a step is an answer with what came back; a cold call is one whose prompt was mostly written, but for the first of an epoch', () => {
  const log = createLog();
  log.user('go');
  for (let step = 0; step < 8; step += 1) log.step([{ result: 'x '.repeat(900) }], { usage: 2000 + 900 * step });
  const answers = log.entries.filter((entry) => entry.type === 'message' && entry.origin === 'model');
  for (const [place, entry] of answers.entries())
    if (entry.type === 'message' && entry.response !== undefined)
      entry.response.usage = {
        ...usageOf(100, 10),
        [place === 5 || place === 0 ? 'cache_creation_input_tokens' : 'cache_read_input_tokens']: 9000,
      };
  const pace = createPaceTracker();
  for (const entry of log.entries) pace.feed(entry);
  const { steps, calls, cold, compacted } = pace.read();
  const [, ...rest] = log.entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
  expect(steps).toHaveLength(8);
  expect(steps.reduce((sum, one) => sum + one, 0)).toBe(estimateMessages(rest));
  expect({ calls, cold, compacted }).toEqual({ calls: 7, cold: 1, compacted: undefined });
  const made = compact(log, coreWith());
  pace.feed(made);
  expect(pace.read().compacted?.after).toBe(made.type === 'compaction' ? made.receipt.tokensAfter : 0);
});

test('a large step behind a warm cache is no pause: what the call before had sent was read', () => {
  const log = createLog();
  log.user('go');
  for (let step = 0; step < 3; step += 1) log.step([{ result: 'x '.repeat(9000) }], { usage: 2000 });
  const usages = [
    { cache_creation_input_tokens: 6600, cache_read_input_tokens: 0 },
    { cache_creation_input_tokens: 9000, cache_read_input_tokens: 6600 },
    { cache_creation_input_tokens: 24_000, cache_read_input_tokens: 600 },
  ];
  const pace = createPaceTracker();
  for (const entry of log.entries) {
    if (entry.type === 'message' && entry.response !== undefined)
      entry.response.usage = { ...usageOf(0, 10), ...usages.shift() };
    pace.feed(entry);
  }
  expect(pace.read()).toMatchObject({ calls: 2, cold: 1 });
});
