/** The end of a run or resume: reports on disk, closing lines with the next steps, the JSON line, and the exit code. */
import { join, relative, resolve } from 'node:path';
import { rememberRun } from '../../app/open-memory.ts';
import { findHome } from '../../config/home.ts';
import { summarise } from '../../pipeline/summarise.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { renderRunHtml } from '../../report/html/run-html.ts';
import { renderJUnit } from '../../report/run/junit.ts';
import { resultLine } from '../../report/run/result-line.ts';
import { renderRunMarkdown } from '../../report/run/run-markdown.ts';
import { judgeSummary, type RunSummary } from '../../report/run/run-summary.ts';
import { renderStatus } from '../../report/run/status.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import type { RunState } from '../../run/state.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { BaselineCheck } from '../ci/baseline.ts';
import type { Ci } from '../ci/ci.ts';
import { writeJUnit, isGitHubActions, toRepositoryPath, writeOutputs, writeStepSummary } from '../ci/report-results.ts';
import { terminalSize, EXIT, getExitCode, type Io } from '../command-context.ts';
import { REPORT_STYLE } from '../report-style.ts';
import { renderStepSummary } from '../../report/run/step-summary.ts';
import { openStore } from '../../app/open-store.ts';
import { findRun } from '../../run-folder/find-run.ts';
import { shellQuote } from '../../report/text/sanitise.ts';
import type { ResultsVerdict } from '../../scenario/statistics/judge-results.ts';
import { standingText } from '../../gate/rules/quorum.ts';
import { describeNextStep, type RunCarrier } from '../../report/run/next-step.ts';

const REPORTS = [
  ['out/summary.md', renderRunMarkdown],
  ['out/report.html', (summary: RunSummary) => renderRunHtml(summary, REPORT_STYLE)],
  ['out/junit.xml', renderJUnit],
] as const;

/** Writes the reports for people and programs that look into the run folder, each time the run comes to rest. */
export async function writeReports(run: RunFolder, summary: RunSummary): Promise<void> {
  for (const [path, render] of REPORTS) await run.write(path, render(summary));
}

export type RestedRun = {
  run: RunFolder;
  state: RunState;
  endpoint: string | undefined;
  io: Io;
  ci: Ci;
  json: boolean | undefined;
  profile?: string | undefined;
};

export async function finishRun({ run, state, endpoint, io, ci, json, profile }: RestedRun): Promise<number> {
  const { junit } = ci.plan;
  const summary = await summarise(run, endpoint);
  await writeReports(run, summary);
  if ('verdict' in state) await rememberRun(findHome(io.cwd), run, io.err);
  await writeJUnit(junit, renderJUnit(summary), io);
  const results = summary.iterations.findLast((iteration) => iteration.results !== undefined)?.results;
  const against = results === undefined ? undefined : ci.checkBaseline?.(results);
  const code = chooseExitCode(state, against, ci);
  const name = await formatRunReference(run, io);
  const verdict = judgeSummary(summary);
  // A target that is met leaves nothing to do but to read the report, which the line before names.
  const isMet = state.status === 'succeeded' && verdict === 'met';
  const next = isMet ? [] : nextSteps(name, state, { carrier: await findCarrier(run), verdict });
  const lines = [
    '',
    ...renderStatus(summary, terminalSize(io, 100)),
    `report   ${shortenPath(join(summary.folder, 'out/report.html'), io.cwd)}`,
    ...formatGateHint(summary, profile),
    ...next,
    ...(against === undefined ? [] : [`baseline ${against.text}`]),
    ...(code === EXIT.timeSlice ? ['time     the slice is used up; the same command goes on from here (exit 7)'] : []),
  ];
  for (const line of lines) io.err(line);
  await reportToCi({ summary, state, against: against?.label, code, junit }, io, ci.takeCommands);
  if (json === true)
    io.out(
      JSON.stringify({ ...resultLine(summary), ...getWaitingGate(state), ...omitUndefined({ baseline: against }) }),
    );
  return code;
}

/** A baseline replaces only the target: a run that waits for a person still exits with the gate's code. */
function chooseExitCode(state: RunState, against: BaselineCheck | undefined, { plan, slice }: Ci): number {
  const live = ['created', 'designing', 'executing'].includes(state.status);
  if (slice.used() && live) return EXIT.timeSlice;
  const code = getExitCode(state);
  if (code === EXIT.waiting) return plan.gateExitCode;
  if (against === undefined || (code !== EXIT.met && code !== EXIT.notMet)) return code;
  if (against.label === 'incomplete') return EXIT.infrastructure;
  return against.label === 'regression' ? EXIT.notMet : EXIT.met;
}

/** A path below the working directory is shown relative to it, so that it fits into a narrow terminal. */
export function shortenPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}

