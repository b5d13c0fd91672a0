import { describe, expect, it } from 'vitest';
import { renderStatus } from '../../../src/report/run/status.ts';
import { displayWidth } from '../../../src/report/text/width.ts';
import { HOSTILE, infected } from '../hostile.ts';
import { refundDesk } from '../refund-desk.ts';

describe('renderStatus', () => {
  it('fits in a few rows', () => {
    expect(renderStatus(refundDesk({ simulated: false, policyActors: [], rounds: [] }), { columns: 80, color: false }))
      .toMatchInlineSnapshot(`
        [
          "refund-desk  20261120-0714-k3f9",
          "Target met",
          "Against this number: SMALL SAMPLE",
          "Iteration 3 passed 14 of 15 samples; the target of 85 % is met under design r2.",
          "▅▇█  i1 60 %  i2 80 %  i3 93.3 %  target 85 %",
          "0 rounds · 3 iterations · $1.83 of $25.00 · 163 model calls · 3 compactions ·",
          "41.3 s",
          "SMALL SAMPLE: The rate meets the target, but 15 samples leave room for chance:",
          "the true rate may be as low as 70.1 %, the lower bound of the interval. Add",
          "samples, or hold the lower bound to the target.",
        ]
      `);
  });

  it('tells how long the answers were waited for, once times were taken', () => {
    const { spend } = refundDesk();
    const text = renderStatus(refundDesk({ spend: { ...spend, ms: 724_000 } }), { columns: 100, color: false }).join(
      '\n',
    );
    expect(text).toContain('163 model calls in 12 min 04 s');
  });

  it('says SIMULATED and NO PERSON APPROVED', () => {
    const text = renderStatus(refundDesk(), { columns: 100, color: false }).join('\n');
    expect(text).toContain(' SIMULATED ');
    expect(text).toContain('NO PERSON APPROVED: HITL-1.r2 was answered by policy:demo');
  });

  it.each(HOSTILE)('keeps to the screen when every text is %j', (text) => {
    for (const columns of [1, 7, 80])
      for (const line of renderStatus(
        infected(refundDesk(), () => text),
        { columns, color: false },
      )) {
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(/\p{Cc}/u);
      }
  });
});
