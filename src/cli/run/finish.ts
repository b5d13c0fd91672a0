/** The end of a run or resume: reports on disk, the last words on screen, the JSON line, the exit code. */
import { join } from 'node:path';
import { rememberRun } from '../../app/open-memory.ts';
import { findHome } from '../../config/home.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import { summarise } from '../../pipeline/summarise.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { renderRunHtml } from '../../report/html/run-html.ts';
import { renderJUnit } from '../../report/run/junit.ts';
import { resultLine } from '../../report/run/result-line.ts';
import { renderRunMarkdown } from '../../report/run/run-markdown.ts';
import type { RunSummary } from '../../report/run/run-summary.ts';
import { renderStatus } from '../../report/run/status.ts';
import type { RunState } from '../../run/state.ts';
import { checkAgainstBaseline, type BaselineCheck, type BaselineSource } from '../ci/baseline.ts';
import { writeJUnit } from '../ci/outputs.ts';
import { gateOf, reportToCi } from '../ci/report.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import type { Io } from '../io.ts';

const REPORTS = [
  ['out/summary.md', renderRunMarkdown],
  ['out/report.html', renderRunHtml],
  ['out/junit.xml', renderJUnit],
] as const;

/** For people and machines that look into the folder; made anew whenever the run rests. */
export async function writeReports(run: RunFolder, summary: RunSummary): Promise<void> {
  for (const [path, render] of REPORTS) await run.write(path, render(summary));
}

export type FinishOptions = {
  json: boolean;
  /** The time slice ended the work, and not the run itself. */
  timeUp?: boolean;
  gateExitCode?: number;
  /** Absolute path of a second copy of the JUnit report. */
  junit?: string | undefined;
  held?: BaselineSource | undefined;
  /** Ends the time in which GitHub takes no workflow command from the output. */
  takeCommands?: () => void;
};

export async function finish(
  runId: string,
  state: RunState,
  deps: ReadDeps,
  endpoint: string | undefined,
  io: Io,
  options: FinishOptions,
): Promise<number> {
  const run = await deps.store.open(runId);
  const summary = await summarise(run, endpoint);
  await writeReports(run, summary);
  if ('verdict' in state) await rememberRun(findHome(io.cwd), run, io.err);
  await writeJUnit(options.junit, renderJUnit(summary));
  const against = baselineOf(summary, options.held);
  const code = codeOf(state, against, options);
  for (const line of [...lastWords(summary, state, io), ...wordsOf(against, code)]) io.err(line);
  await reportToCi({ summary, state, against: against?.label, code, junit: options.junit }, io, options.takeCommands);
  if (options.json) io.out(JSON.stringify({ ...resultLine(summary), ...gateOf(state), ...baselineFacts(against) }));
  return code;
}

/** A baseline takes the place of the target, but of nothing else: what waits still waits. */
function codeOf(state: RunState, against: BaselineCheck | undefined, options: FinishOptions): number {
  const live = ['created', 'designing', 'executing'].includes(state.status);
  if (options.timeUp === true && live) return EXIT.timeSlice;
  const code = exitCodeOf(state);
  if (code === EXIT.waiting) return options.gateExitCode ?? code;
  if (against === undefined || (code !== EXIT.met && code !== EXIT.notMet)) return code;
  return against.label === 'regression' ? EXIT.notMet : EXIT.met;
}

function baselineOf(summary: RunSummary, held: BaselineSource | undefined): BaselineCheck | undefined {
  const results = summary.iterations.findLast((iteration) => iteration.results !== undefined)?.results;
  return held === undefined || results === undefined ? undefined : checkAgainstBaseline(held, results);
}

function baselineFacts(against: BaselineCheck | undefined): { baseline?: BaselineCheck } {
  return against === undefined ? {} : { baseline: against };
}

function wordsOf(against: BaselineCheck | undefined, code: number): string[] {
  return [
    ...(against === undefined ? [] : [`baseline ${against.text}`]),
    ...(code === EXIT.timeSlice ? ['time     the slice is used up; the same command goes on from here (exit 7)'] : []),
  ];
}

function lastWords(summary: RunSummary, state: RunState, io: Io): string[] {
  return [
    '',
    ...renderStatus(summary, io.screen?.columns() ?? 100, io.screen?.color ?? false),
    '',
    `report   ${join(summary.folder, 'out/report.html')}`,
    `         ${join(summary.folder, 'out/summary.md')}`,
    ...nextSteps(summary.run, state),
  ];
}

/** What to type next, for every state in which a run can rest. */
export function nextSteps(run: string, state: RunState): string[] {
  switch (state.status) {
    case 'awaiting_approval':
      return [
        `gate     ${state.gate.id}   digest ${state.gate.digest}`,
        `read     tandem gates show ${run}`,
        `decide   tandem gates approve ${run} --digest ${state.gate.digest.slice(0, 16)}`,
        `         tandem gates request-changes ${run} --digest ${state.gate.digest.slice(0, 16)} --comment "…"`,
        `go on    tandem resume ${run}`,
      ];
    case 'paused':
      return [`go on    tandem resume ${run}${state.pause.reason === 'budget' ? ' --raise 5' : ''}`];
    case 'errored':
      return [`why      ${state.failure.step}: ${state.failure.message}`, `go on    tandem resume ${run}`];
    case 'created':
    case 'designing':
    case 'executing':
      return [`go on    tandem resume ${run}`];
    default:
      return [];
  }
}
