/** Begins the batches of schedules in a worker, each as a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createCronTimes } from '../../adapters/bullmq/cron-times.ts';
import { findBatch } from '../../batch/batch.ts';
import { findRun } from '../../run-folder/find-run.ts';
import { createScheduleKeeper, type BatchExit } from '../../batch/keep-schedules.ts';
import { dropRemovedOptions, type Schedule } from '../../batch/schedule.ts';
import { describeError, ignoreHarnessError } from '../../errors.ts';
import { packageFolder } from '../../own-file.ts';
import { giveOrder } from '../../pipeline/control/stop-order.ts';
import type { Progress } from '../../ports/progress.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { seenWorkers } from '../../worker/presence.ts';
import type { ProjectSetup } from '../models/open-models.ts';
import type { ProjectDeps } from '../open-store.ts';

const PROGRAM = join(packageFolder(), 'bin/tandem.js');
/** The exit code of a batch whose queue, store or provider was away. */
const AWAY = 6;
const AGAIN_MS = 60_000;

export type SyncSchedulesOptions = ProjectSetup & {
  read: ProjectDeps;
  /** The name of this worker. */
  worker: string;
  progress: Progress;
};

/** Contract: `stop` begins nothing more, and `close` stops what runs, for other workers to go on with. */
export function syncSchedules({ home, config, read, env, worker, progress }: SyncSchedulesOptions): {
  stop: () => void;
  close: () => Promise<void>;
} {
  const say = (detail: string): void => progress({ type: 'state', status: 'notice', detail });
  const keeper = createScheduleKeeper({
    ...{ shared: read.shared, clock: read.clock, worker, say, mostStarts: config.queue.most_starts },
    timesOf: createCronTimes,
    isAlive: async () => {
      const seen = await seenWorkers(read.shared, read.clock);
      return (name) => seen.some((one) => one.worker === name && !one.isLost);
    },
    begin: async (schedule, batch, signal) => {
      const exit = await runBatch(schedule, batch, { cwd: home.project, env, signal });
      return exit === AWAY && (await listBegunRuns(batch, read)).length === 0 ? undefined : exit;
    },
    pause: (signal) => delay(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined),
    cancel: (batch, { actor }) => cancelBatch(batch, actor, read),
  });
  let said = '';
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    let due: number | undefined;
    try {
      due = await keeper.look();
      said = '';
    } catch (error) {
      // Reported once until a look succeeds, so that an outage of an hour is one line.
      const detail = `schedules: ${describeError(error)}`;
      if (detail !== said) say(detail);
      said = detail;
    }
    const { reconcile_ms: everyMs } = config.queue;
    const waitMs = due === undefined ? everyMs : due - read.clock.now().getTime();
    if (!isStopped) timer = setTimeout(() => void look(), Math.min(everyMs, Math.max(SOON_MS, waitMs)));
  };
  void look();
  const stop = (): void => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { stop, close: () => keeper.close() };
}

const SOON_MS = 100;

async function listBegunRuns(id: string, { batches, store }: ProjectDeps): Promise<RunFolder[]> {
  const batch = await findBatch(batches, id);
  const runs = (batch?.runs ?? []).map(async (run) => findRun(store, await batches.dirOf(run)));
  return (await Promise.all(runs)).filter((run) => run !== undefined);
}

async function cancelBatch(id: string, actor: string, read: ProjectDeps): Promise<void> {
  const order = { type: 'run.cancelled', detail: 'A later batch of its schedule has begun.' } as const;
  // A run that has ended needs no order.
  for (const run of await listBegunRuns(id, read))
    await giveOrder(run.dir, { order, actor }, read).catch((error: unknown) => ignoreHarnessError(error, 'usage'));
}

type BatchProcess = { cwd: string; env: SyncSchedulesOptions['env']; signal: AbortSignal };

/** Starts a process in the name of the schedule's author; a repeated start continues the same batch. */
function runBatch(
  { args, actor }: Schedule,
  batch: string,
  { cwd, env, signal }: BatchProcess,
): Promise<NonNullable<BatchExit>> {
  const own = { ...env, TANDEM_USER: actor.replace(/^user:/, '') };
  const command = [PROGRAM, 'batch', ...dropRemovedOptions(args), '--id', batch, '--continue', '--log-format', 'json'];
  const child = spawn(process.execPath, command, { cwd, env: own, stdio: 'ignore', signal, killSignal: 'SIGTERM' });
  return new Promise((settle) => {
    let fault: Error | undefined;
    child.once('error', (error) => {
      fault = error;
      // A program that was never started has no end.
      if (child.pid === undefined) settle(describeError(error));
    });
    child.once('close', (code, by) => settle(code ?? by ?? describeError(fault)));
  });
}
