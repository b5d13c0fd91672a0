/** Where a summary goes in the view, by the policy, the model and its writer; and what an edit leaves of the last one. */
import { expect, test } from 'vitest';
import { takeSnapshot } from '../../../src/context/context-snapshot.ts';
import type { Core, Cut } from '../../../src/context/index.ts';
import { summaryPlacement } from '../../../src/context/summary/prove-compaction.ts';
import { busyLog, compact, coreWith, cutOf } from '../../support/transcripts.ts';

const core = coreWith();
const log = busyLog(12);
const cut = cutOf(log.entries, core);
const made = { summary: 'the summary', earlier: [], reason: 'threshold' };
const placeOf = (change: Partial<Core>, by: Cut['by'] = 'model') =>
  summaryPlacement(
    { snapshot: takeSnapshot(log.entries), core: { ...core, ...change }, cut: { ...cut, by } },
    made,
    'the request',
  ).place;
const placing = (place: 'user' | 'system') => ({
  policy: { ...core.policy, summary: { ...core.policy.summary, place } },
});

test('the policy decides; text of code is never the answer of the model', () => {
  expect(placeOf({})).toBe('assistant');
  expect(placeOf(placing('user'))).toBe('user');
  expect(placeOf({}, 'code')).toBe('user');
});

test('a system message only for a model that takes one in the conversation', () => {
  expect(placeOf({ ...placing('system'), model: { systemMessages: true } })).toBe('system');
  expect(placeOf(placing('system'))).toBe('user');
});

test('the block of the API is placed as it came, and thinking stays', () => {
  const block = { type: 'compaction' as const, content: 'sealed' };
  const context = { snapshot: takeSnapshot(log.entries), core, cut };
  expect(summaryPlacement(context, { ...made, block }, 'r')).toEqual({
    ...{ request: 'r', summary: 'the summary', place: 'server', block, keepsThinking: true },
  });
});

test('an edit keeps the last summary under a new request; without one it puts nothing before the retained part', () => {
  const edit = { ...cut, coversThrough: '', named: [] };
  const before = { snapshot: takeSnapshot(log.entries), core, cut: edit };
  expect(summaryPlacement(before, made, 'r').place).toBe('none');
  const again = busyLog(12);
  const { summary } = compact(again, core, ['rules [#e3]']);
  const after = { snapshot: takeSnapshot(again.entries), core, cut: edit };
  expect(summaryPlacement(after, made, 'r')).toMatchObject({ request: 'r', summary });
});
