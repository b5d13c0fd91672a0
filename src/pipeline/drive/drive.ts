/** Carries runs on: every wake-up performs one command, and a performed command wakes the run again. */
import { HarnessError, isHarnessError, describeError } from '../../errors.ts';
import { stepName } from '../../run/command.ts';
import { decide } from '../../run/decide.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { advance } from './advance.ts';
import { failureText } from './failed-call.ts';
import { pauseFor } from './provider-pause.ts';
import { transact } from '../../run-folder/transact.ts';
import { waitForRest } from './wait-for-rest.ts';
import type { Deps } from '../deps.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { followOtherProcess } from './follow-other-process.ts';
import { handOver } from '../../run-folder/hand-over.ts';
import { markWork } from '../../run-folder/work-mark.ts';
import { readState } from '../../run-folder/snapshot.ts';

const SLACK_MS = 30_000;

/** Takes wake-ups until the queue is closed. */
export async function consumeWakeUps(deps: Deps): Promise<void> {
  await deps.queue.work(async ({ run }, signal) => {
    const answers = await countAnswers(run, deps);
    const command = await advance(run, deps, signal).catch(async (error: unknown) => {
      if (!isHarnessError(error) || !error.retryable || (await countAnswers(run, deps)) === answers) throw error;
      const { code, message, details } = error;
      throw new HarnessError(code, message, { retryable: true, details: { ...details, advanced: true }, cause: error });
    });
    if (command.type !== 'wait' && command.type !== 'none') await deps.queue.wake({ run });
  });
}

/** Answered calls of the run: a try of a step that was answered has brought it further, although it failed. */
async function countAnswers(runId: string, { store }: Deps): Promise<number> {
  const calls = await (await store.open(runId)).spending.list();
  return calls.reduce((sum, { answers }) => sum + answers, 0);
}

/** Wakes the run and resolves when it waits for a person or has ended. Rejects when the signal fires. */
export async function driveToRest(runId: string, deps: Deps, signal: AbortSignal): Promise<RunState> {
  signal.throwIfAborted();
  if (deps.handedOver) {
    await handOver(runId, deps);
    return waitForRest(runId, deps, signal);
  }
  const endMark = await markWork(await deps.store.open(runId));
  try {
    signal.throwIfAborted();
    const stop = new Promise<never>((_, reject) => {
      const close = () => void deps.queue.close().then(() => reject(signal.reason as Error), reject);
      signal.addEventListener('abort', close, { once: true });
    });
    await deps.queue.wake({ run: runId });
    await Promise.race([deps.queue.idle(), stop]);
  } catch (error) {
    signal.throwIfAborted();
    // A living process is silent for at most one call to the model.
    const silenceMs = deps.config.retry.timeout_seconds * 1000 + SLACK_MS;
    if (isHarnessError(error, 'attempt_lost')) {
      await endMark();
      return await followOtherProcess(runId, { deps, silenceMs }, signal);
    }
    await giveUp(runId, error, deps);
  } finally {
    await endMark();
  }
  return stateOf(runId, deps);
}

/** Records a retryable failure that outlived all tries: the run is `paused` or `errored`, and safe to resume later. */
export async function giveUp(runId: string, error: unknown, deps: ReadDeps): Promise<void> {
  const run = await deps.store.open(runId);
  const code = isHarnessError(error) ? error.code : 'infrastructure';
  const choose = async ({ state }: RunSnapshot): Promise<EventBody> => {
    const command = decide(state);
    if (command.type !== 'design' && command.type !== 'iterate') throw error;
    const step = stepName(command);
    const failed = { step, code, message: await failureText(run, step, error), final: true };
    return pauseFor(error) ?? { type: 'step.failed', ...failed };
  };
  const { before } = await transact(run, choose, 'worker:tandem');
  const detail = `${stepName(decide(before.state))}: ${describeError(error)}`;
  deps.progress({ type: 'state', status: pauseFor(error) === undefined ? 'errored' : 'paused', detail });
}

export async function stateOf(runId: string, deps: ReadDeps): Promise<RunState> {
  return readState(await deps.store.open(runId));
}
