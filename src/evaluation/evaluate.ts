/** Runs every sample through the subject, bounded in parallel, and writes `results.json`: whole, or not at all. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { attributeFailure } from '../scenario/attribution/attribute-failure.ts';
import { isLostByUser } from '../scenario/lost-by-user.ts';
import type { Layer, Results, TrialResult, Verification } from '../scenario/result.ts';
import type { OpenSandbox } from '../ports/sandbox.ts';
import { HarnessError } from '../errors.ts';
import { openSessions } from './components/open-sessions.ts';
import { collectResults, describeUnscored, listEvidence, type ResultsInput } from './collect-results.ts';
import type { Trial } from './components/components.ts';
import { withLeanHeap } from './v8-heap-limits.ts';
import { judgeAgain, type JudgedAgain } from './judge/judge-again.ts';
import { runTrial, type DoneTrial, type TrialInput } from './trial/run-trial.ts';

/** One trial is done; `layer` is set for a failed one, by its own evidence. */
export type SampleDone = {
  sample: string;
  trial: number;
  outcome: TrialResult['outcome'];
  layer?: Layer;
  /** Why an unscored trial has no verdict. */
  why?: string;
  done: number;
  total: number;
};

export type EvaluateInput = Omit<TrialInput, 'onTalked'> &
  Omit<ResultsInput, 'judgedAgain'> & {
    /** Share of the trials that are judged again in fresh hosts. Default: 0.05. */
    judgeAgain?: number;
    /** A session open on `dir`, which stays open. Default: the evaluation opens and closes its own. */
    session?: OpenSandbox;
    /** Samples played at a time; as many again may wait for their verdict. */
    concurrency: number;
    onSample: (done: SampleDone) => void;
    /**
     * Resolves when this process is to play a trial, or to recall it from `memory`: workers that share the trials plug in
     * here. A waiting trial does not count for `concurrency`. Default: at once.
     */
    turnOf?: (sample: string, trial: number, signal: AbortSignal) => Promise<void>;
    /** Plays unscored trials again, and refuses results without them. Default: they stay unscored. */
    patience?: Patience | undefined;
    /** Wraps the work of one trial, for tracing and budgets; settles as the work does. */
    aroundTrial?: (sample: string, trial: number, work: () => Promise<DoneTrial>) => Promise<DoneTrial>;
  };

/** Contract: an abort rejects with its reason; then, and on any other error, no results are written. */
export async function evaluate(input: EvaluateInput): Promise<Results> {
  input.signal.throwIfAborted();
  const session = input.session ?? (await openSessions(input.sandbox, input.dir));
  try {
    const trials = listTrials(input);
    const done = await withLeanHeap(() => runAll(trials, input, session));
    const again = await judgeAgain(trials, done, { ...input, judgeAgain: input.judgeAgain ?? JUDGED_AGAIN });
    const results = collectResults(trials, done, { ...input, ...addDifferences(input.verification, again) });
    input.signal.throwIfAborted();
    await writeAtomically(join(input.dir, 'results.json'), results);
    return results;
  } finally {
    if (input.session === undefined) await session.close();
  }
}

const JUDGED_AGAIN = 0.05;

/** Adds the differences of the second judgement to the remarks: evidence for failed samples, and always shown. */
function addDifferences(
  verification: Verification,
  judgedAgain: JudgedAgain,
): Pick<ResultsInput, 'verification' | 'judgedAgain'> {
  const { remarks = [] } = verification;
  const { problems } = judgedAgain;
  return {
    judgedAgain,
    verification: problems.length === 0 ? verification : { ...verification, remarks: [...remarks, ...problems] },
  };
}

function listTrials({ components, brief }: EvaluateInput): Trial[] {
  return components.samples
    .toSorted((a, b) => (a.sample.id < b.sample.id ? -1 : 1))
    .flatMap((loaded) => {
      const count = loaded.sample.trials ?? brief.trials;
      return Array.from({ length: count }, (_, index) => ({ loaded, trial: index + 1 }));
    });
}

async function runAll(trials: readonly Trial[], input: EvaluateInput, session: OpenSandbox): Promise<DoneTrial[]> {
  // A recorded subject is not retried: waiting does not complete the recording.
  const patience = input.recording === undefined ? input.patience : undefined;
  let done = 0;
  const onDone = (trial: Trial, one: DoneTrial): void => {
    if (one.result.outcome !== 'unscored' || isLostByUser(one.result) || patience === undefined) done += 1;
    input.onSample({ ...toSampleDone(trial, one, input.verification), done, total: trials.length });
  };
  const play = (some: readonly Trial[]) => playTogether(some, { ...input, onDone }, session);
  return playUntilScored(trials, { play, patience, signal: input.signal });
}

type PlayTogetherInput = EvaluateInput & { onDone: (trial: Trial, one: DoneTrial) => void };

