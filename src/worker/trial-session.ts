/** A worker's session of an evaluation that some worker holds: what its trials need, opened once and used for many of them. */
import { inTemporaryFolder } from '../disk/temporary-folder.ts';
import { HarnessError, isHarnessError, describeError } from '../errors.ts';
import type { TrialMemory } from '../evaluation/trial/recall-trial.ts';
import { loadInSession } from '../evaluation/components/load-components.ts';
import { openSessions } from '../evaluation/components/open-sessions.ts';
import { runTrial, type TrialInput } from '../evaluation/trial/run-trial.ts';
import type { Attempt } from '../ports/artifacts.ts';
import { isLostByUser } from '../scenario/lost-by-user.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { OpenSandbox } from '../ports/sandbox.ts';
import { decide } from '../run/decide.ts';
import { stepName } from '../run/command.ts';
import type { RunState } from '../run/state.ts';
import { watchRun } from '../pipeline/drive/begin-step.ts';
import type { Deps, StepContext } from '../pipeline/deps.ts';
import { digestComponents } from '../disk/components-digest.ts';
import { readApprovedDesign } from '../pipeline/steps/evaluate-attempt.ts';
import { outputDir } from '../run/layout.ts';
import { createPaidModel } from '../pipeline/spending/paid-model.ts';
import { castParticipants, openRunSandbox } from '../pipeline/evaluation/participants.ts';
import { readBrief } from '../pipeline/start-run.ts';
import { tracedTrial } from '../pipeline/spans.ts';
import { commitTrial, returnTrial } from './trial-files.ts';
import type { ModelFor } from '../pipeline/steps/step-models.ts';
import { readState } from '../run-folder/snapshot.ts';

export type TrialSession = {
  /** Contract: the record is on disk, or the trial is handed back, or the attempt is over; rejects only with `signal`'s reason. */
  play(sample: string, trial: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

type Loaded = Parameters<typeof runTrial>[0]['loaded'];

/** Half of the two seconds within which a takeover stops the trials of the attempt before. */
const LOOK_MS = 1000;

/** Undefined when the attempt is over: the run has moved on, or another worker took the step over. */
export async function openTrialSession(
  run: RunFolder,
  attemptName: string,
  { deps, worker }: { deps: Deps; worker: string },
): Promise<TrialSession | undefined> {
  const state = await readState(run);
  const step = stepName(decide(state));
  if (state.status !== 'executing' || !attemptName.startsWith(`${step}@`)) return undefined;
  const attempt = await run.artifacts.join(attemptName, outputDir(state.iteration));
  if (attempt === undefined) return undefined;
  const over = watchAttempt(run, state, attempt);
  let session: OpenSandbox | undefined;
  const close = async (): Promise<void> => {
    over.stop();
    await session?.close();
  };
  try {
    const brief = await readBrief(run);
    const opened = await openSessions(await openRunSandbox({ run, brief, deps }), attempt.out);
    session = opened;
    const place = { attempt, session: opened, worker };
    const input = await trialInput({ run, state, brief, deps, signal: over.signal }, place);
    deps.progress({ type: 'state', status: 'notice', detail: `samples of ${step} are played here` });
    const around = deps.telemetry && tracedTrial(deps.telemetry, state.iteration);
    const playHere = async (loaded: Loaded, trial: number, limits: { dir: string; signal: AbortSignal }) => {
      const work = () => runTrial({ loaded, trial }, { ...input, ...limits }, opened);
      if (around === undefined) return work();
      return deps.telemetry?.forRun(run, () => around(loaded.sample.id, trial, work));
    };
    return {
      close,
      play: async (sample, trial, outer) => {
        const name = `${sample}.${trial}`;
        const signal = AbortSignal.any([outer, over.signal]);
        try {
          signal.throwIfAborted();
          if ((await attempt.recall(`trials/${name}`)) !== undefined) return;
          const loaded = input.components.samples.find((one) => one.sample.id === sample);
          if (loaded === undefined) throw new HarnessError('not_found', `There is no sample ${sample} here.`);
          // The trace is part of the record; the worker that holds the evaluation writes it to its place.
          const done = await inTemporaryFolder('trial', (dir) => playHere(loaded, trial, { dir, signal }));
          if (done?.result.outcome === 'unscored' && !isLostByUser(done.result))
            await returnTrial(attempt, name, done.detail ?? 'unscored');
        } catch (error) {
          outer.throwIfAborted();
          if (over.signal.aborted || isHarnessError(error, 'attempt_lost')) return;
          deps.progress({ type: 'state', status: 'notice', detail: `${name} is handed back: ${describeError(error)}` });
          await returnTrial(attempt, name, describeError(error)).catch(() => undefined);
        }
      },
    };
  } catch (error) {
    const isOver = over.signal.aborted;
    await close();
    if (isOver) return undefined;
    throw error;
  }
}

type Over = { signal: AbortSignal; stop: () => void };

/** Fires when the run has moved on, or the attempt's folder was taken over. */
function watchAttempt(run: RunFolder, state: RunState, attempt: Attempt): Over {
  const taken = new AbortController();
  const watch = watchRun(run, state, taken);
  const timer = setInterval(() => {
    void attempt.exists().then(
      (there) => {
        if (!there) taken.abort(new HarnessError('attempt_lost', `Another worker took ${attempt.step} over.`));
      },
      () => undefined,
    );
  }, LOOK_MS).unref();
  return {
    signal: watch.signal,
    stop: () => {
      clearInterval(timer);
      watch.stop();
      taken.abort(new HarnessError('attempt_lost', 'This session is closed.'));
    },
  };
}

/** The same as the holder plays with: the design that was approved, the attempt's components, the run's own brief and money. */
async function trialInput(
  step: StepContext,
  { attempt, session, worker }: { attempt: Attempt; session: OpenSandbox; worker: string },
): Promise<Omit<TrialInput, 'dir' | 'signal'>> {
  const { run, state, deps, signal } = step;
  const { components } = await loadInSession(session, attempt.out, signal);
  const modelFor: ModelFor = (lane, agent, facts) =>
    createPaidModel({
      ...{ model: deps.model, facts, attempt, spending: run.spending, capUsd: state.budgetUsd, agent, lane },
      onPaid: (usd) =>
        deps.telemetry?.count('tandem.cost', usd, { 'gen_ai.agent.name': agent, 'gen_ai.request.model': facts.id }),
    });
  const memory: TrialMemory = {
    recall: (name) => attempt.recall(name),
    remember: (name, record) => commitTrial(attempt, name.replace(/^trials\//, ''), { ...(record as object), worker }),
  };
  return {
    ...(await castParticipants({ ...step, modelFor })),
    design: await readApprovedDesign(run, state),
    components,
    componentsDigest: await digestComponents(attempt.out),
    recordsCalls: deps.config.record_calls,
    memory,
    now: () => deps.clock.now().getTime(),
    // It is in the record, which is all that another reader needs.
    durationsOf: (_lane, ms) => ms,
  };
}
