/** What a batch comes to: counted once, by scenario, with intervals that draw whole runs (C.4). */
import { describe, expect, test } from 'vitest';
import {
  batchNotes,
  countRuns,
  formatApproveCommands,
  formatRunCounts,
  groupByScenario,
  summariseAllRuns,
} from '../../../src/report/batch/summary.ts';
import { batchRow, batchSummary, waitingRow } from '../batch-rows.ts';

const STATUSES = [
  'succeeded',
  'failed',
  'rejected',
  'expired',
  'cancelled',
  'awaiting_approval',
  'paused',
  'errored',
  'unreadable',
  'not_started',
  'created',
  'designing',
  'executing',
] as const;

describe('a batch', () => {
  test('counts every run once, whatever its state', () => {
    const summary = batchSummary(STATUSES.map((status, index) => batchRow(`r${index}`, { status })));
    const counts = countRuns(summary);
    expect(counts).toEqual({ met: 1, notMet: 4, waiting: 1, stopped: 3, going: 4 });
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(STATUSES.length);
    expect(formatRunCounts({ met: 3, notMet: 0, waiting: 2, stopped: 0, going: 0 })).toBe(
      '3 met · 2 waiting at a gate',
    );
  });

  test('gives the share that met its target among those that were judged, with its interval', () => {
    const [group] = groupByScenario(
      batchSummary([
        batchRow('a'),
        batchRow('b', { status: 'failed' }),
        batchRow('c', { status: 'rejected' }),
        waitingRow('d'),
      ]),
    );
    expect(group).toMatchObject({ runs: 4, judged: 2, met: 1 });
    expect(group?.metInterval[0]).toBeGreaterThan(0);
    expect(group?.metInterval[1]).toBeLessThan(1);
  });

  test('gives the mean of the rates over runs, its interval, and the extremes', () => {
    const rated = (run: string, value: number) =>
      batchRow(run, { rate: { value, interval: [0, 1], passed: 1, total: 16, unscored: 0 } });
    const [group] = groupByScenario(batchSummary([rated('a', 0.6), rated('b', 0.8), rated('c', 1), waitingRow('d')]));
    expect(group?.mean).toMatchObject({ low: 0.6, high: 1 });
    expect(group?.mean?.value).toBeCloseTo(0.8);
    const [low, high] = group?.mean?.interval ?? [0, 0];
    expect(low).toBeGreaterThan(0.1);
    expect(low).toBeLessThan(0.6);
    expect(high).toBeGreaterThan(0.8);
  });

  test('is grouped by scenario and summed over all', () => {
    const summary = batchSummary([batchRow('a'), batchRow('b', { scenario: 'other' }), batchRow('c')]);
    expect(groupByScenario(summary).map(({ scenario, runs }) => [scenario, runs])).toEqual([
      ['refund-desk', 2],
      ['other', 1],
    ]);
    expect(summariseAllRuns(summary)).toMatchObject({ runs: 3, usd: 4.5, calls: 300, layers: { '2': 3, '4': 3 } });
  });

  test('says when it was simulated and when no person approved', () => {
    expect(batchNotes(batchSummary([batchRow('a')]))).toEqual([]);
    const notes = batchNotes(
      batchSummary([batchRow('a', { simulated: true, policyActors: ['policy:demo'] }), batchRow('b')]),
    );
    expect(notes.map(({ title }) => title)).toEqual(['SIMULATED', 'NO PERSON APPROVED']);
    expect(notes[1]?.text).toContain('In 1 run gates were answered by policy:demo');
  });
});

test('offers a decision for each design that waits, ten at most', () => {
  const digest = 'd'.repeat(64);
  const gate = { id: 'HITL-1.r1', digest, openedAt: '2026-11-20T10:00:00.000Z' };
  const rows = [
    waitingRow('a-1', { scenario: 'desk', gate }),
    waitingRow('a-2', { scenario: 'desk', gate }),
    waitingRow('b 1', { scenario: 'shop', gate }),
    batchRow('c-1'),
  ];
  expect(formatApproveCommands(batchSummary(rows))).toEqual([
    `tandem gates approve a-1 --digest ${'d'.repeat(16)} --batch bat   # desk: 2 runs with one design`,
    `tandem gates approve 'b 1' --digest ${'d'.repeat(16)}   # shop`,
  ]);
  const many = Array.from({ length: 13 }, (_, index) => waitingRow(`r${index}`, { scenario: `s${index}` }));
  expect(formatApproveCommands(batchSummary(many)).at(-1)).toBe('# and 3 more designs');
});
