import { describe, expect, it } from 'vitest';
import { RunSummary } from '../../../src/report/run/run-summary.ts';
import { refundDesk } from '../refund-desk.ts';

describe('the fixture', () => {
  it('is a summary that the schema accepts', () => {
    expect(RunSummary.parse(refundDesk()).run).toBe('20261120-0714-k3f9');
  });
});
