/** News of a run for any number of readers: one shared watcher of its journal, active only while there are readers. */
import { watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isHarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { runNews, type News } from './run-news.ts';
import { readState } from '../../run-folder/snapshot.ts';

/** For file systems that report no changes, and for files in `wip/`. */
const LOOK_EVERY_MS = 1000;

export type Watching = { stop: () => void };

export type RunWatchers = {
  /** `notify` is called with the status now, and again whenever that changes. */
  follow: (run: RunFolder, notify: (news: News) => void) => Watching;
  /** How many runs are being watched. */
  count: () => number;
  close: () => void;
};

type Watched = { readers: Set<(news: News) => void>; last: News | undefined; stop: () => void };

export function createRunWatchers(): RunWatchers {
  const watched = new Map<string, Watched>();
  return {
    follow: (run, notify) => {
      const one = watched.get(run.dir) ?? begin(run, watched);
      one.readers.add(notify);
      if (one.last !== undefined) notify(one.last);
      return {
        stop: () => {
          one.readers.delete(notify);
          if (one.readers.size > 0 || watched.get(run.dir) !== one) return;
          watched.delete(run.dir);
          one.stop();
        },
      };
    },
    count: () => watched.size,
    close: () => {
      for (const one of watched.values()) one.stop();
      watched.clear();
    },
  };
}

function begin(run: RunFolder, watched: Map<string, Watched>): Watched {
  const one: Watched = { readers: new Set(), last: undefined, stop: () => undefined };
  const look = oneAtATime(async () => {
    const now = await newsOf(run, one.last);
    if (now === undefined || JSON.stringify(now) === JSON.stringify(one.last)) return;
    one.last = now;
    for (const notify of one.readers) notify(now);
  });
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  const watcher = watchFolder(join(run.dir, 'events'), look);
  one.stop = () => {
    clearInterval(timer);
    watcher?.close();
  };
  watched.set(run.dir, one);
  look();
  return one;
}

/** Undefined where the system cannot watch: the timer looks all the same. */
function watchFolder(folder: string, look: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** The journal is read again only when it has grown. */
async function newsOf(run: RunFolder, before: News | undefined): Promise<News | undefined> {
  try {
    const names = await readdir(join(run.dir, 'events'));
    const length = names.filter((name) => /^\d{6,}\.json$/.test(name)).length;
    const work = await workOf(run);
    if (before !== undefined && before.length === length) return { ...before, ...work };
    return { ...runNews(await readState(run)), ...work };
  } catch (error) {
    // A folder that is being moved or deleted has no news; a broken journal is shown by the page itself.
    if (isHarnessError(error) || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

/** What the live attempt has done so far: paid calls and finished samples, counted by their files. */
async function workOf(run: RunFolder): Promise<Pick<News, 'work'>> {
  const attempts = await readdir(join(run.dir, 'wip')).catch(() => []);
  const [attempt] = attempts.filter((name) => /^(design|execute)\./.test(name));
  if (attempt === undefined) return { work: '' };
  const counted = async (folder: string) =>
    (await readdir(join(run.dir, 'wip', attempt, folder)).catch(() => [])).length;
  const [calls, traces] = [await counted('turns'), await counted('out/traces')];
  const samples = traces === 0 ? '' : `, ${traces} traces`;
  return { work: `${attempt.replace(/@.*$/, '')}: ${calls} model calls${samples}` };
}

/** A call while one is under way makes one more run after it, however many calls there were. */
function oneAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work();
    } while (again);
    running = false;
  };
  return () => {
    if (running) again = true;
    else void run();
  };
}
