/** The end of a batch: a report over all runs, the closing lines, the outputs for a CI system, and the exit code. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atomicWrite } from '../../disk/atomic-write.ts';
import { batchDir } from '../../batch/batch.ts';
import { annotationLines, type Annotation } from '../../report/run/annotations.ts';
import { renderBatchHtml } from '../../report/batch/html.ts';
import { renderBatchJUnit } from '../../report/batch/junit.ts';
import { renderBatchMarkdown, renderBatchStepSummary } from '../../report/batch/markdown.ts';
import {
  countRuns,
  formatApproveCommands,
  groupByScenario,
  summariseAllRuns,
  type BatchRow,
  type BatchSummary,
} from '../../report/batch/summary.ts';
import { renderBatch } from '../../report/batch/terminal.ts';
import { isGitHubActions, writeJUnit, writeOutputs, writeStepSummary } from '../ci/report-results.ts';
import type { Ci } from '../ci/ci.ts';
import { terminalSize, EXIT, worstExit, type Io } from '../command-context.ts';
import { REPORT_STYLE } from '../report-style.ts';

const REPORTS = [
  ['summary.md', renderBatchMarkdown],
  ['report.html', (summary: BatchSummary) => renderBatchHtml(summary, REPORT_STYLE)],
  ['junit.xml', renderBatchJUnit],
] as const;

/** A longer table scrolls out of a terminal, so the reader is sent to the file instead. */
const MOST_ROWS = 60;

export async function finishBatch(
  summary: BatchSummary,
  project: string,
  { json, ci, io }: { json: boolean | undefined; ci: Ci; io: Io },
): Promise<number> {
  const dir = batchDir(project, summary.batch);
  await mkdir(dir, { recursive: true });
  for (const [name, render] of REPORTS) await atomicWrite(join(dir, name), render(summary));
  await writeJUnit(ci.plan.junit, renderBatchJUnit(summary), io);
  const worst = worstExit(summary.rows.map(({ exit }) => exit));
  const code = worst === EXIT.waiting ? ci.plan.gateExitCode : worst;
  const rows = io.screen === undefined ? batchLines(summary, io) : [];
  for (const line of [...rows, ...formatBatchClosing(summary, dir, code)]) io.err(line);
  await reportBatchToCi(summary, { dir, code, takeCommands: ci.takeCommands }, io);
  if (json === true) io.out(JSON.stringify({ ...toJsonResult(summary, dir), exit: code }));
  return code;
}

export function batchLines(summary: BatchSummary, io: Io): string[] {
  return renderBatch(summary, new Map(), { ...terminalSize(io, 120), height: MOST_ROWS });
}

/** Says how to decide on the gates that wait in a batch; empty when none waits. */
export function formatGateLines(summary: BatchSummary): string[] {
  const commands = formatApproveCommands(summary);
  if (commands.length === 0) return [];
  return [
    `gates    tandem serve                               # all of them on one page`,
    `         tandem gates list --batch ${summary.batch}`,
    ...commands.map((command, index) => `${index === 0 ? 'decide' : '      '}   ${command}`),
  ];
}

function formatBatchClosing(summary: BatchSummary, dir: string, code: number): string[] {
  const { batch } = summary;
  return [
    '',
    `report   ${join(dir, 'report.html')}`,
    `         ${join(dir, 'summary.md')}`,
    ...formatGateLines(summary),
    ...(code === EXIT.met || code === EXIT.notMet || code === EXIT.rejected
      ? []
      : [`go on    tandem batch --resume ${batch}`]),
  ];
}

type BatchEnd = { dir: string; code: number; takeCommands: () => void };

async function reportBatchToCi(summary: BatchSummary, { dir, code, takeCommands }: BatchEnd, io: Io): Promise<void> {
  const { met, notMet, waiting, stopped, going } = countRuns(summary);
  const places = { report: join(dir, 'report.html'), junit: join(dir, 'junit.xml') };
  const counts = { runs: summary.rows.length, met, not_met: notMet, waiting, stopped, unfinished: going };
  const { usd, uncertainUsd = 0 } = summariseAllRuns(summary);
  const cost = { cost_usd: usd, uncertain_usd: uncertainUsd };
  await writeOutputs({ batch: summary.batch, exit_code: code, ...counts, ...cost, ...places }, io);
  await writeStepSummary(renderBatchStepSummary(summary), io);
  takeCommands();
  if (isGitHubActions(io))
    for (const line of annotationLines(summary.rows.flatMap(toAnnotations), undefined)) io.err(line);
}

function toAnnotations({ run, scenario, status, why, exit, gate }: BatchRow): Annotation[] {
  if (gate !== undefined)
    return [{ level: 'notice', title: `${scenario}: ${gate.id} waits`, text: `Run ${run} waits for a decision.` }];
  if (exit === EXIT.met || exit === EXIT.timeSlice) return [];
  return [{ level: 'error', title: `${scenario}: ${status.replaceAll('_', ' ')}`, text: `Run ${run}: ${why}` }];
}

/** The single object that `--json` prints as its last line. */
function toJsonResult(summary: BatchSummary, dir: string): Record<string, unknown> {
  const { batch, budgetUsd, rows } = summary;
  const total = summariseAllRuns(summary);
  return {
    batch,
    folder: dir,
    runs: rows.length,
    ...countRuns(summary),
    costUsd: total.usd,
    uncertainUsd: total.uncertainUsd ?? 0,
    budgetUsd: budgetUsd ?? null,
    modelCalls: total.calls,
    simulated: rows.some(({ simulated }) => simulated),
    scenarios: groupByScenario(summary),
    rows,
  };
}
