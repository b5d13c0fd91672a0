/** Shows the runs of a batch: a table that is redrawn on a terminal, and one line per change elsewhere. */
import type { Log } from '../../app/log/log.ts';
import type { Progress } from '../../ports/progress.ts';
import { updateLiveRow, type LiveRow } from '../../report/batch/live-row.ts';
import { formatRowStatus, type BatchRow, type BatchSummary } from '../../report/batch/summary.ts';
import { renderBatch } from '../../report/batch/terminal.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Io } from '../command-context.ts';
import { printProgress } from '../print-progress.ts';

export type BatchScreen = {
  /** Returns the progress listener of one run. */
  progressOf: (run: string) => Progress;
  /** Takes the row that was read from disk after the run came to rest. */
  settle: (row: BatchRow) => void;
  close: () => void;
};

const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';
const FRAME_MS = 120;
/** Limit of table rows: a table taller than the screen cannot be redrawn in place. */
const HEIGHT = 22;

export function createBatchScreen(before: BatchSummary, io: Io): BatchScreen {
  if (io.log !== undefined) return createBatchLogScreen(io.log);
  return io.screen === undefined ? createBatchLineScreen(before, io) : createBatchTable(before, io, io.screen);
}

function createBatchLogScreen(log: Log): BatchScreen {
  return {
    progressOf: (run) => log.progress(run),
    settle: ({ run, status, why }) =>
      log.line(
        status === 'errored' ? 'error' : 'info',
        `${formatRowStatus({ status })}${why === '' ? '' : `: ${why}`}`,
        {
          run,
        },
      ),
    close: () => undefined,
  };
}

function createBatchLineScreen({ rows }: BatchSummary, io: Io): BatchScreen {
  const names = new Map(rows.map(({ run, scenario }) => [run, `${run.split('-').at(-1) ?? run} ${scenario}`]));
  const say = (run: string, text: string): void => io.err(`${names.get(run) ?? run}: ${text}`);
  return {
    progressOf: (run) => printProgress({ err: (line) => say(run, line) }),
    settle: ({ run, status, why }) =>
      say(run, terminalText(`${status.replaceAll('_', ' ')}${why === '' ? '' : `: ${why}`}`)),
    close: () => undefined,
  };
}

function createBatchTable(before: BatchSummary, io: Io, screen: NonNullable<Io['screen']>): BatchScreen {
  const live = new Map<string, LiveRow>(before.rows.map((row) => [row.run, { row, now: undefined }]));
  let drawn = 0;
  let changed = true;
  const paint = (): void => {
    if (!changed) return;
    changed = false;
    const summary = { ...before, rows: [...live.values()].map(({ row }) => row) };
    const now = new Map([...live].flatMap(([run, one]) => (one.now === undefined ? [] : [[run, one.now]])));
    const lines = renderBatch(summary, now, { columns: screen.columns(), height: HEIGHT, color: screen.color });
    io.draw(`${BEGIN}${drawn > 0 ? `\u001B[${drawn}A` : ''}\u001B[0J${lines.join('\n')}\n${END}`);
    drawn = lines.length;
  };
  const put = (run: string, one: LiveRow): void => {
    live.set(run, one);
    changed = true;
  };
  const timer = setInterval(paint, FRAME_MS);
  timer.unref();
  const forget = screen.onResize(() => {
    changed = true;
  });
  return {
    progressOf: (run) => (event) => {
      const one = live.get(run);
      if (one !== undefined) put(run, updateLiveRow(one, event));
    },
    settle: (row) => put(row.run, { row, now: undefined }),
    close: () => {
      paint();
      clearInterval(timer);
      forget();
    },
  };
}
