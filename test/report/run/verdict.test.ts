import { describe, expect, it } from 'vitest';
import { notesOf, toneOf, verdict } from '../../../src/report/run/verdict.ts';
import { waitingDesk } from '../refund-desk-moments.ts';
import { refundDesk } from '../refund-desk.ts';

describe('verdict', () => {
  it.each([
    ['good', ['succeeded']],
    ['bad', ['failed', 'rejected', 'expired', 'errored', 'unreadable']],
    ['warn', ['awaiting_approval', 'paused', 'cancelled']],
    ['plain', ['not_started', 'created', 'designing', 'executing']],
  ] as const)('is %s in every report for %j', (tone, statuses) => {
    expect(statuses.map(toneOf)).toEqual(statuses.map(() => tone));
  });

  it('names the gate that waits, and the score', () => {
    expect(verdict(waitingDesk)).toMatchObject({ tone: 'warn', title: 'Waiting for a person at HITL-1.r1' });
    expect(verdict(refundDesk()).detail).toBe(
      '14 of 15 samples passed (93.3 %, 95 % interval 70.1–98.8 %). Target 85 %.',
    );
  });

  it('says beside the number what weakens it: simulation, policies at the gate, chance', () => {
    expect(notesOf(refundDesk()).map(({ title }) => title)).toEqual([
      'SIMULATED',
      'NO PERSON APPROVED',
      'SMALL SAMPLE',
    ]);
    expect(notesOf(refundDesk())[1]?.text).toBe('HITL-1.r2 was answered by policy:demo, not by a person.');
    const [last] = refundDesk().iterations.slice(-1);
    const sure = last === undefined ? [] : [{ ...last, interval: [0.86, 0.98] as [number, number], unscored: 2 }];
    const real = refundDesk({
      simulated: false,
      policyActors: [],
      rounds: refundDesk().rounds.slice(0, 1),
      iterations: sure,
    });
    expect(notesOf(real).map(({ title }) => title)).toEqual(['UNSCORED']);
  });
});
