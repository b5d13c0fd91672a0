/** The end of a run or resume: reports on disk, the last words on screen, the JSON line, the exit code. */
import { join } from 'node:path';
import type { ReadDeps } from '../pipeline/deps.ts';
import { summarise } from '../pipeline/summarise.ts';
import { renderRunHtml } from '../report/html/run-html.ts';
import { renderJUnit } from '../report/junit.ts';
import { resultLine } from '../report/result-line.ts';
import { renderRunMarkdown } from '../report/run-markdown.ts';
import type { RunSummary } from '../report/run-summary.ts';
import { renderStatus } from '../report/status.ts';
import type { RunState } from '../run/state.ts';
import { exitCodeOf } from './exit-code.ts';
import type { Io } from './io.ts';

const REPORTS = [
  ['out/summary.md', renderRunMarkdown],
  ['out/report.html', renderRunHtml],
  ['out/junit.xml', renderJUnit],
] as const;

export async function finish(
  runId: string,
  state: RunState,
  deps: ReadDeps,
  endpoint: string | undefined,
  io: Io,
  options: { json: boolean },
): Promise<number> {
  const run = await deps.store.open(runId);
  const summary = await summarise(run, endpoint);
  for (const [path, render] of REPORTS) await run.write(path, render(summary));
  for (const line of lastWords(summary, state, io)) io.err(line);
  if (options.json) io.out(JSON.stringify(resultLine(summary)));
  return exitCodeOf(state.status, state.status === 'paused' ? state.pause.reason : undefined);
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
