/** Runs every sample through the subject, bounded in parallel, and writes `results.json`: whole, or not at all. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { attributeFailure } from '../scenario/attribution/attribute-failure.ts';
import type { Layer, Results, TrialResult, Verification } from '../scenario/result.ts';
import type { SandboxSession } from '../ports/sandbox.ts';
import { openSessions, SESSIONS } from './components/open-sessions.ts';
import { evidenceOf, collectResults, type ResultsInput } from './collect-results.ts';
import { runTrial, type DoneTrial, type Trial, type TrialInput } from './trial/run-trial.ts';
import { withLeanHeap } from './with-lean-heap.ts';

/** One trial is done; `layer` is told of a failed one, by its own evidence. */
export type SampleDone = {
  sample: string;
  trial: number;
  outcome: TrialResult['outcome'];
  layer?: Layer;
  done: number;
  total: number;
};

export type EvaluateInput = Omit<TrialInput, 'onTalked'> &
  ResultsInput & {
    /** Open on `dir`, and left open; default: sessions of its own. */
    session?: SandboxSession;
    /** Samples that are played at a time; as many again may be on their way to a verdict. */
    concurrency: number;
    onSample: (done: SampleDone) => void;
    /**
     * Resolves when a trial is to be played, or to be found again in `memory`, here: the seam for workers that share the
     * trials. It holds no place among `concurrency`. Default: at once.
     */
    turnOf?: (sample: string, trial: number, signal: AbortSignal) => Promise<void>;
    /** Wraps the work of one trial, for those who watch it; settles as the work does. */
    aroundTrial?: (sample: string, trial: number, work: () => Promise<DoneTrial>) => Promise<DoneTrial>;
  };

/** Contract: an abort rejects with its reason; then, and on any other error, no results are written. */
export async function evaluate(input: EvaluateInput): Promise<Results> {
  input.signal.throwIfAborted();
  const session = input.session ?? (await openSessions(input.sandbox, input.dir, SESSIONS));
  try {
    const trials = trialsOf(input);
    const done = await withLeanHeap(() => runAll(trials, input, session));
    const results = collectResults(trials, done, input);
    input.signal.throwIfAborted();
    await writeWhole(join(input.dir, 'results.json'), results);
    return results;
  } finally {
    if (input.session === undefined) await session.close();
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
  const enter = admission(input.concurrency);
  let done = 0;
  const runOne = async (trial: Trial, onTalked: () => void): Promise<DoneTrial> => {
    signal.throwIfAborted();
    const one = await around(trial, input, () => runTrial(trial, { ...input, onTalked, signal }, session));
    done += 1;
    input.onSample(sampleDone(trial, one, input.verification, done, trials.length));
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
 * So many work at a time until they leave; as many again may have left and not be done. A subject waits for its model most
 * of the time, a verdict takes none of that: whoever is on the way to one keeps no subject waiting.
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
  const problems = evidenceOf(verification);
  return { ...event, layer: attributeFailure({ sample: loaded.sample.id, problems, trials: [one] }).layer };
}

async function writeWhole(path: string, value: unknown): Promise<void> {
  const draft = `${path}.part`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`);
  await rename(draft, path);
}
