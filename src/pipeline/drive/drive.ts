/** Carries runs on: every wake-up performs one command, and a performed command wakes the run again. */
import { HarnessError, isHarnessError, describeError, usageError } from '../../errors.ts';
import { stepName } from '../../run/command.ts';
import { decide } from '../../run/decide.ts';
import type { EventBody } from '../../run/event.ts';
import type { RunSnapshot } from '../../run/snapshot.ts';
import type { RunState } from '../../run/state.ts';
import { advance } from './advance.ts';
import { failureText } from './failed-call.ts';
import { pauseFor } from './provider-pause.ts';
import { transact, readState } from '../../run-folder/snapshot.ts';
import { findRun } from '../../run-folder/find-run.ts';
import { markWork } from '../../run-folder/work-mark.ts';
import type { Deps } from '../deps.ts';
import type { ReadDeps, RunFolder } from '../../ports/run-store.ts';
import { handOver, checkHandedBack, findStepLane } from '../../run-folder/hand-over.ts';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobQueue } from '../../ports/job-queue.ts';

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

const LOOK_MS = 1000;

/**
 * Resolves when the run waits for a person or has ended. Contract: `attempt_lost`, retryable, when nothing in the run's folder
 * has moved for `silenceMs`: then the other process has died or was stopped, and no process carries the run on.
 */
export async function followOtherProcess(
  runId: string,
  { deps, silenceMs }: { deps: ReadDeps; silenceMs: number },
  signal: AbortSignal,
): Promise<RunState> {
  const { dir } = await deps.store.open(runId);
  const over = new AbortController();
  const detail = `Another process carries run ${runId} on: this one follows it, and ends when it rests. Ctrl-C leaves the run alone.`;
  deps.progress({ type: 'state', status: 'notice', detail });
  const silence = waitForSilence(dir, silenceMs, over.signal);
  try {
    return await Promise.race([
      waitForRest(runId, deps, AbortSignal.any([signal, over.signal])),
      silence.then(() => {
        const message = `The process that took run ${runId} over has shown no sign of life for ${Math.round(silenceMs / 1000)} s. Nothing is lost; go on with: tandem resume ${runId}`;
        throw new HarnessError('attempt_lost', message, { retryable: true, details: { run: runId } });
      }),
    ]);
  } finally {
    over.abort();
    await silence.catch(() => undefined);
  }
}

/** Events, and what an agent and its samples leave in the live attempt. */
async function waitForSilence(dir: string, silenceMs: number, signal: AbortSignal): Promise<void> {
  let last = Date.now();
  let seen = await newestIn(dir);
  while (Date.now() - last <= silenceMs) {
    await delay(Math.min(LOOK_MS, silenceMs), undefined, { signal });
    const now = await newestIn(dir);
    if (now > seen) [last, seen] = [Date.now(), now];
  }
}

async function newestIn(dir: string): Promise<number> {
  const wip = join(dir, 'wip');
  const attempts = await readdir(wip).catch(() => []);
  const places = attempts.flatMap((name) =>
    ['', 'turns', 'turns/subject', 'turns/trials', 'out', 'out/traces'].map((part) => join(wip, name, part)),
  );
  const times = [join(dir, 'events'), wip, ...places].map((path) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}

const REST_LOOK_MS = 500;
/** Number of looks at the disk for each look at the queue. */
const ASK_EVERY = 4;

type FollowDeps = ReadDeps & { queue?: JobQueue };

/** Contract: rejects with the signal's reason when it fires, leaving the run as it is. Waits while a store is unavailable. */
async function waitForRest(runId: string, deps: FollowDeps, signal: AbortSignal): Promise<RunState> {
  for (let said: string | undefined; ;) {
    try {
      return await followRun(runId, deps, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (deps.store.server === undefined || !isHarnessError(error) || !error.retryable) throw error;
      if (error.message !== said) deps.progress({ type: 'state', status: 'notice', detail: error.message });
      said = error.message;
      await delay(REST_LOOK_MS, undefined, { signal });
    }
  }
}

async function followRun(runId: string, deps: FollowDeps, signal: AbortSignal): Promise<RunState> {
  const { queue } = deps;
  const said = new Set<string>();
  const run = await deps.store.open(runId);
  let state = await readState(run);
  reportPhase(state, deps);
  for (let looks = 1; findStepLane(decide(state)) !== undefined; looks += 1) {
    await delay(REST_LOOK_MS, undefined, { signal });
    if (queue !== undefined && looks % ASK_EVERY === 0) await checkHandedBack(run, { ...deps, queue }, said);
    if (!(await run.journal.holds(state.length))) continue;
    state = await readState(run);
    reportPhase(state, deps);
  }
  return state;
}

function reportPhase(state: RunState, { progress }: ReadDeps): void {
  const { round, iteration } = state;
  if (state.status === 'designing') progress({ type: 'phase', phase: 'design', round, iteration });
  else if (state.status === 'executing') progress({ type: 'phase', phase: 'execute', round, iteration });
}

/** Contract: `usage` when workers, who find a run by its id, would take another folder. */
export async function nameToDrive(run: RunFolder, { store, handedOver }: Deps): Promise<string> {
  if (!handedOver) return run.dir;
  // There is one of each id.
  if (store.server !== undefined) return run.id;
  const found = await findRun(store, run.id);
  if (found?.dir === run.dir) return run.id;
  const other = found === undefined ? 'would not find it' : `would take ${found.dir}`;
  throw usageError(
    `Workers find a run by its id, and ${other} instead of ${run.dir}. ` +
      'Go on in this process: TANDEM_QUEUE= tandem resume <path>. Or move the folder into the scenarios/<name>/runs/ of this project.',
    { details: { run: run.id, dir: run.dir } },
  );
}
