/** Shows progress to the user: a block that is redrawn on a terminal, and one line per real change elsewhere. */
import { createProgressView } from '../report/live/render-live.ts';
import type { Log } from '../app/log/log.ts';
import type { Progress } from '../ports/progress.ts';
import type { Io } from './command-context.ts';
import { printProgress } from './print-progress.ts';

/** Synchronised output: the terminal shows a redraw at once instead of line by line. */
const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';
/** Limits the redraws per second, because events come in bursts. */
const FRAME_MS = 60;
/** A model may think for minutes, and a screen that never changes looks like a hang. */
const SILENCE_MS = 10_000;

export type LiveScreen = {
  progress: Progress;
  /** Removes the block, runs something that uses the terminal, and draws the block again below it. */
  suspended: <Value>(use: () => Promise<Value>) => Promise<Value>;
  /** Leaves the milestones on the screen, or the last picture where there are none, and stops drawing. */
  close: () => void;
};

export function createLiveScreen(io: Io): LiveScreen {
  if (io.log === undefined && io.screen !== undefined) return createLiveBlock(io, io.screen);
  const progress = io.log === undefined ? printProgress(io) : logProgress(io.log);
  return { progress, suspended: (use) => use(), close: () => undefined };
}

function logProgress(log: Log): Progress {
  let run: string | undefined;
  return (event) => {
    if (event.type === 'run') run = event.run;
    log.progress(run)(event);
  };
}

function createLiveBlock(io: Io, screen: NonNullable<Io['screen']>): LiveScreen {
  const view = createProgressView({ columns: screen.columns(), color: screen.color });
  let pending: string[] | undefined;
  let drawn = 0;
  let quiet = false;
  let newsAt = Infinity;
  const paint = (): void => {
    if (pending === undefined || quiet) return;
    const up = drawn > 0 ? `\u001B[${drawn}A` : '';
    // Lines are cleared one by one: clearing all at once from the top makes some terminals keep every frame.
    const lines = pending.map((line) => `\u001B[2K${line}\n`).join('');
    io.draw(`${BEGIN}${up}${lines}\u001B[0J${END}`);
    drawn = pending.length;
    pending = undefined;
  };
  const forget = [
    screen.onResize(() => {
      pending = view.resize(screen.columns());
    }),
    screen.onWords?.(() => {
      drawn = 0;
    }),
  ];
  const timers = [
    setInterval(paint, FRAME_MS),
    setInterval(() => {
      const silentMs = performance.now() - newsAt;
      if (silentMs >= SILENCE_MS) pending = view.silent(silentMs);
    }, 1000),
  ];
  for (const timer of timers) timer.unref();
  return {
    progress: (event) => {
      newsAt = performance.now();
      pending = view.feed(event);
    },
    suspended: async (use) => {
      paint();
      quiet = true;
      try {
        return await use();
      } finally {
        quiet = false;
        drawn = 0;
      }
    },
    close: () => {
      for (const timer of timers.splice(0)) clearInterval(timer);
      if (pending !== undefined || drawn > 0) pending = view.close();
      paint();
      drawn = 0;
      for (const one of forget.splice(0)) one?.();
    },
  };
}
