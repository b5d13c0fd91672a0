import { describe, expect, it } from 'vitest';
import { resultLine } from '../../../src/report/run/result-line.ts';
import { refundDesk } from '../refund-desk.ts';

describe('resultLine', () => {
  it('has exactly the keys that scripts rely on', () => {
    expect(resultLine(refundDesk())).toEqual({
      run: '20261120-0714-k3f9',
      folder: 'scenarios/refund-desk/runs/20261120-0714-k3f9',
      against: [{ title: 'SMALL SAMPLE', text: expect.stringContaining('15 samples leave room for chance') }],
      status: 'succeeded',
      verdict: 'met',
      judges: expect.objectContaining({ R1: ['checker'] }),
      rounds: 2,
      iterations: 3,
      successRate: 14 / 15,
      target: 0.85,
      compactions: { init: 1, execute: 2 },
      modelCalls: 163,
      costUsd: 1.8342,
      uncertainUsd: 0,
      costAtMostUsd: 1.8342,
      simulated: true,
      durationMs: 41_300,
    });
  });

  it('has no rate before the first iteration', () => {
    expect(resultLine(refundDesk({ iterations: [] })).successRate).toBeNull();
  });
});
