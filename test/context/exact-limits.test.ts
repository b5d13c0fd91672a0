/** Each limit is where it says: at the number nothing is due, one above it is; and the view lets through what the wire takes. */
import { describe, expect, test } from 'vitest';
import { limitsOf, view } from '../../src/context/index.ts';
import { loadTargets } from '../../src/context/limits.ts';
import { NO_LOAD } from '../../src/context/plan/request-load.ts';
import { computePressure } from '../../src/context/plan/pressure.ts';
import type { Moment } from '../../src/context/plan/pressure.ts';
import type { ContextMeasurement } from '../../src/context/view/usage-tracker.ts';
import type { Block } from '../../src/transcript/message.ts';
import { coreWith, createLog } from '../support/transcripts.ts';
import { imageOf, paddedPng } from '../support/images.ts';

/** A window of 40 000 beside 4000 of output, compacted above 20 000; the floor is 500. */
function pressure(
  load: Partial<ContextMeasurement['load']>,
  trigger: object = {},
  moment: Moment = {},
  more: Partial<ContextMeasurement> = {},
) {
  const core = coreWith({ trigger: { ratio: undefined, tokens: 20_000, reserve: 2000, cold: 0.5, ...trigger } });
  const pace = { steps: [], calls: 0, cold: 0 };
  return computePressure({ load: { ...NO_LOAD, ...load }, layers: 0, samples: [], pace, ...more }, core, moment);
}

describe('what makes a compaction due (S0.6, T24)', () => {
  test.each([
    [{ tokens: 19_500 }, {}, undefined],
    [{ tokens: 19_501 }, {}, 'tokens'],
    [{ messages: 40 }, { messages: 40 }, undefined],
    [{ messages: 41 }, { messages: 40 }, 'messages'],
    [{ messages: 41 }, {}, undefined],
    [{ bytes: 1000 }, { bytes: 1000 }, undefined],
    [{ bytes: 1001 }, { bytes: 1000 }, 'bytes'],
    [{ images: 9 }, { images: 9 }, undefined],
    [{ images: 10 }, { images: 9 }, 'images'],
    [{ images: 91 }, {}, 'images'],
    [{ bytes: 30_000_001 }, {}, 'bytes'],
    [{ tokens: 30_000, messages: 2 }, { minMessages: 3 }, undefined],
    [{ tokens: 30_000, messages: 3 }, { minMessages: 3 }, 'tokens'],
    [{ tokens: 30_000, messages: 50, bytes: 1e9, images: 99 }, { messages: 40 }, 'tokens'],
    [{ messages: 50, bytes: 1e9, images: 99 }, { messages: 40 }, 'messages'],
    [{ bytes: 1e9, images: 99 }, {}, 'bytes'],
  ])('%j under %j: %s', (load, trigger, because) => {
    const found = pressure(load, trigger);
    expect([found.because, found.due]).toEqual([because, because !== undefined]);
  });

  test.each([
    [9500, true, undefined],
    [9501, true, 'cold'],
    [9501, false, undefined],
    [19_501, true, 'tokens'],
  ])('%i tokens while the cache is cold (%s): %s', (tokens, cacheCold, because) => {
    expect(pressure({ tokens }, {}, { cacheCold })).toMatchObject({ cold: cacheCold, due: because !== undefined });
    expect(pressure({ tokens }, {}, { cacheCold }).because).toBe(because);
    expect(pressure({ tokens: 9501 }, { cold: undefined }, { cacheCold }).because).toBeUndefined();
  });

  test.each([
    [35_500, false],
    [35_501, true],
  ])('%i tokens are urgent: %s', (tokens, urgent) => {
    expect(pressure({ tokens }).urgent).toBe(urgent);
  });

  test('what was billed counts more than the estimate, and what came since is added by what was learned', () => {
    const samples = [{ estimated: 1500, measured: 3000 }];
    const found = pressure({ tokens: 1 }, {}, {}, { samples, layers: 500, sinceUsage: { billed: 7000, appended: 11 } });
    expect(found).toMatchObject({ floor: 1000, source: 'usage' });
    expect(found.ratio).toBeCloseTo(3000 / 2500, 5);
    expect(found.total).toBe(7000 + Math.ceil(11 * found.ratio));
    expect(pressure({ tokens: 100 }, {}, {}, { layers: 500 })).toMatchObject({ total: 1100, source: 'estimate' });
  });
});

test('budget, trigger and target, with ratio, tokens or both (S0.2, S4.3)', () => {
  const { policy } = coreWith();
  const numbers = (trigger: object, window = 100_000) =>
    limitsOf(
      { ...policy, trigger: { ...policy.trigger, tokens: undefined, ...trigger }, target: { ratio: 0.5, least: 0.25 } },
      {
        ...{ window, maxOutput: 10_000, floor: 0 },
      },
    );
  expect(numbers({ ratio: 0.75, reserve: 5000 })).toMatchObject({ trigger: 75_000, target: 37_500, hard: 90_000 });
  expect(numbers({ ratio: 0.75, tokens: 60_001, reserve: 0 })).toMatchObject({
    trigger: 60_001,
    target: 30_000,
    hard: 90_000,
  });
  expect(numbers({ tokens: 200_000, reserve: 20_000 })).toMatchObject({
    trigger: 70_000,
    target: 35_000,
    hard: 90_000,
  });
  expect(numbers({ ratio: 0.9, reserve: 95_000 })).toMatchObject({ trigger: 0, target: 0, hard: 90_000 });
  const others = (trigger: object) => loadTargets({ ...policy, trigger: { ...policy.trigger, ...trigger } });
  expect(others({ messages: 41, bytes: 1001, images: 1 })).toEqual({ messages: 20, bytes: 500, images: 1 });
  expect(others({}).messages).toBe(Number.POSITIVE_INFINITY);
});

test('of a system message the text is marked, its images stay, and one of blanks is skipped', () => {
  const log = createLog();
  log.human('go');
  const image = imageOf(paddedPng());
  const system = (...content: Block[]) =>
    log.append({ type: 'message', origin: 'reminder', message: { role: 'system', content } });
  system({ type: 'text', text: 'Be brief.' }, image);
  const skipped = system({ type: 'text', text: ' ' });
  const { messages, receipt } = view(log.entries);
  expect(messages.map(({ content }) => content)).toEqual([
    [{ type: 'text', text: 'go' }],
    [{ type: 'text', text: '<system_message>\nBe brief.\n</system_message>' }, image],
  ]);
  expect(receipt.skipped).toEqual([skipped.id]);
});
