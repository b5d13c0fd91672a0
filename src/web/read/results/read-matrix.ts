/** Reads the results of every iteration of a run into one table; a file is read again only after it changed. */
import { nameLoss, nameLosses } from '../../../scenario/lost-by-user.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { omitUndefined } from '../../../omit-undefined.ts';
import { readSettledResults } from '../../../pipeline/evaluation/settled-results.ts';
import { listResultNotes } from '../../../report/run/run-outcome.ts';
import {
  isSampleDisputed,
  judgeResults,
  listDisputes,
  summariseDoubt,
} from '../../../scenario/statistics/judge-results.ts';
import type { SampleResult, TrialResult } from '../../../scenario/result.ts';
import { formatPercent } from '../../../scenario/percent.ts';
import { tallyTrials } from '../../../scenario/statistics/score.ts';
import type { ResultSource, ResultColumn } from './result-source.ts';
import type { MatrixCell, Column, Matrix, Row } from './matrix.ts';

type IterationCells = { samples: readonly (Omit<Row, 'cells'> & { cell: MatrixCell })[]; hasGraders: boolean } & Pick<
  Column,
  'metrics' | 'played' | 'rate' | 'passed' | 'passedRange' | 'total' | 'notes' | 'verdict' | 'usd'
>;

/** Maximum number of cached iterations: each takes a few hundred kilobytes when there are hundreds of samples. */
const MOST_CACHED = 200;
const cache = new Map<string, IterationCells & { stamp: string }>();

/** Omits columns without results. */
export async function readMatrix(of: ResultSource): Promise<Matrix> {
  const columns: Column[] = [];
  let hasGraders = false;
  const rows = new Map<string, Omit<Row, 'cells'> & { cells: (MatrixCell | undefined)[] }>();
  for (const column of of.columns) {
    const read = await readCells(of, column);
    if (read === undefined) continue;
    hasGraders ||= read.hasGraders;
    for (const { cell, ...about } of read.samples) {
      const cells = rows.get(about.id)?.cells ?? [];
      cells[columns.length] = cell;
      // The newest iteration's title, category and rules of a sample are shown.
      rows.set(about.id, { ...about, cells });
    }
    const { samples: _samples, hasGraders: _hasGraders, ...numbers } = read;
    columns.push({ ...column, ...numbers });
  }
  const whole = [...rows.values()].map((row) => ({ ...row, cells: columns.map((_, index) => row.cells[index]) }));
  return { columns, rows: whole, hasGraders, ...(of.run === undefined && { side: true as const }) };
}

async function readCells(
  run: ResultSource,
  { iteration, outputDir }: ResultColumn,
): Promise<IterationCells | undefined> {
  const path = `${outputDir}/results.json`;
  const found = await stat(join(run.dir, path)).catch(() => undefined);
  if (found === undefined) return undefined;
  const key = join(run.dir, path);
  const stamp = `${found.ino} ${found.mtimeMs} ${found.size}`;
  const before = cache.get(key);
  if (before?.stamp === stamp) return before;
  const results = await readSettledResults(run, iteration, outputDir);
  if (results === undefined) return undefined;
  const verdicts = results.samples.flatMap(({ trials }) => trials.flatMap((trial) => trial.verdicts));
  const hasGraders = verdicts.some(({ grader }) => grader !== undefined);
  const { successRate: rate, passed, total } = results;
  const { passedRange } = summariseDoubt(results);
  const read = {
    ...omitUndefined({ passedRange }),
    verdict: `Target ${formatPercent(results.target)}: ${judgeResults(results)}.`,
    usd: results.costUsd,
    notes: listResultNotes(results),
    ...{ rate, passed, total, hasGraders },
    samples: results.samples.map(toSampleCell),
    metrics: results.metrics ?? [],
    played: results.samples.flatMap(({ id: played, trials }) =>
      trials.map(({ trial, outcome, durationMs: ms, costUsd: usd }) => ({ sample: played, trial, outcome, ms, usd })),
    ),
  };
  cache.delete(key);
  // A label may settle a doubtful verdict at any time.
  if (listDisputes(results.samples).length === 0) cache.set(key, { ...read, stamp });
  const [oldest] = cache.keys();
  if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  return read;
}

function toSampleCell(sample: SampleResult): IterationCells['samples'][number] {
  const { id, title, category, covers, outcome, layer, cause, trials } = sample;
  const { passed, total } = tallyTrials(sample);
  const known = omitUndefined({ layer: cause ?? (layer === undefined ? undefined : String(layer)) });
  const cell: MatrixCell = {
    ...{ outcome, passed, trials: total, rejectedBy: listRejecters(trials), ...known },
    ...(outcome === 'unscored' && { loss: nameLosses(sample) }),
    ...(isSampleDisputed(sample) && { disputed: true as const }),
    ...(trials.length > 1 && { each: trials.map((trial) => trialCell(trial, known)) }),
  };
  return { id, title, category, rules: covers, cell };
}

function listRejecters(trials: readonly Pick<TrialResult, 'verdicts'>[]): string[] {
  const failed = trials.flatMap(({ verdicts }) => verdicts.filter(({ pass }) => !pass));
  return [...new Set(failed.map(({ checker }) => checker))];
}

/** The layer is the sample's, because a single failed trial is not attributed by itself. */
function trialCell(one: TrialResult, known: Pick<MatrixCell, 'layer'>): MatrixCell & { trial: number } {
  const { trial, outcome } = one;
  const tally = { passed: outcome === 'pass' ? 1 : 0, trials: 1, rejectedBy: listRejecters([one]) };
  return { trial, outcome, ...tally, ...(outcome === 'fail' ? known : {}), ...omitUndefined({ loss: nameLoss(one) }) };
}
