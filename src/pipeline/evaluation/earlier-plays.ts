/** Replays the conversations of the previous iteration on the components of this one, to distinguish a repair from a subject that spoke differently. */
import { join } from 'node:path';
import type { Components } from '../../evaluation/components/components.ts';
import type { GraderPrompts } from '../../evaluation/graders/ask-grader.ts';
import { rememberedGrading } from '../../evaluation/graders/grading.ts';
import { replayTrial } from '../../evaluation/rejudge/replay-trial.ts';
import { readTrace } from '../../evaluation/trial/read-trace.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { outputDir } from '../../run/layout.ts';
import { changedFiles, isDecidedBy } from '../../scenario/changed-files.ts';
import type { FormatSpec } from '../../scenario/design.ts';
import type { Outcome, Results, SampleResult } from '../../scenario/result.ts';
import { toSampleOutcome } from '../../scenario/statistics/score.ts';

/** `before` are the results of the iteration before, `session` is open on the components of this one. */
type EarlierInput = {
  run: RunFolder;
  before: Results | undefined;
  components: Components;
  format: FormatSpec;
  session: OpenSandbox;
  prompts: GraderPrompts;
};

/** Contract: calls no model; samples that nothing changed for are not played. */
export async function withEarlierPlays(results: Results, input: EarlierInput, signal: AbortSignal): Promise<Results> {
  const { before } = input;
  if (before === undefined) return results;
  const changed = changedFiles(results, before);
  const samples: SampleResult[] = [];
  for (const sample of results.samples) {
    const was = before.samples.find(({ id }) => id === sample.id);
    const isSame = was === undefined || (was.setting === sample.setting && !isDecidedBy(changed, was, sample));
    const earlier = isSame ? undefined : await earlierPlay(sample, { ...input, before, was }, signal);
    samples.push(earlier === undefined ? sample : { ...sample, earlier });
  }
  return { ...results, samples };
}

type Earlier = EarlierInput & { before: Results; was: SampleResult };

/** Undefined where a trial was not played to its end, cannot be read, or is up to a grader that has not judged it. */
async function earlierPlay(
  { id, setting }: SampleResult,
  { run, before, was, components, format, session, prompts }: Earlier,
  signal: AbortSignal,
): Promise<SampleResult['earlier']> {
  const loaded = components.samples.find(({ sample }) => sample.id === id);
  const grading = rememberedGrading([before], prompts);
  let alike = setting !== undefined && setting === was.setting;
  const outcomes: Outcome[] = [];
  for (const { trial, trace, outcome } of was.trials) {
    if (loaded === undefined || outcome === 'unscored') return undefined;
    const lines = await readTrace(join(run.dir, outputDir(before.iteration)), trace).catch(() => undefined);
    if (lines === undefined) return undefined;
    const replay = { loaded, trial, lines, components, format, session, grading };
    const { now, changed, ungraded } = await replayTrial(replay, signal);
    if (ungraded) return undefined;
    alike &&= changed.length === 0;
    outcomes.push(now.outcome);
  }
  return { outcome: toSampleOutcome(outcomes), alike };
}
