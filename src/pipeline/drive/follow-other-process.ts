/** Following a run whose step another process took over, for as long as that process shows signs of life. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HarnessError } from '../../errors.ts';
import type { RunState } from '../../run/state.ts';
import { waitForRest } from './wait-for-rest.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';

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
        throw gaveUp(runId, silenceMs);
      }),
    ]);
  } finally {
    over.abort();
    await silence.catch(() => undefined);
  }
}

function gaveUp(runId: string, silenceMs: number): HarnessError {
  return new HarnessError(
    'attempt_lost',
    `The process that took run ${runId} over has shown no sign of life for ${Math.round(silenceMs / 1000)} s. Nothing is lost; go on with: tandem resume ${runId}`,
    { retryable: true, details: { run: runId } },
  );
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
  const times = [join(dir, 'events'), join(dir, 'economy'), wip, ...places].map((path) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}
