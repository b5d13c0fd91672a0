/** The prompt cache has expired when a gate was answered days later: told by the journal's times alone (S0.6, T28). */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import type { LoadedAgent } from '../../../src/agent/definition.ts';
import { computeIdleMs, createCacheClock } from '../../../src/pipeline/steps/cache-expiry.ts';
import type { RunEvent } from '../../../src/run/event.ts';
import { shippedPolicy } from '../../support/policies.ts';
import { created, decided, designDone, started, type Happened } from '../../support/run-events.ts';
import { scratch } from '../../support/scratch.ts';

const MINUTE = 60_000;
const BEGAN = Date.parse('2026-11-20T10:00:00.000Z');

/** Each event with the minute in which it came. */
function journal(...told: [minute: number, event: Happened][]): RunEvent[] {
  return told.map(([minute, { body, actor }], seq) => ({
    ...{ seq, prev: '', hash: '', body, actor },
    ts: new Date(BEGAN + minute * MINUTE).toISOString(),
  }));
}
const asked = (round: number) => decided(round, 'request_changes');
const later = (body: RunEvent['body']): Happened => ({ body, actor: 'user:ada' });

describe('how long an agent was idle', () => {
  test('is the time from its last step to the event that asks for the next', () => {
    const events = journal([0, created()], [1, started()], [5, designDone(1)], [3005, asked(1)]);
    expect(computeIdleMs(events, 'init')).toBe(3000 * MINUTE);
  });

  test('does not count what comes after that: a pause, a reminder, the step that is tried again', () => {
    const events = journal(
      ...([
        [0, created()],
        [1, started()],
        [5, designDone(1)],
        [7, asked(1)],
        [8, later({ type: 'step.begun', step: 'design.r2' })],
        [90, later({ type: 'run.paused', reason: 'user', detail: '' })],
        [9000, later({ type: 'run.resumed' })],
      ] as [number, Happened][]),
    );
    expect(computeIdleMs(events, 'init')).toBe(2 * MINUTE);
  });

  test('is 0 for an agent that has not worked yet, and is its own', () => {
    const events = journal([0, created()], [1, started()], [5, designDone(1)], [3005, decided(1, 'approve')]);
    expect(computeIdleMs(events, 'execute')).toBe(0);
    expect(computeIdleMs(events.slice(0, 2), 'init')).toBe(0);
    expect(computeIdleMs([], 'init')).toBe(0);
  });
});

describe('the moment of a step', () => {
  async function runAt(minutes: number) {
    const scenarioDir = join(await scratch(), 'refund-desk');
    await mkdir(scenarioDir);
    let now = BEGAN;
    const clock = { now: () => new Date(now) };
    const store = openFileRunStore({ roots: [], clock, worker: 'w' });
    const run = await store.create(scenarioDir, '20261120-100000-a1b2c3');
    for (const [length, { body, actor }] of [created(), started(), designDone(1), asked(1)].entries()) {
      if (body.type === 'gate.decided') now += minutes * MINUTE;
      await run.journal.append(body, actor, length);
    }
    // Only the parts that the timing looks at.
    const agent = { definition: { name: 'init' }, policy: shippedPolicy('two-agent') } as LoadedAgent;
    return createCacheClock(run, agent);
  }

  test('is cold for its first call when the gate was answered after the cache had expired, and warm for the rest', async () => {
    const moment = await runAt(3 * 24 * 60);
    expect([moment(), moment(), moment()]).toEqual([{ cacheCold: true }, { cacheCold: false }, { cacheCold: false }]);
  });

  test.each([
    [4.9, false],
    [5, true],
  ])('%f minutes at the gate: cold is %s (the cache lives five)', async (minutes, cold) => {
    expect((await runAt(minutes))()).toEqual({ cacheCold: cold });
  });
});