/** The first failure stops the rest; it is thrown when nothing runs any more. */
async function playTogether(
  trials: readonly Trial[],
  input: PlayTogetherInput,
  session: OpenSandbox,
): Promise<DoneTrial[]> {
  const failure = new AbortController();
  const signal = AbortSignal.any([input.signal, failure.signal]);
  const enter = createAdmission(input.concurrency);
  const runOne = async (trial: Trial, onTalked: () => void): Promise<DoneTrial> => {
    signal.throwIfAborted();
    const work = () => runTrial(trial, { ...input, onTalked, signal }, session);
    const one = await (input.aroundTrial?.(trial.loaded.sample.id, trial.trial, work) ?? work());
    input.onDone(trial, one);
    return one;
  };
  // Aborting before a place becomes free keeps the next trial from starting.
  const stopAll = (error: unknown): never => {
    failure.abort(error);
    throw error;
  };
  const settled = await Promise.allSettled(
    trials.map(async (trial) => {
      await input.turnOf?.(trial.loaded.sample.id, trial.trial, signal).catch(stopAll);
      return enter((leave) => runOne(trial, leave).catch(stopAll));
    }),
  );
  input.signal.throwIfAborted();
  if (failure.signal.aborted) throw failure.signal.reason;
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

/**
 * Limits concurrency: `places` trials hold a place until they call `leave`, and as many again may still be judged.
 * Subjects mostly wait for their model, so judging one trial must not delay the next subject.
 */
function createAdmission(places: number) {
  const [inFlight, inPlace] = [pLimit(2 * places), pLimit(places)];
  return <T>(work: (leave: () => void) => Promise<T>): Promise<T> =>
    inFlight(
      () =>
        new Promise((settle) => {
          void inPlace(() => new Promise<void>((leave) => settle(work(leave).finally(leave))));
        }),
    );
}

function toSampleDone({ loaded, trial }: Trial, one: DoneTrial, verification: Verification) {
  const { outcome } = one.result;
  const event = { sample: loaded.sample.id, trial, outcome };
  if (outcome === 'unscored') return { ...event, why: describeUnscored(one) };
  if (outcome === 'pass') return event;
  const problems = listEvidence(verification);
  return { ...event, layer: attributeFailure({ sample: loaded.sample.id, problems, trials: [one] }).layer };
}

async function writeAtomically(path: string, value: unknown): Promise<void> {
  const draft = `${path}.part`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`);
  await rename(draft, path);
}

/** Settings for replaying trials that an outage left unscored: a rate over the others alone would mislead. */
export type Patience = {
  /** Consecutive rounds without a newly scored trial before giving up. */
  tries: number;
  /** The pause before the second round; it doubles while rounds score nothing new. */
  minDelayMs: number;
  maxDelayMs: number;
  /** Called before each pause, to inform people. */
  onWait: (notice: { attempt: number; delayMs: number; reason: string }) => void;
};

type PlayRounds<Trial> = {
  play: (trials: readonly Trial[]) => Promise<DoneTrial[]>;
  /** Absent: no trial is played again, and unscored trials stay unscored. */
  patience: Patience | undefined;
  signal: AbortSignal;
};

/** Contract: the results of all trials, in their order; with patience `model_unavailable` when some cannot be scored. */
export async function playUntilScored<Trial>(
  trials: readonly Trial[],
  { play, patience, signal }: PlayRounds<Trial>,
): Promise<DoneTrial[]> {
  const done = await play(trials);
  if (patience === undefined) return done;
  let left = findUnscored(done);
  for (let vain = 1; left.length > 0;) {
    const reason = done[left[0] ?? 0]?.detail ?? 'the subject could not be reached';
    if (vain >= patience.tries) throw createUnscoredError(reason, left.length, trials.length);
    const delayMs = Math.min(patience.maxDelayMs, patience.minDelayMs * 2 ** (vain - 1));
    patience.onWait({ attempt: vain, delayMs, reason });
    await delay(delayMs, undefined, { signal });
    const again = await play(left.flatMap((place) => trials[place] ?? []));
    for (const [index, place] of left.entries()) done.splice(place, 1, ...again.slice(index, index + 1));
    const still = findUnscored(done);
    vain = still.length < left.length ? 1 : vain + 1;
    left = still;
  }
  return done;
}

function findUnscored(done: readonly DoneTrial[]): number[] {
  return done.flatMap(({ result }, place) => (result.outcome === 'unscored' && !isLostByUser(result) ? [place] : []));
}

/** The error when all retries are used up; it is not retryable, and the run is paused. */
function createUnscoredError(reason: string, left: number, all: number): HarnessError {
  const message = `${left} of ${all} trials could not be scored, so the iteration is not judged: ${reason}`;
  return new HarnessError('model_unavailable', message, { details: { means: 'wait', left, all } });
}
