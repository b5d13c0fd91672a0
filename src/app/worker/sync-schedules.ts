/** Puts the schedules on disk into the queue, and starts a batch when its time has come. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { SharedQueue } from '../../adapters/bullmq/bullmq-queue.ts';
import { readSchedules, formatBatchId, findSchedule, type Schedule } from '../../batch/schedule.ts';
import type { Home } from '../../config/home.ts';
import type { Config } from '../../config/schema.ts';
import { describeError } from '../../errors.ts';
import { packageFolder } from '../../own-file.ts';
import type { Progress } from '../../ports/progress.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';

const PROGRAM = join(packageFolder(), 'bin/tandem.js');

export type SyncSchedulesOptions = {
  home: Home;
  config: Config;
  /** The shared files of the project. */
  shared: SharedFiles;
  env: Readonly<Record<string, string | undefined>>;
  queue: Pick<SharedQueue, 'schedules'>;
  progress: Progress;
};

/** A queue that has lost the schedules gets them again at the next look. */
export function syncSchedules({ home, config, shared, env, queue, progress }: SyncSchedulesOptions): {
  stop: () => void;
} {
  const say = (detail: string): void => progress({ type: 'state', status: 'notice', detail });
  let said = '';
  const look = (): void => {
    setSchedules(shared, queue.schedules).then(
      () => void (said = ''),
      (error: unknown) => {
        const detail = `schedules: ${describeError(error)}`;
        if (detail !== said) say(detail);
        said = detail;
      },
    );
  };
  const timer = setInterval(look, config.queue.reconcile_ms);
  look();
  queue.schedules.work(async (id, due, signal) => {
    const schedule = await findSchedule(shared, id);
    if (schedule === undefined) return queue.schedules.remove(id);
    const batch = formatBatchId(id, due);
    say(`schedule ${id} begins batch ${batch}, due at ${due.toISOString()}`);
    const code = await startBatch(schedule, batch, { cwd: home.project, env, signal });
    signal.throwIfAborted();
    say(`batch ${batch} ended with exit code ${code}`);
  });
  return { stop: () => clearInterval(timer) };
}

async function setSchedules(shared: SharedFiles, schedules: SharedQueue['schedules']): Promise<void> {
  for (const one of await readSchedules(shared)) await schedules.set(one);
}

type BatchProcess = { cwd: string; env: SyncSchedulesOptions['env']; signal: AbortSignal };

/** Starts a process in the name of the schedule's author; a repeated start continues the same batch. */
function startBatch(
  { args, actor }: Schedule,
  batch: string,
  { cwd, env, signal }: BatchProcess,
): Promise<number | string> {
  const own = { ...env, TANDEM_USER: actor.replace(/^user:/, '') };
  const command = [PROGRAM, 'batch', ...args, '--id', batch, '--continue', '--log-format', 'json'];
  const child = spawn(process.execPath, command, { cwd, env: own, stdio: 'ignore', signal, killSignal: 'SIGTERM' });
  return new Promise((settle) => {
    child.once('error', (error) => settle(describeError(error)));
    child.once('close', (code, by) => settle(code ?? by ?? 1));
  });
}
