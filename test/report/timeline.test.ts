import { describe, expect, it } from 'vitest';
import { timeline } from '../../src/report/timeline.ts';
import { refundDesk } from './refund-desk.ts';

const waiting = refundDesk({
  status: 'awaiting_approval',
  why: 'Design r1 waits.',
  rounds: [{ round: 1, digest: '4be2a9c01f77d3aa51e0', comment: '', rules: 10 }],
  iterations: [],
  compactions: [],
  policyActors: [],
});

describe('timeline', () => {
  it('tells designs, decisions with their actors, iterations and the end in order', () => {
    expect(timeline(refundDesk()).map(({ title, actor }) => [title, actor?.policy])).toEqual([
      ['Design r1', undefined],
      ['HITL-1.r1: approved', false],
      ['Iteration 1: 60 %', undefined],
      ['Iteration 2: 80 %', undefined],
      ['Design r2', undefined],
      ['HITL-1.r2: approved', true],
      ['Iteration 3: 93.3 %', undefined],
      ['Target met', undefined],
    ]);
  });

  it('shows an open gate as open and an expired one as expired', () => {
    expect(timeline(waiting)[1]?.title).toBe('HITL-1.r1: open');
    expect(timeline({ ...waiting, status: 'expired' })[1]?.title).toBe('HITL-1.r1: expired');
  });
});
