/** Plays trials of evaluations that other workers hold: one session per attempt, open while there are trials of it. */
import { z } from 'zod';
import { describeError } from '../errors.ts';
import type { Job } from '../ports/job-queue.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { Deps } from '../pipeline/deps.ts';
import { openTrialSession, type TrialSession } from './trial-session.ts';
import { returnTrial } from './trial-files.ts';

/** Content of the queue is validated like all outside input. */
const Pointer = z.strictObject({
  attempt: z.string().regex(/^execute\.i\d+@[A-Za-z0-9._-]+$/),
  sample: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  trial: z.int().positive(),
});

export type TrialPlayer = {
  play(run: RunFolder, job: Job, signal: AbortSignal): Promise<void>;
  /** Called when the queue gives the trial up, because its workers died too often. */
  giveUp(run: RunFolder, job: Job, why: unknown): Promise<void>;
  close(): Promise<void>;
};

export type TrialPlayerOptions = {
  depsFor: (run: RunFolder) => Promise<Deps>;
  /** The worker's name in the records of the trials. */
  worker: string;
  /** Milliseconds for which a session stays open without a trial of its attempt. */
  restMs?: number;
};

type SessionInUse = { session: Promise<TrialSession | undefined>; busy: number; timer?: NodeJS.Timeout };

export function createTrialPlayer({ depsFor, worker, restMs = 5_000 }: TrialPlayerOptions): TrialPlayer {
  const sessions = new Map<string, SessionInUse>();

  const leave = (key: string, held: SessionInUse): void => {
    if (sessions.get(key) === held) sessions.delete(key);
    clearTimeout(held.timer);
    void held.session.then((session) => session?.close()).catch(() => undefined);
  };

  const take = (run: RunFolder, attempt: string): [string, SessionInUse] => {
    const key = `${run.dir}\n${attempt}`;
    const held = sessions.get(key) ?? {
      session: depsFor(run).then((deps) => openTrialSession(run, attempt, { deps, worker })),
      busy: 0,
    };
    clearTimeout(held.timer);
    held.busy += 1;
    sessions.set(key, held);
    return [key, held];
  };

  return {
    play: async (run, { trial: pointer }, signal) => {
      const parsed = Pointer.safeParse(pointer);
      if (!parsed.success) return;
      const { attempt, sample, trial } = parsed.data;
      const [key, held] = take(run, attempt);
      try {
        const session = await held.session;
        await session?.play(sample, trial, signal);
      } catch (error) {
        signal.throwIfAborted();
        // No trial can be played here; the holder finds out the reason by itself.
        leave(key, held);
        await handBackTrial(run, parsed.data, error);
      } finally {
        held.busy -= 1;
        if (held.busy === 0) held.timer = setTimeout(() => leave(key, held), restMs).unref();
      }
    },
    giveUp: async (run, { trial }, why) => {
      const parsed = Pointer.safeParse(trial);
      if (parsed.success) await handBackTrial(run, parsed.data, why);
    },
    close: async () => {
      const open = [...sessions.values()];
      sessions.clear();
      for (const { timer } of open) clearTimeout(timer);
      const opened = await Promise.allSettled(open.map(({ session }) => session));
      await Promise.all(
        opened.map(async (session) => (session.status === 'fulfilled' ? session.value?.close() : undefined)),
      );
    },
  };
}

/** A lost attempt needs nothing back. */
async function handBackTrial(
  run: RunFolder,
  { attempt, sample, trial }: z.infer<typeof Pointer>,
  why: unknown,
): Promise<void> {
  const place = run.artifacts.attemptAt(attempt, '');
  await returnTrial(place, `${sample}.${trial}`, describeError(why)).catch(() => undefined);
}
