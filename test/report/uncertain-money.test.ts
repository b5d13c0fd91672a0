/** What failed calls may have cost is on every screen that shows what a run or a batch cost. */
import { expect, test } from 'vitest';
import { ReviewPack } from '../../src/gate/rules/review-pack.ts';
import { isOverBudget } from '../../src/report/gate/review-texts.ts';
import { renderBatchHtml } from '../../src/report/batch/html.ts';
import { renderBatchMarkdown, renderBatchStepSummary } from '../../src/report/batch/markdown.ts';
import { summariseAllRuns } from '../../src/report/batch/summary.ts';
import { renderBatch } from '../../src/report/batch/terminal.ts';
import { renderReviewMarkdown } from '../../src/report/gate/review-markdown.ts';
import { renderReviewTerminal } from '../../src/report/gate/review-terminal.ts';
import { renderRunHtml } from '../../src/report/html/run-html.ts';
import { EMPTY_VIEW, reduceProgress } from '../../src/report/live/progress-view.ts';
import { renderLive } from '../../src/report/live/render-live.ts';
import { resultLine } from '../../src/report/run/result-line.ts';
import { renderRunMarkdown } from '../../src/report/run/run-markdown.ts';
import { renderStatus } from '../../src/report/run/status.ts';
import { renderStepSummary } from '../../src/report/run/step-summary.ts';
import { batchRow, batchSummary } from './batch-rows.ts';
import { refundDesk } from './refund-desk.ts';
import { reviewPack } from './review-pack.ts';

const spend = {
  usd: 1,
  uncertainUsd: 0.25,
  calls: 3,
  failed: 2,
  byAgent: { init: { usd: 1, uncertainUsd: 0.25, calls: 3 } },
};
const run = refundDesk({ spend });
const batch = batchSummary([batchRow('b-001', { usd: 0.6, uncertainUsd: 0.25 }), batchRow('b-002', { usd: 0.4 })]);
const { effect } = reviewPack();
const pack = reviewPack({ effect: { ...effect, spentUsd: 1, uncertainUsd: 0.25 } });
const size = { columns: 200, color: false };
const view = reduceProgress(EMPTY_VIEW, { type: 'spend', totalUsd: 1, uncertainUsd: 0.25, calls: 3 });

test.each<[string, () => string]>([
  ['tandem status', () => renderStatus(run, size).join('\n')],
  ['the live screen', () => renderLive(view, 200).join('\n')],
  ['summary.md', () => renderRunMarkdown(run)],
  ['the CI summary', () => renderStepSummary(run)],
  ['report.html', () => renderRunHtml(run, '')],
  ['a batch on the terminal', () => renderBatch(batch, new Map(), { ...size, height: 40 }).join('\n')],
  ['a batch as a page', () => renderBatchHtml(batch, '')],
  ['a batch in Markdown', () => renderBatchMarkdown(batch)],
  ['the CI summary of a batch', () => renderBatchStepSummary(batch)],
  ['the gate on the terminal', () => renderReviewTerminal(pack, size).join('\n')],
  ['the gate in Markdown', () => renderReviewMarkdown(pack)],
])('%s', (_name, render) => {
  expect(render()).toMatch(/\$1\.00 \+ up to \$0\.25 uncertain|\$1\.00–1\.25/);
});

test('--json has both sums, and the cap of a gate counts both', () => {
  expect(resultLine(run)).toMatchObject({ costUsd: 1, uncertainUsd: 0.25 });
  expect(summariseAllRuns(batch)).toMatchObject({ usd: 1, uncertainUsd: 0.25 });
  const tight = { ...effect, spentUsd: 1, estimateUsd: 1, budgetUsd: 2.1 };
  expect(isOverBudget(ReviewPack.parse(reviewPack({ effect: tight })))).toBe(false);
  expect(isOverBudget(ReviewPack.parse(reviewPack({ effect: { ...tight, uncertainUsd: 0.2 } })))).toBe(true);
});
