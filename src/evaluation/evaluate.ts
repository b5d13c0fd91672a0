/** Runs every sample through the subject, bounded in parallel, and writes `results.json`: whole, or not at all. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { attributeFailure } from '../scenario/attribute.ts';
import type { Brief } from '../scenario/brief.ts';
import type { Design } from '../scenario/design.ts';
import type { Layer, Results, SampleResult, TrialResult, Verification } from '../scenario/result.ts';
import { outcomeOf, scoreSamples } from '../scenario/score.ts';
import type { Model, ModelFacts } from '../ports/model.ts';
import type { Sandbox, SandboxSession } from '../ports/sandbox.ts';
import type { Components, LoadedSample } from './components.ts';
import { openSessions } from './open-sessions.ts';
import { runTrial, subjectOf, type DoneTrial, type Trial } from './run-trial.ts';

const SESSIONS = 2;

/** One trial is done; `layer` is told of a failed one, by its own evidence. */
export type SampleDone = {
  sample: string;
  trial: number;
  outcome: TrialResult['outcome'];
  layer?: Layer;
  done: number;
  total: number;
};

export type EvaluateInput = {
  /** Absolute path of the iteration's folder: components are read from it, traces and results written to it. */
  dir: string;
  design: Design;
  brief: Brief;
  components: Components;
  verification: Verification;
  iteration: number;
  round: number;
  /** A model for each trial; the lane is `subject/<sample>.<trial>`. */
  modelFor: (lane: string) => Model | Promise<Model>;
  maxTokens: number;
  price: ModelFacts['price'];
  /** Thinking that the subject's model must be asked for. */
  thinking?: 'adaptive' | undefined;
  sandbox: Sandbox;
  concurrency: number;
  simulated: boolean;
  componentsDigest: string;
  onSample: (done: SampleDone) => void;
  /** Wraps the work of one trial, for those who watch it; settles as the work does. */
  aroundTrial?: (sample: string, trial: number, work: () => Promise<DoneTrial>) => Promise<DoneTrial>;
  now: () => number;
  /**
   * Gives the duration of a trial that is replayed as it was the first time: agents read traces and results, and what
   * they read must be the same again, or their paid calls would not be found. Default: as measured.
   */
  durationOf?: (lane: string, measuredMs: number) => number | Promise<number>;
  signal: AbortSignal;
};

/** Contract: an abort rejects with its reason; then, and on any other error, no results are written. */
export async function evaluate(input: EvaluateInput): Promise<Results> {
  input.signal.throwIfAborted();
  const session = await openSessions(input.sandbox, input.dir, SESSIONS);
  try {
    const trials = trialsOf(input);
    const done = await runAll(trials, input, session);
    const results = resultsOf(trials, done, input);
    input.signal.throwIfAborted();
    await writeWhole(join(input.dir, 'results.json'), results);
    return results;
  } finally {
    await session.close();
  }
}

function trialsOf({ components, brief }: EvaluateInput): Trial[] {
  return components.samples
    .toSorted((a, b) => (a.sample.id < b.sample.id ? -1 : 1))
    .flatMap((loaded) => {
      const count = loaded.sample.trials ?? brief.trials;
      return Array.from({ length: count }, (_, index) => ({ loaded, trial: index + 1 }));
    });
}

/** The first failure stops the rest; it is thrown when nothing runs any more. */
async function runAll(trials: readonly Trial[], input: EvaluateInput, session: SandboxSession): Promise<DoneTrial[]> {
  const failure = new AbortController();
  const signal = AbortSignal.any([input.signal, failure.signal]);
  const limit = pLimit(input.concurrency);
  const subject = subjectOf(input);
  let done = 0;
  const runOne = async (trial: Trial): Promise<DoneTrial> => {
    signal.throwIfAborted();
    const one = await around(trial, input, () => runTrial(trial, subject, { ...input, signal }, session));
    done += 1;
    input.onSample(sampleDone(trial, one, input.verification, done, trials.length));
    return one;
  };
  const settled = await Promise.allSettled(
    trials.map((trial) =>
      limit(() =>
        runOne(trial).catch((error: unknown) => {
          failure.abort(error);
          throw error;
        }),
      ),
    ),
  );
  input.signal.throwIfAborted();
  if (failure.signal.aborted) throw failure.signal.reason;
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

function around(
  { loaded, trial }: Trial,
  { aroundTrial }: EvaluateInput,
  work: () => Promise<DoneTrial>,
): Promise<DoneTrial> {
  return aroundTrial === undefined ? work() : aroundTrial(loaded.sample.id, trial, work);
}

function sampleDone(
  { loaded, trial }: Trial,
  one: DoneTrial,
  verification: Verification,
  done: number,
  total: number,
): SampleDone {
  const { outcome } = one.result;
  const event = { sample: loaded.sample.id, trial, outcome, done, total };
  if (outcome !== 'fail') return event;
  const { problems } = verification;
  return { ...event, layer: attributeFailure({ sample: loaded.sample.id, problems, trials: [one] }).layer };
}

function resultsOf(trials: readonly Trial[], done: readonly DoneTrial[], input: EvaluateInput): Results {
  const { iteration, round, design, componentsDigest, brief, verification, sandbox, simulated } = input;
  const samples = input.components.samples
    .toSorted((a, b) => (a.sample.id < b.sample.id ? -1 : 1))
    .map((loaded) => {
      const own = done.filter((_, index) => trials[index]?.loaded === loaded);
      return sampleResult(loaded, own, verification);
    });
  return {
    version: 1,
    iteration,
    round,
    designDigest: design.digest,
    componentsDigest,
    target: brief.target,
    ...scoreSamples(samples),
    samples,
    verification,
    sandbox: sandbox.kind,
    simulated,
    costUsd: done.reduce((usd, { result }) => usd + result.costUsd, 0),
  };
}

function sampleResult({ sample }: LoadedSample, done: readonly DoneTrial[], verification: Verification): SampleResult {
  const { id, title, category, covers } = sample;
  const trials = done.map(({ result }) => result);
  const outcome = outcomeOf(trials.map((trial) => trial.outcome));
  const base = { id, title, category, covers, outcome, trials };
  if (outcome === 'pass') return { ...base, why: [] };
  if (outcome === 'unscored') return { ...base, why: done.flatMap(({ detail }) => detail ?? []) };
  const failed = done.filter(({ result }) => result.outcome === 'fail');
  return { ...base, ...attributeFailure({ sample: id, problems: verification.problems, trials: failed }) };
}

async function writeWhole(path: string, value: unknown): Promise<void> {
  const draft = `${path}.part`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`);
  await rename(draft, path);
}
