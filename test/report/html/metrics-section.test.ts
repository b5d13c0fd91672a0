/** Numbers of checkers and graders on the report page: with intervals, beside those of the iteration before. */
import { expect, test } from 'vitest';
import { renderRunHtml } from '../../../src/report/html/run-html.ts';
import { MetricReport } from '../../../src/scenario/metric.ts';
import { refundDesk } from '../refund-desk.ts';

const SCORE = MetricReport.parse({
  ...{ checker: 'tone<b>', name: 'score', mean: 0.75, interval: [0.5, 1], min: 0.25, max: 1, samples: 4, trials: 8 },
});
const FEW = MetricReport.parse({
  checker: 'tone<b>',
  name: 'words',
  mean: 12,
  min: 10,
  max: 14,
  samples: 2,
  trials: 2,
});

const pageWith = (metrics: MetricReport[], before?: MetricReport[]): string => {
  const summary = refundDesk();
  let left = summary.iterations.filter(({ results }) => results !== undefined).length;
  const iterations = summary.iterations.map((one) => {
    if (one.results === undefined) return one;
    left -= 1;
    const own = left === 0 ? metrics : (before ?? []);
    return { ...one, results: { ...one.results, metrics: own } };
  });
  return renderRunHtml({ ...summary, iterations }, '');
};
const rowOf = (page: string, name: string) =>
  new RegExp(`<td[^>]*><code>${name}</code></td>[\\s\\S]*?</tr>`)
    .exec(page)?.[0]
    .replaceAll(/<[^>]+>|\s+/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();

test('a row has the mean, its interval, the mean before, the range, and how many samples and trials it is of', () => {
  const page = pageWith([SCORE, FEW], [{ ...SCORE, mean: 0.5 }]);
  expect(rowOf(page, 'score')).toBe('score 0.75 0.5 to 1 0.5 0.25 to 1 4 8');
  expect(rowOf(page, 'words')).toBe('words 12 – – 10 to 14 2 2');
  expect(page).toContain('<code>tone&lt;b&gt;</code>');
});

test('without numbers there is no such section', () => {
  expect(pageWith([])).not.toContain('id="metrics"');
});