/** A policy stood in for a person, so the reader learns how to be that person. */
function formatGateHint({ scenario, rounds, simulated }: RunSummary, profile: string | undefined): string[] {
  if (!simulated || !rounds.some(({ decidedBy }) => decidedBy?.startsWith('policy:') === true)) return [];
  const flag = profile === undefined ? '' : ` --profile ${profile}`;
  return [`Decide at the gate yourself: tandem run ${scenario}${flag} --on-gate prompt`];
}

type CiResult = {
  summary: RunSummary;
  state: RunState;
  /** Result of the comparison with a baseline. */
  against: string | undefined;
  code: number;
  junit: string | undefined;
};

/** `takeCommands` lets GitHub read workflow commands from the output again. */
async function reportToCi(ended: CiResult, io: Io, takeCommands: () => void): Promise<void> {
  const { summary, state, against, code, junit } = ended;
  const { run, folder, status, rounds, iterations, successRate, target, costUsd, uncertainUsd, simulated } =
    resultLine(summary);
  const outputs = {
    run,
    folder,
    scenario: summary.scenario,
    status,
    exit_code: code,
    ...getWaitingGate(state),
    rounds,
    iterations,
    success_rate: successRate ?? '',
    target,
    cost_usd: costUsd,
    uncertain_usd: uncertainUsd,
    simulated,
    report: join(folder, 'out/report.html'),
    junit: junit ?? join(folder, 'out/junit.xml'),
    baseline: against,
  };
  await writeOutputs(outputs, io);
  await writeStepSummary(renderStepSummary(summary), io);
  takeCommands();
  if (!isGitHubActions(io)) return;
  const { renderAnnotations } = await import('../../report/run/annotations.ts');
  // A run's folder lies in that of its scenario.
  const file = toRepositoryPath(resolve(folder, '../../scenario.yaml'), io);
  for (const line of renderAnnotations(summary, file)) io.err(line);
}

/** Returns the waiting gate with the digest that an answer must name; empty when no gate waits. */
function getWaitingGate(state: RunState): { gate?: string; digest?: string } {
  return state.status === 'awaiting_approval' ? { gate: state.gate.id, digest: state.gate.digest } : {};
}

/** Guarantees that `tandem <command> <reference>`, pasted in the same folder, acts on this run and on no other. */
export async function formatRunReference(
  run: Pick<RunFolder, 'id' | 'dir'>,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<string> {
  const found = await findRun(openStore(findHome(cwd)).store, run.id);
  if (found?.dir === run.dir) return run.id;
  const path = relative(cwd, run.dir);
  return shellQuote(path.includes('/') ? path : `./${path}`);
}

/** Failures that a stored answer may cause again on every try. */
const MADE_BY_ANSWERS: ReadonlySet<string> = new Set([
  'agent_stopped',
  'protocol_violation',
  'model_refused',
  'context_overflow',
]);

/** Each line is a whole command, so that it can be pasted even from a narrow screen. */
export function decisionLines(run: string, designDigest: string): string[] {
  const digest = designDigest.slice(0, 16);
  return [
    `decide   tandem gates approve ${run} --digest ${digest}`,
    `         tandem gates request-changes ${run} --digest ${digest} --comment "…"`,
  ];
}

/** Lists the next commands of a run; `verdict` is that of its newest results. */
export function nextSteps(
  run: string,
  state: RunState,
  { carrier = 'nothing', verdict }: { carrier?: RunCarrier; verdict?: ResultsVerdict | undefined } = {},
): string[] {
  const { text, command } = describeNextStep({ run, state, carrier, verdict });
  switch (state.status) {
    case 'awaiting_approval':
      return [
        `read     ${command}`,
        ...decisionLines(run, state.gate.digest),
        carrier === 'workers'
          ? `go on    workers carry it on after the decision; to watch: tandem resume ${run}`
          : `go on    tandem resume ${run}`,
      ];
    case 'created':
    case 'designing':
    case 'executing':
      return carrier === 'nothing' ? [`go on    ${command}`] : [`go on    ${text} ${command}`];
    case 'paused':
    case 'errored':
      return [
        `go on    ${command}`,
        ...(state.status === 'errored' && MADE_BY_ANSWERS.has(state.failure.code)
          ? [`         tandem resume ${run} --discard-last-answer   if it fails the same way again`]
          : []),
      ];
    default:
      return [`next     ${text} ${command}`];
  }
}

/** Describes in one sentence what follows a decision at a gate. */
export function nextAfterDecision(run: string, state: RunState, carrier: RunCarrier): string {
  if (state.status === 'awaiting_approval') return standingText(state.gate);
  const { text, command } = describeNextStep({ run, state, carrier });
  return `${text} ${command}`;
}
