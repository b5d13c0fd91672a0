/** The report shows of each grader how far people bear it out, and nothing where there is none. */
import { expect, test } from 'vitest';
import { renderRunHtml } from '../../../src/report/html/run-html.ts';
import { GraderReport } from '../../../src/scenario/grader.ts';
import { refundDesk } from '../refund-desk.ts';

const GRADER = GraderReport.parse({
  ...{ id: 'kind-words', model: 'm-1', key: 'k', counts: true, passed: 45, judged: 60, void: 0 },
  ...{ sensitivity: 0.95, specificity: 0.9, kappa: 0.8512, next: ['asked.2'] },
  labels: { pass: 24, fail: 21, train: 10, dev: 9, otherVersion: 0 },
  corrected: { value: 0.764, interval: [0.61, 0.9] },
});
const UNKNOWN = GraderReport.parse({
  ...{ id: '<b>x', model: 'm-1', key: 'k', counts: false, why: 'nobody has labelled', passed: 1, judged: 2, void: 1 },
  ...{ next: [], labels: { pass: 0, fail: 0, train: 0, dev: 0, otherVersion: 0 } },
});

const pageWith = (graders: GraderReport[]): string => {
  const summary = refundDesk();
  const iterations = summary.iterations.map((one) =>
    one.results === undefined ? one : { ...one, results: { ...one.results, graders } },
  );
  return renderRunHtml({ ...summary, iterations }, '');
};

test('a row says whether it decides, both error rates, kappa, n, and the corrected rate with its interval', () => {
  const page = pageWith([GRADER, UNKNOWN]);
  const cells = [...page.matchAll(/<code>kind-words<\/code>[\s\S]*?<\/tr>/g)][0]?.[0].replaceAll(/<[^>]+>|\s+/g, ' ');
  for (const text of ['yes', '45 of 60', '76.4 %', '61–90 %', '95 %', '90 %', '0.85', '45'])
    expect(cells?.replaceAll(/ +/g, ' ')).toContain(text);
  expect(page).toContain('labels that would help most: asked.2');
  expect(page).toMatch(/&lt;b&gt;x<\/code>[\s\S]*?>no<[\s\S]*?not known/);
});

test('without graders there is no such section', () => {
  expect(pageWith([])).not.toContain('id="graders"');
});
