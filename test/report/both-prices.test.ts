/** What came from batches is on every screen that shows what a run cost, with what it would have cost live (13.11). */
import { expect, test } from 'vitest';
import { renderRunHtml } from '../../src/report/html/run-html.ts';
import { resultLine } from '../../src/report/run/result-line.ts';
import { renderRunMarkdown } from '../../src/report/run/run-markdown.ts';
import { renderStatus } from '../../src/report/run/status.ts';
import { renderStepSummary } from '../../src/report/run/step-summary.ts';
import { refundDesk } from './refund-desk.ts';

const batches = { usd: 0.75, calls: 40 };
const total = { usd: 3, calls: 50, byAgent: { subject: { usd: 0.75, calls: 40, batches } } };
const run = refundDesk({ spend: { ...total, batches } });
const live = refundDesk({ spend: total });
const SAYS = /40 calls came from batches for \$0\.75; live the same would cost \$1\.50/;

test.each<[string, (of: typeof run) => string]>([
  ['tandem status', (of) => renderStatus(of, { columns: 400, color: false }).join('\n')],
  ['summary.md', renderRunMarkdown],
  ['the CI summary', renderStepSummary],
  ['report.html', (summary) => renderRunHtml(summary, '')],
])('%s', (_name, render) => {
  // Markdown escapes the dollar.
  expect(render(run).replaceAll('\\', '')).toMatch(SAYS);
  expect(render(live)).not.toContain('came from batches');
});

test('--json', () => {
  expect(resultLine(run).batches).toEqual({ usd: 0.75, calls: 40, liveUsd: 1.5 });
  expect(resultLine(live)).not.toHaveProperty('batches');
});
