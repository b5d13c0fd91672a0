import { describe, expect, it } from 'vitest';
import { buildTimeline } from '../../../src/report/run/timeline.ts';
import { waitingDesk } from '../refund-desk-moments.ts';
import { refundDesk } from '../refund-desk.ts';

describe('timeline', () => {
  it('tells designs, decisions with their actors, iterations and the end in order', () => {
    expect(buildTimeline(refundDesk()).map(({ title, actor }) => [title, actor?.policy])).toEqual([
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

  it('tells what people said to agents at work, before what came of it, and what nobody read yet', () => {
    const said = { agent: 'execute', actor: 'user:ada', at: '2026-11-23T10:00:00.000Z', text: 'In euro.' };
    const steering = [
      { ...said, step: 'execute.i2', entry: 'e40' },
      { ...said, step: 'execute.i4' },
    ];
    const told = buildTimeline({ ...refundDesk(), steering });
    expect(told.map(({ title }) => title).filter((_, place) => [3, 4, 8].includes(place))).toEqual([
      'Said to execute during execute.i2',
      'Iteration 2: 80 %',
      'Said to execute during execute.i4',
    ]);
    expect(told[3]).toMatchObject({ text: expect.stringContaining('read at e40'), quotes: ['In euro.'] });
    expect(told[8]).toMatchObject({ text: expect.stringContaining('not read'), actor: { name: 'user:ada' } });
  });

  it('marks an iteration as good by the number that the run is held to', () => {
    const tones = (summary: ReturnType<typeof refundDesk>) =>
      buildTimeline(summary).flatMap(({ kind, tone }) => (kind === 'iteration' ? [tone] : []));
    expect(tones(refundDesk())).toEqual(['plain', 'plain', 'good']);
    expect(tones({ ...refundDesk(), gate: 'lower-bound' })).toEqual(['plain', 'plain', 'plain']);
  });

  it('shows an open gate as open and an expired one as expired', () => {
    expect(buildTimeline(waitingDesk)[1]?.title).toBe('HITL-1.r1: open');
    expect(buildTimeline({ ...waitingDesk, status: 'expired' })[1]?.title).toBe('HITL-1.r1: expired');
  });
});
