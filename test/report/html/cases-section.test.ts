/** The report of a run shows the case table of its newest design. */
import { expect, test } from 'vitest';
import { renderRunHtml } from '../../../src/report/html/run-html.ts';
import { RunSummary } from '../../../src/report/run/run-summary.ts';
import { reviewPack } from '../review-pack.ts';
import { refundDesk } from '../refund-desk.ts';

test('each rule with its cases and demands, what is wrong, and what no sample reaches', () => {
  const { cases } = reviewPack({});
  const summary = RunSummary.parse({ ...refundDesk(), cases });
  const page = renderRunHtml(summary, '').replaceAll(/\s+/g, ' ');
  expect(page).toContain('<h2>Cases: 1 conflict, 0 gaps</h2>');
  expect(page).toContain('R4 and R8 demand different things.');
  expect(page).toMatch(/<td[^>]*>reason: damaged<\/td> <td[^>]*>refund to: card<\/td> <td[^>]*>R8<\/td>/);
  expect(renderRunHtml(refundDesk(), '')).not.toContain('<h2>Cases');
});
