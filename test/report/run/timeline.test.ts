import { describe, expect, it } from 'vitest';
import { timeline } from '../../../src/report/run/timeline.ts';
import { waitingDesk } from '../refund-desk-moments.ts';
import { refundDesk } from '../refund-desk.ts';

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
    expect(timeline(waitingDesk)[1]?.title).toBe('HITL-1.r1: open');
    expect(timeline({ ...waitingDesk, status: 'expired' })[1]?.title).toBe('HITL-1.r1: expired');
  });
});
