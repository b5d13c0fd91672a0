/** Plays one trial again from its trace, without a model: same words and calls, tools and checkers as they are now. */
import { join } from 'node:path';
import { HarnessError, usageError } from '../../errors.ts';
import type { GraderPrompts } from '../../evaluation/graders/ask-grader.ts';
import { rememberedGrading } from '../../evaluation/graders/grading.ts';
import { loadComponents } from '../../evaluation/components/load-components.ts';
import { replayTrial, type ReplayedTrial } from '../../evaluation/rejudge/replay-trial.ts';
import { readTrace } from '../../evaluation/trial/read-trace.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import type { Results, TrialResult } from '../../scenario/result.ts';
import { currentDesignDir, outputDir } from '../../run/layout.ts';
import { readDesign } from '../../run-folder/read-design.ts';
import { readResults } from '../../run-folder/read-results.ts';
import { readState } from '../../run-folder/snapshot.ts';

export type RerunRequest = {
  sample: string;
  iteration: number;
  /** Default: the first trial that failed, else the first. */
  trial?: number | undefined;
  /** Absolute path; default: the components of the iteration. */
  components?: string | undefined;
};

export type Rerun = {
  iteration: number;
  sample: string;
  recorded: TrialResult;
} & Pick<ReplayedTrial, 'now' | 'changed'>;

export async function rerunSample(
  run: RunFolder,
  request: RerunRequest,
  { sandbox, prompts, signal }: { sandbox: Sandbox; prompts: GraderPrompts; signal: AbortSignal },
): Promise<Rerun> {
  const { iteration, sample } = request;
  const results = await readResultsOrFail(run, iteration);
  const recorded = findTrial(results, request);
  const recordedDir = join(run.dir, outputDir(iteration));
  const lines = await readTrace(recordedDir, recorded.trace);
  if (lines === undefined)
    throw new HarnessError('not_found', `${recordedDir}/${recorded.trace}: there is no such trace.`);
  const format = await readFormat(run, results.round);
  const dir = request.components ?? recordedDir;
  const { components, problems } = await loadComponents(dir, sandbox, signal);
  const loaded = components.samples.find((one) => one.sample.id === sample);
  if (loaded === undefined) {
    const why =
      problems.find((problem) => problem.component === sample)?.message ?? `${dir} has no sample "${sample}".`;
    throw new HarnessError('not_found', why);
  }
  const session = await sandbox.open(dir);
  try {
    const grading = rememberedGrading([results], prompts);
    const { trial } = recorded;
    const replay = { loaded, trial, lines, components, format, session, grading };
    const { now, changed } = await replayTrial(replay, signal);
    return { iteration, sample, recorded, now, changed };
  } finally {
    await session.close();
  }
}

async function readResultsOrFail(run: RunFolder, iteration: number): Promise<Results> {
  const results = await readResults(run, iteration);
  if (results !== undefined) return results;
  const { iterations } = await readState(run);
  const known = iterations.map((one) => one.iteration).join(', ') || 'none yet';
  throw usageError(`Run ${run.id} has no results of iteration ${iteration}; there are: ${known}.`);
}

export function findTrial(
  { samples, iteration }: Results,
  { sample, trial }: Pick<RerunRequest, 'sample' | 'trial'>,
): TrialResult {
  const found = samples.find(({ id }) => id === sample);
  if (found === undefined) {
    const known = samples.map(({ id }) => id).join(', ');
    throw usageError(`Iteration ${iteration} has no sample "${sample}"; there are: ${known}.`);
  }
  const failed = found.trials.find(({ outcome }) => outcome === 'fail') ?? found.trials[0];
  const result = trial === undefined ? failed : found.trials.find((one) => one.trial === trial);
  if (result === undefined)
    throw usageError(`Sample ${sample} has ${found.trials.length} trials; there is no trial ${trial}.`);
  return result;
}

async function readFormat(run: RunFolder, round: number): Promise<FormatSpec> {
  const dir = currentDesignDir(await readState(run), round);
  const { parts, problems } = await readDesign(join(run.dir, dir), dir);
  if (parts === undefined) throw new HarnessError('data_corrupt', `${dir} cannot be read: ${problems.join(' ')}`);
  return parts.format;
}
