/** docs/internals/compaction-cases.md T1 - T4, T28, T33 - T36: when a context is compacted, and that it never is without end. */
import { describe, expect, test } from 'vitest';
import { afterRefusal, checkBreaker, checkWindow, refusal, shouldCompact, view } from '../../src/context/index.ts';
import { compactBy, faultOf, fit, POLICY_NAMES, shippedPolicy, smallCore } from '../support/policies.ts';
import { busyLog, createLog } from '../support/transcripts.ts';
import type { Log } from '../support/transcripts.ts';

const grow = (log: Log, steps = 9) => {
  for (let n = 0; n < steps; n += 1) log.step([{ result: 'more '.repeat(400) }]);
};
const tokensNow = (log: Log, core = smallCore('two-agent')) => shouldCompact(log.entries, core).total;

describe.each(POLICY_NAMES)('%s', (name) => {
  const core = smallCore(name);
  const told = ['the first file is odd [#e3]'];

  test('T1: a window that holds little more than the floor is refused before any call', () => {
    const { policy } = core;
    const floor = 8000;
    const window = (floor + policy.summary.maxTokens) / policy.target.ratio + 4000 + policy.trigger.reserve;
    const noTokens = { ...policy, trigger: { ...policy.trigger, tokens: undefined, ratio: 0.9 } };
    expect(() => checkWindow(noTokens, { window: floor + 3000, maxOutput: 2000, floor })).toThrow(
      expect.objectContaining({ code: 'context_overflow' }),
    );
    expect(() => checkWindow(noTokens, { window: Math.ceil(window * 2), maxOutput: 4000, floor })).not.toThrow();
  });

  test('T2: a compaction that brings nothing by measure stops the session with a typed error', () => {
    const log = busyLog(12);
    compactBy(log, core, told);
    const entry = log.entries.findLast(({ type }) => type === 'compaction');
    if (entry?.type !== 'compaction') throw new Error('not compacted');
    log.step([{ result: 'r' }], { usage: Math.round(entry.receipt.tokensBefore * 0.97) });
    expect(checkBreaker(log.entries, core.policy)).toMatchObject({
      state: 'stuck',
      error: { code: 'context_overflow' },
    });
  });

  test('T2: 200 calls in a window that is always refilled end in a refusal, not in 200 compactions', () => {
    const log = busyLog(12);
    let compactions = 0;
    for (let call = 0; call < 200; call += 1) {
      const round = fit(log, core, told);
      if (round === 'stuck') break;
      if (round?.plan.type === 'overflow') break;
      if (round?.accepted?.ok === true) compactions += 1;
      log.step([{ result: 'big '.repeat(4700) }], { usage: 19_900 });
    }
    expect(compactions).toBeLessThanOrEqual(core.policy.breaker.quickTimes + 1);
  });

  test('T3: usage of another projection is ignored; a message that is no answer compacts nothing again', () => {
    const log = busyLog(11);
    log.step([{ result: 'r' }], { usage: 25_000 });
    expect(fit(log, core, told)).toMatchObject({ accepted: { ok: true } });
    log.human('a message of a person');
    expect(shouldCompact(log.entries, core)).toMatchObject({ due: false, source: 'estimate' });
    expect(fit(log, core, told)).toBeUndefined();
  });

  test('T28: over 120 steps the prefix changes a few times, and each time for a gain that is worth it', () => {
    const log = busyLog(1, 400);
    let before = view(log.entries);
    let broken = 0;
    for (let n = 0; n < 120; n += 1) {
      log.step([{ input: { file_path: `f${n}.ts` }, result: `line ${n} `.repeat(120) }]);
      const round = fit(log, core, told);
      expect(round).not.toBe('stuck');
      const now = view(log.entries);
      const same = now.messages.slice(0, before.messages.length);
      if (JSON.stringify(same) !== JSON.stringify(before.messages)) broken += 1;
      before = now;
    }
    const rewrites = log.entries.flatMap((entry) => (entry.type === 'compaction' ? [entry.receipt] : []));
    expect(rewrites.length).toBeGreaterThan(0);
    expect(broken).toBe(rewrites.length);
    expect(rewrites.length).toBeLessThan(20);
    for (const { tokensBefore, tokensAfter } of rewrites) expect(tokensAfter).toBeLessThan(tokensBefore * 0.95);
  });

  test('T33: one prompt with many steps is compacted inside its run', () => {
    const log = busyLog(2, 400);
    for (let n = 0; n < 60; n += 1) {
      log.step([{ result: 'word '.repeat(600) }]);
      const round = fit(log, core, told);
      expect(round).not.toBe('stuck');
      expect(tokensNow(log, core)).toBeLessThanOrEqual(20_000);
    }
  });

  test('T33: the shipped trigger leaves room for the answer and the next results, on every window', () => {
    for (const window of [200_000, 1_000_000]) {
      const shipped = { ...core, policy: shippedPolicy(name), budget: { window, maxOutput: 16_000, floor: 10_000 } };
      const { trigger, hard } = shouldCompact([], shipped);
      expect(trigger).toBeLessThanOrEqual(hard - shipped.policy.trigger.reserve);
      expect(trigger).toBeGreaterThan(window * 0.6);
    }
  });

  test('T34: a single user turn can be cut', () => {
    const log = busyLog(60, 800);
    const { plan, accepted } = compactBy(log, core, told);
    expect(plan.type).toBe('cut');
    expect(accepted).toMatchObject({ ok: true });
    expect(faultOf(log.entries)).toBeUndefined();
  });

  test('T35, Y8: a huge tail ends under the target, or in a typed overflow that holds every try', () => {
    const tails: ((log: Log) => void)[] = [
      (log) => log.step([{ result: 'a huge file\n'.repeat(9000) }]),
      (log) => log.step([{ tool: 'write', input: { file_path: 'a', content: 'text '.repeat(20_000) }, result: 'ok' }]),
      (log) => log.human('please read this: '.concat('word '.repeat(30_000))),
      (log) => log.step(Array.from({ length: 6 }, () => ({ result: 'x y z '.repeat(2500) }))),
    ];
    for (const tail of tails) {
      const log = busyLog(6, 800);
      tail(log);
      const { plan, accepted } = compactBy(log, core, undefined);
      if (plan.type === 'overflow') {
        expect(plan.error).toMatchObject({ code: 'context_overflow' });
        expect(plan.error.details['tried']).not.toHaveLength(0);
        continue;
      }
      expect(accepted).toMatchObject({ ok: true });
      expect(shouldCompact(log.entries, core)).toMatchObject({ due: false, urgent: false });
      expect(faultOf(log.entries)).toBeUndefined();
    }
  });

  test('T36: after a compaction none is due, however often it is asked', () => {
    const log = busyLog(14);
    expect(fit(log, core, told)).toMatchObject({ accepted: { ok: true } });
    const { length } = log.entries;
    for (let n = 0; n < 5; n += 1) expect(fit(log, core, told)).toBeUndefined();
    expect(log.entries).toHaveLength(length);
  });
});

