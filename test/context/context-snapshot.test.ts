/** A snapshot gives every function the answers that the entries give, and reads the transcript once. */
import { describe, expect, test } from 'vitest';
import { takeSnapshot } from '../../src/context/context-snapshot.ts';
import { createIncrementalView, fallback, listItems, planCompaction, summaryRequest } from '../../src/context/index.ts';
import { POLICY_NAMES, smallCore } from '../support/policies.ts';
import { busyLog, compact, coreWith } from '../support/transcripts.ts';

const core = coreWith();

describe.each(POLICY_NAMES)('%s', (name) => {
  test('plan, request, fallback and items are the same from entries, from a snapshot, and from a follower', () => {
    const core = smallCore(name, { trigger: { tokens: 9000, reserve: 500 } });
    const { entries } = busyLog(14, 1200);
    const made = [entries, takeSnapshot(entries), createIncrementalView(core).snapshot(entries)].map((transcript) => {
      const plan = planCompaction(transcript, core, { reason: 'threshold' });
      if (plan.type !== 'cut') throw new Error(plan.type);
      return JSON.stringify([
        plan,
        summaryRequest(transcript, core, plan),
        fallback(transcript, core, plan, 'timeout'),
        listItems(transcript, core),
      ]);
    });
    expect(new Set(made).size).toBe(1);
  });
});

test('units, sources and facts are computed once; facts again for another gate', () => {
  const snapshot = takeSnapshot(busyLog(4).entries);
  expect(snapshot.units).toBe(snapshot.units);
  expect(snapshot.sources).toBe(snapshot.sources);
  const facts = snapshot.facts(core.policy, undefined);
  expect(snapshot.facts(core.policy, undefined)).toBe(facts);
  expect(snapshot.facts(core.policy, 'HITL-1.r2').text).toContain('HITL-1.r2');
});

test('measuring needs no second projection', () => {
  const snapshot = takeSnapshot(busyLog(4).entries);
  expect(snapshot.measure().load.messages).toBe(9);
  expect(snapshot.projection).toBe(snapshot.projection);
});

test('a follower hands out the same snapshot until an entry is appended', () => {
  const log = busyLog(12);
  const follower = createIncrementalView(core);
  const first = follower.snapshot(log.entries);
  expect(follower.snapshot(log.entries)).toBe(first);
  compact(log, core);
  const second = follower.snapshot(log.entries);
  expect(second).not.toBe(first);
  expect(second.projection.compaction?.id).toBe(log.entries.at(-1)?.id);
});
