import { expect, test } from 'vitest';
import { renderBatchHtml } from '../../src/report/batch/html.ts';
import { renderBatchMarkdown } from '../../src/report/batch/markdown.ts';
import { renderRunHtml } from '../../src/report/html/run-html.ts';
import { renderIterationMarkdown } from '../../src/report/run/iteration-markdown.ts';
import { renderJUnit } from '../../src/report/run/junit.ts';
import { renderRunMarkdown } from '../../src/report/run/run-markdown.ts';
import { renderStatus } from '../../src/report/run/status.ts';
import { renderStepSummary } from '../../src/report/run/step-summary.ts';
import { batchRow } from './batch-rows.ts';
import { results, sample } from './makers.ts';
import { refundDesk } from './refund-desk.ts';

const GAP = 'the network is not stopped';

const reports = (sandboxGaps: string[]): Record<string, string> => {
  const found = results([sample('a')], { sandbox: 'node-permission', sandboxGaps });
  const [last] = refundDesk().iterations.slice(-1);
  const run = refundDesk({ iterations: last === undefined ? [] : [{ ...last, results: found }] });
  return {
    terminal: renderStatus(run, { columns: 200, color: false }).join('\n'),
    markdown: renderRunMarkdown(run),
    html: renderRunHtml(run, ''),
    junit: renderJUnit(run),
    'step summary': renderStepSummary(run),
    iteration: renderIterationMarkdown(found),
  };
};

test('every report tells once what the sandbox in use does not confine', () => {
  for (const [name, text] of Object.entries(reports([GAP]))) expect(text.split(GAP).length - 1, name).toBe(1);
});

test('a batch tells it once for all its runs, with how many they are', () => {
  const rows = [batchRow('a', { sandboxGaps: [GAP] }), batchRow('b', { sandboxGaps: [GAP] }), batchRow('c')];
  const summary = { batch: 'b', createdAt: '2026-11-20T10:00:00.000Z', budgetUsd: undefined, rows };
  for (const text of [renderBatchMarkdown(summary), renderBatchHtml(summary, '')]) {
    expect(text.split(GAP).length - 1).toBe(1);
    expect(text).toContain('In 2 runs generated code was not confined in everything');
  }
});

test('where nothing is known to be open, no report speaks of it', () => {
  for (const [name, text] of Object.entries(reports([]))) {
    expect(text, name).not.toMatch(/fully confined|leaves open|sandboxGaps/i);
  }
});