test('T4: failures of transport are counted like any other, per cause, and end the tries', () => {
  const { policy } = smallCore('two-agent');
  const log = busyLog(12);
  for (let n = 0; n < policy.breaker.perCause; n += 1) {
    expect(checkBreaker(log.entries, policy).state).toBe('closed');
    log.append(refusal('transport', 'ECONNRESET'));
    const next = afterRefusal(log.entries, policy, { cause: 'transport', urgent: false, repairs: 0 });
    expect(next).toBe(n + 1 < policy.breaker.perCause ? 'later' : 'fallback');
  }
  expect(checkBreaker(log.entries, policy)).toMatchObject({ state: 'open', cause: 'transport' });
});

test('T2: a manual compaction neither closes nor opens the breaker', () => {
  const core = smallCore('two-agent');
  const log = busyLog(12);
  for (let n = 0; n < 3; n += 1) log.append(refusal('schema', 'no luck'));
  const { accepted } = compactBy(log, core, undefined, 'manual');
  expect(accepted).toMatchObject({ ok: true, entry: { receipt: { reason: 'fallback:timeout' } } });
  grow(log);
  log.append(refusal('schema', 'no luck'));
  expect(checkBreaker(log.entries, core.policy)).toMatchObject({ state: 'open', count: 4 });
});

test('T28: a rewrite that saves little is not made, although an edit would be possible', () => {
  const core = smallCore('budgeted');
  const log = createLog();
  log.user('go');
  for (let turn = 0; turn < 4; turn += 1) {
    log.step([{ result: 'small' }]);
    log.says(`Part ${turn} is done. ${'It took many words. '.repeat(250)}`);
    log.human(`part ${turn + 1}`);
  }
  const { plan } = compactBy(log, core, ['nothing [#e1]'], 'manual');
  expect(plan).toMatchObject({ type: 'cut', by: 'model' });
});
