/** News of a run for any number of readers: one clock for all runs, active only while there are readers. */
import { watch, type FSWatcher } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { toNumberedName } from '../../disk/numbered-files.ts';
import { isHarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { runNews, type News } from './run-news.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';

const TICK_MS = 1000;
/** Ticks between looks: at a run at work, whose calls are files in `wip/`; at one whose folder reports changes. */
const WORKING_TICKS = 1;
const RESTING_TICKS = 15;
/** Maximum looks begun in one tick, and looks at the same time, as each needs some open files. */
const MOST_LOOKS = 100;
const AT_ONCE = 16;
const WORKING: readonly News['status'][] = ['created', 'designing', 'executing'];

export type NewsSubscription = { stop: () => void };

export type RunWatchers = {
  /** `notify` is called with the current status, and again whenever it changes. */
  follow: (run: RunFolder, notify: (news: News) => void) => NewsSubscription;
  /** Returns the number of watched runs. */
  count: () => number;
  close: () => void;
};

type WatchedRun = {
  run: RunFolder;
  readers: Set<(news: News) => void>;
  last: News | undefined;
  folder: FSWatcher | undefined;
  /** The tick at which the run is looked at again. */
  due: number;
};

export function createRunWatchers(): RunWatchers {
  const watched = new Map<string, WatchedRun>();
  const looks = createLooks();
  let tick = 0;
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    tick += 1;
    const due = [...watched.values()].filter((one) => one.due <= tick).sort((one, other) => one.due - other.due);
    for (const one of due.slice(0, MOST_LOOKS)) {
      one.due = tick + (one.folder === undefined || isWorking(one.last) ? WORKING_TICKS : RESTING_TICKS);
      looks.ask(one);
    }
  };
  const begin = (run: RunFolder): WatchedRun => {
    const one: WatchedRun = { run, readers: new Set(), last: undefined, folder: undefined, due: 0 };
    one.folder = watchFolder(join(run.dir, 'events'), () => looks.ask(one));
    // First looks are spread over the ticks, so that many resting runs are not all read in the same one.
    one.due = tick + 1 + (watched.size % RESTING_TICKS);
    watched.set(run.dir, one);
    timer ??= setInterval(beat, TICK_MS).unref();
    return one;
  };
  const end = (one: WatchedRun): void => {
    one.folder?.close();
    watched.delete(one.run.dir);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    follow: (run, notify) => {
      const one = watched.get(run.dir) ?? begin(run);
      one.readers.add(notify);
      if (one.last === undefined) looks.ask(one);
      else notify(one.last);
      return {
        stop: () => {
          one.readers.delete(notify);
          if (one.readers.size === 0 && watched.get(run.dir) === one) end(one);
        },
      };
    },
    count: () => watched.size,
    close: () => {
      for (const one of watched.values()) end(one);
    },
  };
}

const isWorking = (news: News | undefined): boolean => news !== undefined && WORKING.includes(news.status);

/** Limits parallel reads; a request during a read causes one more read after it. */
function createLooks(): { ask: (one: WatchedRun) => void } {
  const waiting = new Set<WatchedRun>();
  const running = new Set<WatchedRun>();
  const go = (): void => {
    for (const one of waiting) {
      if (running.size >= AT_ONCE) return;
      if (running.has(one)) continue;
      waiting.delete(one);
      running.add(one);
      void checkForNews(one).finally(() => {
        running.delete(one);
        go();
      });
    }
  };
  return {
    ask: (one) => {
      waiting.add(one);
      go();
    },
  };
}

async function checkForNews(one: WatchedRun): Promise<void> {
  if (one.readers.size === 0) return;
  const now = await readRunNews(one.run, one.last).catch(ignoreUnreadable);
  if (now === undefined || JSON.stringify(now) === JSON.stringify(one.last)) return;
  one.last = now;
  for (const notify of one.readers) notify(now);
}

/** Returns undefined where the system cannot watch folders; the clock looks all the same. */
function watchFolder(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Reads the journal again only when it has grown. */
async function readRunNews(run: RunFolder, before: News | undefined): Promise<News> {
  const isSame = before !== undefined && !(await isThere(join(run.dir, 'events', toNumberedName(before.length))));
  if (isSame && !isWorking(before)) return before;
  const news = isSame ? before : runNews(await readState(run));
  return { ...news, ...(await describeWork(run)) };
}

/** A folder that is being moved or deleted has no news; a broken journal or batch is shown by the page itself. */
export function ignoreUnreadable(error: unknown): undefined {
  if (!isHarnessError(error) && !(error instanceof Error && 'code' in error)) throw error;
}

async function isThere(path: string): Promise<boolean> {
  return (await valueOnErrno('ENOENT', undefined, stat(path))) !== undefined;
}

/** Describes the progress of the live attempt: its paid calls and finished samples, counted by their files. */
async function describeWork(run: RunFolder): Promise<Pick<News, 'work'>> {
  const attempts = await readdir(join(run.dir, 'wip')).catch(() => []);
  const attempt = attempts.find((name) => /^(design|execute)\./.test(name));
  // Files that a killed process has left are no work.
  if (attempt === undefined || (await findCarrier(run)) === 'nothing') return { work: '' };
  const counted = async (folder: string) =>
    (await readdir(join(run.dir, 'wip', attempt, folder)).catch(() => [])).length;
  const [calls, traces] = [await counted('turns'), await counted('out/traces')];
  const samples = traces === 0 ? '' : `, ${traces} traces`;
  return { work: `${attempt.replace(/@.*$/, '')}: ${calls} model calls${samples}` };
}
