/** A worker's part in schedules: it puts those of the disk into the queue, and begins the batch whose time has come. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { SharedQueue } from '../../adapters/bullmq/bullmq-queue.ts';
import { allSchedules, batchAt, findSchedule, type Schedule } from '../../batch/schedule.ts';
import type { Home } from '../../config/home.ts';
import type { Config } from '../../config/schema.ts';
import { messageOf } from '../../errors.ts';
import { packageFolder } from '../../own-file.ts';
import type { Progress } from '../../ports/progress.ts';
import type { SharedFiles } from '../../ports/shared-files.ts';

const PROGRAM = join(packageFolder(), 'bin/tandem.js');

export type SyncSchedulesOptions = {
  home: Home;
  config: Config;
  /** Of the project. */
  shared: SharedFiles;
  env: Readonly<Record<string, string | undefined>>;
  queue: Pick<SharedQueue, 'schedules'>;
  progress: Progress;
};

/** A queue that forgot all gets them again at the next look. */
export function syncSchedules({ home, config, shared, env, queue, progress }: SyncSchedulesOptions): {
  stop: () => void;
} {
  const say = (detail: string): void => progress({ type: 'state', status: 'notice', detail });
  let said = '';
  const look = (): void => {
    setAll(shared, queue.schedules).then(
      () => void (said = ''),
      (error: unknown) => {
        const detail = `schedules: ${messageOf(error)}`;
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
    const batch = batchAt(id, due);
    say(`schedule ${id} begins batch ${batch}, due at ${due.toISOString()}`);
    const code = await begin(schedule, batch, { cwd: home.project, env, signal });
    signal.throwIfAborted();
    say(`batch ${batch} ended with exit code ${code}`);
  });
  return { stop: () => clearInterval(timer) };
}

async function setAll(shared: SharedFiles, schedules: SharedQueue['schedules']): Promise<void> {
  for (const one of await allSchedules(shared)) await schedules.set(one);
}

type Place = { cwd: string; env: SyncSchedulesOptions['env']; signal: AbortSignal };

/** As a process of its own, in the name of whoever scheduled it; begun again it goes on with the same batch. */
function begin({ args, actor }: Schedule, batch: string, { cwd, env, signal }: Place): Promise<number | string> {
  const own = { ...env, TANDEM_USER: actor.replace(/^user:/, '') };
  const command = [PROGRAM, 'batch', ...args, '--id', batch, '--continue', '--log-format', 'json'];
  const child = spawn(process.execPath, command, { cwd, env: own, stdio: 'ignore', signal, killSignal: 'SIGTERM' });
  return new Promise((settle) => {
    child.once('error', (error) => settle(messageOf(error)));
    child.once('close', (code, by) => settle(code ?? by ?? 1));
  });
}
