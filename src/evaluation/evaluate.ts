/** Runs every sample through the subject, bounded in parallel, and writes `results.json`: whole, or not at all. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { attributeFailure } from '../scenario/attribution/attribute-failure.ts';
import type { Layer, Results, TrialResult, Verification } from '../scenario/result.ts';
import type { SandboxSession } from '../ports/sandbox.ts';
import { HarnessError } from '../errors.ts';
import { openSessions } from './components/open-sessions.ts';
import { evidenceOf, collectResults, type ResultsInput } from './collect-results.ts';
import type { Trial } from './components/components.ts';
import { withLeanHeap } from './lean-heap.ts';
import { judgeAgain, type JudgedAgain } from './judge/judge-again.ts';
import { runTrial, type DoneTrial, type TrialInput } from './trial/run-trial.ts';

/** One trial is done; `layer` is set for a failed one, by its own evidence. */
export type SampleDone = {
  sample: string;
  trial: number;
  outcome: TrialResult['outcome'];
  layer?: Layer;
  done: number;
  total: number;
};

export type EvaluateInput = Omit<TrialInput, 'onTalked'> &
  Omit<ResultsInput, 'judgedAgain'> & {
    /** Share of the trials that are judged again in fresh hosts. Default: 0.05. */
    judgeAgain?: number;
    /** Open on `dir`, and left open. Default: separate sessions. */
    session?: SandboxSession;
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
    const trials = trialsOf(input);
    const done = await withLeanHeap(() => runAll(trials, input, session));
    const again = await judgeAgain(trials, done, { ...input, judgeAgain: input.judgeAgain ?? JUDGED_AGAIN });
    const results = collectResults(trials, done, { ...input, ...noted(input.verification, again) });
    input.signal.throwIfAborted();
    await writeWhole(join(input.dir, 'results.json'), results);
    return results;
  } finally {
    if (input.session === undefined) await session.close();
  }
}

const JUDGED_AGAIN = 0.05;

/** A difference is evidence when a sample fails, and shown when none does. */
function noted(
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

function trialsOf({ components, brief }: EvaluateInput): Trial[] {
  return components.samples
    .toSorted((a, b) => (a.sample.id < b.sample.id ? -1 : 1))
    .flatMap((loaded) => {
      const count = loaded.sample.trials ?? brief.trials;
      return Array.from({ length: count }, (_, index) => ({ loaded, trial: index + 1 }));
    });
}

async function runAll(trials: readonly Trial[], input: EvaluateInput, session: SandboxSession): Promise<DoneTrial[]> {
  // What was not recorded does not come by waiting.
  const patience = input.recording === undefined ? input.patience : undefined;
  let done = 0;
  const onDone = (trial: Trial, one: DoneTrial): void => {
    if (one.result.outcome !== 'unscored' || patience === undefined) done += 1;
    input.onSample({ ...sampleDone(trial, one, input.verification), done, total: trials.length });
  };
  const play = (some: readonly Trial[]) => playTogether(some, { ...input, onDone }, session);
  return playUntilScored(trials, { play, patience, signal: input.signal });
}

type Together = EvaluateInput & { onDone: (trial: Trial, one: DoneTrial) => void };

/** The first failure stops the rest; it is thrown when nothing runs any more. */
async function playTogether(trials: readonly Trial[], input: Together, session: SandboxSession): Promise<DoneTrial[]> {
  const failure = new AbortController();
  const signal = AbortSignal.any([input.signal, failure.signal]);
  const enter = admission(input.concurrency);
  const runOne = async (trial: Trial, onTalked: () => void): Promise<DoneTrial> => {
    signal.throwIfAborted();
    const work = () => runTrial(trial, { ...input, onTalked, signal }, session);
    const one = await (input.aroundTrial?.(trial.loaded.sample.id, trial.trial, work) ?? work());
    input.onDone(trial, one);
    return one;
  };
  // The abort comes before a place is free for the next one.
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
 * `places` work at a time until they leave; as many again may have left and not be done. Subjects mostly wait for their
 * model and verdicts do not, so judging one trial does not delay the next subject.
 */
function admission(places: number) {
  const [inFlight, inPlace] = [pLimit(2 * places), pLimit(places)];
  return <T>(work: (leave: () => void) => Promise<T>): Promise<T> =>
    inFlight(
      () =>
        new Promise((settle) => {
          void inPlace(() => new Promise<void>((leave) => settle(work(leave).finally(leave))));
        }),
    );
}

function sampleDone({ loaded, trial }: Trial, one: DoneTrial, verification: Verification) {
  const { outcome } = one.result;
  const event = { sample: loaded.sample.id, trial, outcome };
  if (outcome !== 'fail') return event;
  const problems = evidenceOf(verification);
  return { ...event, layer: attributeFailure({ sample: loaded.sample.id, problems, trials: [one] }).layer };
}

async function writeWhole(path: string, value: unknown): Promise<void> {
  const draft = `${path}.part`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`);
  await rename(draft, path);
}

/** Plays trials again that an outage left unscored: a rate over the rest would be another rate. */
export type Patience = {
  /** Rounds in a row that score nothing more, before it is given up. */
  tries: number;
  /** The pause before the second round; it doubles while rounds bring nothing. */
  minDelayMs: number;
  maxDelayMs: number;
  /** Before each pause, for people. */
  onWait: (notice: { attempt: number; delayMs: number; reason: string }) => void;
};

type Playing<Trial> = {
  play: (trials: readonly Trial[]) => Promise<DoneTrial[]>;
  /** Absent: nothing is played again, and what is unscored stays so. */
  patience: Patience | undefined;
  signal: AbortSignal;
};

/** Contract: the results of all trials, in their order; with patience `model_unavailable` when some cannot be scored. */
export async function playUntilScored<Trial>(
  trials: readonly Trial[],
  { play, patience, signal }: Playing<Trial>,
): Promise<DoneTrial[]> {
  const done = await play(trials);
  if (patience === undefined) return done;
  let left = unscored(done);
  for (let vain = 1; left.length > 0;) {
    const reason = reasonOf(done, left);
    if (vain >= patience.tries) throw notScored(reason, left.length, trials.length);
    const delayMs = Math.min(patience.maxDelayMs, patience.minDelayMs * 2 ** (vain - 1));
    patience.onWait({ attempt: vain, delayMs, reason });
    await delay(delayMs, undefined, { signal });
    const again = await play(left.flatMap((place) => trials[place] ?? []));
    for (const [index, place] of left.entries()) done.splice(place, 1, ...again.slice(index, index + 1));
    const still = unscored(done);
    vain = still.length < left.length ? 1 : vain + 1;
    left = still;
  }
  return done;
}

function unscored(done: readonly DoneTrial[]): number[] {
  return done.flatMap(({ result }, place) => (result.outcome === 'unscored' ? [place] : []));
}

function reasonOf(done: readonly DoneTrial[], [first = 0]: readonly number[]): string {
  return done[first]?.detail ?? 'the subject could not be reached';
}

/** Not retryable: all patience is used up, and the run is paused. */
function notScored(reason: string, left: number, all: number): HarnessError {
  const message = `${left} of ${all} trials could not be scored, so the iteration is not judged: ${reason}`;
  return new HarnessError('model_unavailable', message, { details: { means: 'wait', left, all } });
}
