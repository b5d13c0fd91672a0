/** Handing a run to workers: which lane its next step belongs to, and the mark that says that it is theirs. */
import type { JobQueue, Lane } from '../ports/job-queue.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { Command } from '../run/command.ts';
import { decide } from '../run/decide.ts';
import { fold } from '../run/fold.ts';
import type { ReadDeps } from './deps.ts';

/** Workers ask only runs with this file for their next step: a run that one process carries on is left to it. */
const MARK = 'queue.json';

export type WakeDeps = ReadDeps & { queue: JobQueue };

/** Undefined when there is nothing for a worker to do. */
export function laneOf(command: Command): Lane | undefined {
  switch (command.type) {
    case 'start':
    case 'design':
      return 'init';
    case 'iterate':
      return 'execute';
    default:
      return undefined;
  }
}

/** From now on every worker of this project may carry the run on. */
export async function handOver(runId: string, deps: WakeDeps): Promise<void> {
  const run = await deps.store.open(runId);
  if (!(await isHandedOver(run))) await run.write(MARK, `${JSON.stringify({ version: 1, carriedBy: 'workers' })}\n`);
  await wakeNext(run, deps);
}

export async function isHandedOver(run: RunFolder): Promise<boolean> {
  return (await run.read(MARK)) !== undefined;
}

/** Wakes the run for its next step, if it has one. A queue that is away is told of: reconciling finds the run later. */
export async function wakeNext(run: RunFolder, { queue, progress }: WakeDeps): Promise<void> {
  const lane = laneOf(decide(fold(await run.journal.read())));
  if (lane === undefined) return;
  await queue.wake({ run: run.id, lane }).catch((error: unknown) => {
    progress({ type: 'state', status: 'notice', detail: error instanceof Error ? error.message : String(error) });
  });
}
