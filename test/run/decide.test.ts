import { describe, expect, test } from 'vitest';
import { MACHINE_VERSION } from '../../src/run/event.ts';
import { decide, isLive } from '../../src/run/decide.ts';
import {
  after,
  APPROVED,
  cancelled,
  created,
  decided,
  DESIGNED,
  designDone,
  designReturned,
  failed,
  iterationDone,
  paused,
  started,
} from '../support/run-events.ts';

describe('decide', () => {
  test('starts a created run', () => {
    expect(decide(after(created()))).toEqual({ type: 'start' });
  });

  test('lets Init design, with the reason', () => {
    expect(decide(after(created(), started()))).toEqual({ type: 'design', round: 1, reason: { kind: 'first' } });
    expect(decide(after(...APPROVED, designReturned(1, 1)))).toMatchObject({
      type: 'design',
      round: 2,
      reason: { kind: 'returned', iteration: 1 },
    });
  });

  test('waits for a person at the gate and says for what', () => {
    const command = decide(after(...DESIGNED));
    expect(command).toEqual({ type: 'wait', for: 'decision', why: 'HITL-1.r1, design design-1' });
    const long = decide(after(created(), started(), designDone(1, { digest: '0123456789abcdef' })));
    expect(long).toMatchObject({ why: 'HITL-1.r1, design 0123456789ab' });
    const quorum = after(created(), started(), designDone(1, { need: 2 }), decided(1, 'approve'));
    expect(decide(quorum)).toMatchObject({
      why: 'HITL-1.r1: 1 of 2 approvals (user:ada), 1 more of another person, design design-1',
    });
  });

  test('iterates under the approved design until a rule ends it', () => {
    expect(decide(after(...APPROVED, iterationDone(1, 0.5)))).toEqual({
      type: 'iterate',
      round: 1,
      iteration: 2,
      designDigest: 'design-1',
    });
    expect(decide(after(...APPROVED, iterationDone(1, 0.9)))).toMatchObject({
      type: 'none',
      verdict: { status: 'succeeded' },
    });
  });

  test('waits for a resume or a retry, and tells why', () => {
    expect(decide(after(created(), paused()))).toMatchObject({ for: 'resume', why: 'lunch' });
    expect(decide(after(created(), failed(true)))).toMatchObject({ for: 'retry', why: 'design.r1 failed: 529' });
  });

  test('carries no run of another machine version on, and still shows how it ended', () => {
    const now = created({}, { machineVersion: MACHINE_VERSION });
    expect(decide(after(now, started()))).toMatchObject({ type: 'design' });
    const old = created({}, { machineVersion: MACHINE_VERSION + 1 });
    expect(decide(after(old, started()))).toMatchObject({ type: 'wait', for: 'other_version' });
    expect(decide(after(old, cancelled()))).toMatchObject({ type: 'none', verdict: { status: 'cancelled' } });
  });

  test('ends at the round cap instead of designing', () => {
    const one = [created({ maxRounds: 1 }), started(), designDone(1)] as const;
    for (const last of [[decided(1, 'request_changes')], [decided(1, 'approve'), designReturned(1, 1)]]) {
      expect(decide(after(...one, ...last))).toMatchObject({ verdict: { status: 'failed', because: 'round_cap' } });
    }
  });
});

test('a run is live until it has a verdict', () => {
  expect(isLive(after(created(), paused()))).toBe(true);
  expect(isLive(after(created(), failed(true)))).toBe(true);
  expect(isLive(after(created(), cancelled()))).toBe(false);
});
