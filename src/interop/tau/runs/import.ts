/** Imports recorded runs of tau-bench and tau2-bench as traces and results in our own form. */
import { createProblem } from '../../../scenario/attribution/problem-code.ts';
import type { TrialResult } from '../../../scenario/result.ts';
import { tracePath } from '../../../evaluation/trial/trace-file.ts';
import { taskDigest } from './mismatched-recordings.ts';
import { createSlugs, jsonFile, linesFile, type ImportedFiles } from '../../imported-files.ts';
import { importedResults, type ImportedTrial } from '../../imported-results.ts';
import { judgeRecorded } from './judge-recorded.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { RejudgedRow, RejudgedSet } from './rejudge.ts';
import { sumCost, toStopCause, toTrace } from './trace.ts';

export function importRecorded({ rows, refused, file }: RejudgedSet): ImportedFiles {
  const slug = createSlugs('task');
  const trials = rows.map((row, index) => {
    const sample = slug([row.run.domain, row.run.taskId].filter(Boolean).join('-'));
    const trial = rows.slice(0, index).filter(({ run }) => run.taskId === row.run.taskId).length + 1;
    return { row, lines: toTrace(row.run, sample, trial), trial: toTrial(row, sample, trial) };
  });
  const tasks = [...new Map(rows.map(({ run }) => [run.taskId, taskDigest(run)]))].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const problems = rows.flatMap(({ run }, index) =>
    run.goldErrors.map(({ message }) => goldProblem(trials[index]?.trial.sample ?? '', message)),
  );
  const unique = [...new Map(problems.map((found) => [found.message, found])).values()];
  const results = importedResults(
    trials.map(({ trial }) => trial),
    JSON.stringify(tasks),
    unique,
  );
  return {
    files: [
      jsonFile('results.json', results),
      ...trials.map(({ lines, trial }) => linesFile(trial.result.trace, lines)),
    ],
    gaps: [
      ...refused.map(({ at, message }) => `${at} was left out: ${message}`),
      ...(rows.some(({ carried }) => carried.length > 0)
        ? [`${file} does not hold the worlds; its own verdict on them was taken over`]
        : ['a recording holds only what changed in the world, so start and end of each trace hold no whole world']),
    ],
  };
}

function goldProblem(sample: string, message: string): ReturnType<typeof createProblem> {
  return { ...createProblem('gold-invalid', sample, `${sample}: its gold path raises: ${message}`), sample };
}

function toTrial({ run, pass, why, layer, toolFault }: RejudgedRow, sample: string, trial: number): ImportedTrial {
  const stop = toStopCause(run);
  const isLost = stop === 'infrastructure';
  return {
    sample,
    title: `${run.domain} task ${run.taskId}`.trim(),
    category: run.domain === '' ? 'imported' : run.domain,
    result: {
      trial,
      outcome: isLost ? 'unscored' : pass ? 'pass' : 'fail',
      stop,
      verdicts: isLost ? [] : toVerdicts(run),
      trace: tracePath(sample, trial),
      ...(toolFault !== undefined && !pass && { toolFault }),
      costUsd: sumCost(run),
      durationMs: 0,
    },
    ...(layer !== undefined && !isLost && { layer: layer === 2 ? 2 : 4 }),
    why,
  };
}

function toVerdicts(run: RecordedRun): TrialResult['verdicts'] {
  const judged = judgeRecorded(run);
  if (!judged.ok) return [];
  const parts = Object.entries(judged.components).map(([name, { value, why, by }]) => ({
    checker: name.toLowerCase().replaceAll('_', '-'),
    pass: value === 1,
    reason: value === 1 ? `as the task asks (${by})` : (why[0] ?? `not as the task asks (${by})`),
    evidence: why.slice(0, 12),
  }));
  if (judged.ended) return parts;
  return [{ checker: 'ended', pass: false, reason: `it did not end by itself: ${run.termination}`, evidence: [] }];
}
