/** The reports of a batch say the same in Markdown, HTML, JUnit and on a terminal, and no text of an agent acts in them. */
import { describe, expect, test } from 'vitest';
import { renderBatchHtml } from '../../src/report/batch/html.ts';
import { renderBatchJUnit } from '../../src/report/batch/junit.ts';
import { updateLiveRow } from '../../src/report/batch/live-row.ts';
import { renderBatchMarkdown, renderBatchStepSummary } from '../../src/report/batch/markdown.ts';
import { renderBatch } from '../../src/report/batch/terminal.ts';
import { displayWidth } from '../../src/report/text/width.ts';
import { batchRow, batchSummary, GATE, waitingRow } from './batch-rows.ts';

const EVIL = '</td><script>alert(1)</script>\u001b[31m ]]> | `x` @team';
const summary = batchSummary(
  [
    batchRow('bat-001'),
    waitingRow('bat-002'),
    batchRow('bat-003', { status: 'errored', why: EVIL, exit: 6 }),
    batchRow('bat-004', { status: 'not_started', exit: 7 }),
  ],
  { budgetUsd: 50 },
);
const SIZE = { columns: 100, height: 40, color: false };

test('on a terminal what has not begun is faint, what is under way stands out, and the rest has the colour of its state', () => {
  const codes = (['not_started', 'created', 'designing', 'succeeded', 'expired', 'paused'] as const).map((status) => {
    const lines = renderBatch(batchSummary([batchRow('run-1', { status })]), new Map(), { ...SIZE, color: true });
    const row = lines.find((line) => line.includes('refund-desk')) ?? '';
    return row.split('\u001b[')[1]?.split('m')[0];
  });
  expect(codes).toEqual(['2', '2', '36', '32', '31', '33']);
});

describe('Markdown', () => {
  const text = renderBatchMarkdown(summary);

  test('opens with what came of it, and links each run that has a report', () => {
    expect(text).toMatch(/^# Batch `bat`: 1 met · 1 waiting at a gate · 1 stopped · 1 not finished\n/);
    expect(text).toContain('[bat-001](../../scenarios/refund-desk/runs/bat-001/out/report.html)');
    expect(text).not.toContain('[bat-004]');
    expect(text).toContain('$6.00 of $50.00');
  });

  test('shows the gates that wait and the one command that answers those that read the same', () => {
    expect(text).toContain('tandem gates approve bat-002 --digest 76650678ae61eb5c   # ');
  });

  test('has no link in a step summary, from which none would lead anywhere', () => {
    expect(renderBatchStepSummary(summary)).not.toContain('](');
  });

  test('stays text, whatever an agent wrote', () => {
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('\u001b');
  });
});

describe('HTML', () => {
  test('is one page without script or request, and says the same', () => {
    const page = renderBatchHtml(summary, '');
    expect(page).not.toMatch(/<script/i);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('1 met · 1 waiting at a gate · 1 stopped · 1 not finished');
    expect(page).toContain('href="../../scenarios/refund-desk/runs/bat-001/out/report.html"');
    expect(page).toContain('--digest 76650678ae61eb5c   # ');
  });

  test('links nothing outside of the folders of runs', () => {
    const page = renderBatchHtml(batchSummary([batchRow('x', { folder: 'javascript:alert(1)//' })]), '');
    expect(page).not.toContain('href="../../javascript:');
    expect(page).not.toContain('href="javascript:');
  });
});

test('JUnit never shows a run that waits as passed', () => {
  const xml = renderBatchJUnit(summary);
  expect(xml).toContain('tests="4" failures="0" errors="1" skipped="2"');
  expect(xml).toContain('<skipped message="waiting at HITL-1.r1"/>');
  expect(xml).not.toContain('\u001b');
});

describe('the table on a terminal', () => {
  test('has a row a run, each within the width', () => {
    const lines = renderBatch(summary, new Map([['bat-001', { text: 'samples run', share: 0.5 }]]), SIZE);
    expect(lines).toHaveLength(6);
    expect(lines[1]).toContain('█████░░░░░ samples run');
    expect(lines[2]).toContain('waits at gate');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  });

  test('shows first what needs somebody when not all rows fit', () => {
    const many = batchSummary([
      ...Array.from({ length: 30 }, (_, index) => batchRow(`bat-${index}`)),
      waitingRow('bat-99'),
    ]);
    const lines = renderBatch(many, new Map(), { ...SIZE, height: 10 });
    expect(lines).toHaveLength(9);
    expect(lines[1]).toContain('waits at gate');
    expect(lines.at(-2)).toContain('… and 25 more');
  });
});

test('a row moves with the progress of its run, and an answered gate leaves it', () => {
  const row = waitingRow('bat-002', { gate: GATE });
  const moved = updateLiveRow({ row, now: undefined }, { type: 'phase', phase: 'execute', round: 1, iteration: 1 });
  expect(moved.row).toMatchObject({ status: 'executing', round: 1, iteration: 1 });
  expect(moved.row.gate).toBeUndefined();
  const sampled = updateLiveRow(moved, {
    type: 'sample',
    iteration: 1,
    sample: 's',
    trial: 1,
    outcome: 'pass',
    done: 3,
    total: 4,
  });
  expect(sampled.now).toEqual({ share: 0.75, text: '3 of 4 trials' });
  expect(updateLiveRow(sampled, { type: 'spend', totalUsd: 9, calls: 7 }).row).toMatchObject({ usd: 9, calls: 7 });
});
