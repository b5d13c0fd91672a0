/** Describes the outcome of a run in words, with its caveats. */
import { formatCount, intervalText } from '../text/number-format.ts';
import { formatPercent, reachesTarget } from '../../scenario/percent.ts';
import { nameLosses } from '../../scenario/lost-by-user.ts';
import type { Results } from '../../scenario/result.ts';
import { listUnprovenNotes, statementsNote } from './verification-markdown.ts';
import { isDisputed } from '../../scenario/attribution/named-causes.ts';
import { computeScore } from '../../scenario/proof-strength.ts';
import {
  countPassedRange,
  countUnscored,
  isSampleDisputed,
  judgeResults,
  listDisputes,
} from '../../scenario/statistics/judge-results.ts';
import { lastResults, type IterationSummary, type RunSummary } from './run-summary.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

const STATUS_TITLES: Readonly<Record<RunSummary['status'], readonly [tone: Tone, title: string]>> = {
  created: ['plain', 'Not started'],
  designing: ['plain', "Init's turn"],
  awaiting_approval: ['warn', 'Waiting for a person'],
  executing: ['plain', "Execute's turn"],
  paused: ['warn', 'Paused'],
  succeeded: ['good', 'Target met'],
  failed: ['bad', 'Target not met'],
  rejected: ['bad', 'Rejected at the gate'],
  expired: ['bad', 'The gate expired'],
  cancelled: ['warn', 'Cancelled'],
  errored: ['bad', 'Stopped by an error'],
};

/** Says a status in words, where one run stands in a line or a cell. */
export function describeStatus(status: string): string {
  return Object.entries(STATUS_TITLES).find(([name]) => name === status)?.[1][1] ?? status.replaceAll('_', ' ');
}

/** Maps a run's status to the tone used everywhere; `plain` while it is under way or has not begun. */
export function getStatusTone(
  status: RunSummary['status'] | 'not_started' | 'unreadable' | 'newer' | 'evaluated',
): Tone {
  if (status === 'unreadable') return 'bad';
  return status === 'not_started' || status === 'newer' || status === 'evaluated' ? 'plain' : STATUS_TITLES[status][0];
}

export function describeOutcome(summary: RunSummary): { tone: Tone; title: string; detail: string } {
  const [tone, title] = STATUS_TITLES[summary.status];
  const last = summary.iterations.at(-1);
  return {
    tone,
    title,
    detail: last === undefined ? 'No iteration has been evaluated yet.' : `${scoreText(last)}. ${targetText(summary)}.`,
  };
}

type Score = Pick<IterationSummary, 'passed' | 'total' | 'unscored' | 'successRate' | 'interval' | 'passedRange'>;

/** Returns `16`, or `16 to 17` where doubtful verdicts leave it open. */
export function passedText({ passed, passedRange }: Pick<Score, 'passed' | 'passedRange'>): string {
  return passedRange === undefined ? `${passed}` : `${passedRange.low} to ${passedRange.high}`;
}

/** Returns for example `14 of 15 samples passed (93.3 %, 95 % interval 70.1–98.8 %)`, and the unscored ones. */
export function scoreText(score: Score): string {
  if (score.total === 0) return 'No sample ran';
  const rate = `${formatPercent(score.successRate)}, 95 % interval ${intervalText(score.interval)}`;
  const unscored = score.unscored > 0 ? `, ${score.unscored} unscored` : '';
  return `${passedText(score)} of ${formatCount(score.total, 'sample')} passed (${rate})${unscored}`;
}

/** Returns for example `Target 85 %`, and whether the lower bound is compared with it. */
export function targetText(summary: Pick<RunSummary, 'target' | 'gate'>): string {
  return `Target ${formatPercent(summary.target)}${summary.gate === 'lower-bound' ? ' for the lower bound of the interval' : ''}`;
}

export type ReportNote = {
  tone: 'warn' | 'plain';
  title: string;
  text: string;
  /** Set when the note speaks against the rate itself, so that its title stands beside the rate. */
  against?: true;
  /** The subject of the note, for its title beside the rate. */
  about?: string;
  /** Single findings, each with its trace, relative to the folder of the run or else of the results. */
  items?: { text: string; path: string; line?: number | undefined }[];
};

/** Lists the actors at the gates that are not people. */
export function listPolicyActors(summary: RunSummary): string[] {
  const decided = summary.rounds.flatMap(({ decidedBy }) => (decidedBy?.startsWith('policy:') ? [decidedBy] : []));
  return [...new Set([...summary.policyActors, ...decided])];
}

/** Lists caveats on the rate, the same for the terminal, Markdown and HTML. */
export function listReportNotes(summary: RunSummary): ReportNote[] {
  const last = lastResults(summary);
  const own = last === undefined ? [] : listEvaluationNotes(last.results);
  return [
    ...[...simulationNote(summary), policyNote(summary)],
    ...own.map((note) => placeItems(note, last?.iteration.outputDir ?? '')),
  ].filter((note) => note !== undefined);
}

function placeItems(note: ReportNote, folder: string): ReportNote {
  const { items } = note;
  return items === undefined
    ? note
    : { ...note, items: items.map((item) => ({ ...item, path: `${folder}/${item.path}` })) };
}

/** Lists what the reader of one evaluation must know: that it is simulated, what speaks against its rate, then the rest. */
export function listResultNotes(results: Results): ReportNote[] {
  return [...simulationNote(results), ...listEvaluationNotes(results)];
}

function listEvaluationNotes(results: Results): ReportNote[] {
  const doubts = [
    ...[incompleteNote(results), verdictNote(results), ...listUnprovenNotes(results), chanceNote(results)],
    ...[strengthNote(results), causeNote(results)],
  ].flatMap((note) => (note === undefined ? [] : [{ ...note, against: true as const }]));
  return [...doubts, statementsNote(results), ...graderNotes(results), sandboxNote(results)].filter(
    (note) => note !== undefined,
  );
}

/** Names in one line what speaks against the rate, for the place next to it; undefined where nothing does. */
export function describeAgainst(notes: readonly ReportNote[]): string | undefined {
  const titles = notes.flatMap(({ against, title, items = [], about = `${items.length}` }) =>
    against === undefined ? [] : [about === '0' || about === '1' ? title : `${title} (${about})`],
  );
  return titles.length === 0 ? undefined : `Against this number: ${titles.join(', ')}`;
}

/** Returns for example `traces/a.1.jsonl:14`. */
export function formatPlace(path: string, line: number | undefined): string {
  return line === undefined ? path : `${path}:${line}`;
}

/** Lists the same for programs. */
export function listAgainst(notes: readonly ReportNote[]): Pick<ReportNote, 'title' | 'text' | 'items'>[] {
  return notes.flatMap(({ against, title, text, items }) =>
    against === undefined ? [] : [{ title, text, ...(items && { items }) }],
  );
}

function simulationNote({ simulated, endpoint = '' }: { simulated: boolean; endpoint?: string }): ReportNote[] {
  if (!simulated) return [];
  const text = `Scripts answered in place of a model${endpoint.includes('://') ? ` (${endpoint})` : ''}. Tool calls, checks and scores are real; the rate says nothing about a real model.`;
  return [{ tone: 'warn', title: 'SIMULATED', text }];
}

function policyNote(summary: RunSummary): ReportNote | undefined {
  const actors = listPolicyActors(summary);
  if (actors.length === 0) return undefined;
  const gates = summary.rounds.filter(({ decidedBy }) => decidedBy !== undefined && actors.includes(decidedBy));
  const which = gates.map(({ round }) => `HITL-1.r${round}`).join(', ') || 'a gate';
  return {
    tone: 'warn',
    title: 'NO PERSON APPROVED',
    text: `${which} ${gates.length > 1 ? 'were' : 'was'} answered by ${actors.join(', ')}, not by a person.`,
  };
}

function incompleteNote({ samples }: Results): ReportNote | undefined {
  const open = countUnscored(samples);
  if (open === 0) return undefined;
  const causes = [...new Set(samples.map(nameLosses))].filter((one) => one !== '').join(', ');
  const text = `${formatCount(open, 'trial')} ${open === 1 ? 'has' : 'have'} no verdict: ${causes}; ${open === 1 ? 'it counts' : 'they count'} in no rate, and nothing is said about the target.`;
  return { tone: 'warn', title: 'INCOMPLETE', text };
}

const MOST_DISPUTES = 10;

/** Names each doubtful verdict with its doubt and its trace; a person settles them by labels. */
function verdictNote(results: Results): ReportNote | undefined {
  const { samples } = results;
  const all = listDisputes(samples);
  if (all.length === 0) return undefined;
  const { low, high, total } = countPassedRange(samples);
  const range = low === high ? `${low} of ${total} pass either way` : `${low} to ${high} of ${total} pass`;
  const open = judgeResults(results) === 'disputed' ? ', and the target is met by the higher number alone' : '';
  const count = samples.filter(isSampleDisputed).length;
  const more = all.length > MOST_DISPUTES ? ` The first ${MOST_DISPUTES} of ${all.length} follow.` : '';
  const text = `The verdicts on ${formatCount(count, 'sample')} are doubtful: ${range}${open}. Read the traces and settle them: tandem label.${more}`;
  const items = all
    .slice(0, MOST_DISPUTES)
    .map(({ name, text: why, trace: path, line }) => ({ text: `${name}: ${why}`, path, line }));
  return { tone: 'warn', title: 'DISPUTED', text, items };
}

function chanceNote({ successRate, interval, target, total, gate, samples }: Results): ReportNote | undefined {
  const isSettled = !reachesTarget(successRate, target) || reachesTarget(interval[0], target);
  if (isSettled || total === 0 || countUnscored(samples) > 0) return undefined;
  const remedy = gate === 'lower-bound' ? 'Add samples.' : 'Add samples, or hold the lower bound to the target.';
  const text = `The rate meets the target, but ${formatCount(total, 'sample')} leave room for chance: the true rate may be as low as ${formatPercent(interval[0])}, the lower bound of the interval. ${remedy}`;
  return { tone: 'plain', title: 'SMALL SAMPLE', text };
}

/** A proof that notices less of the faults seeded into components lets a broken one through too often. */
const STRENGTH_LIMIT = 0.8;

function strengthNote({ verification: { strength } }: Results): ReportNote | undefined {
  if (strength === undefined) return undefined;
  const score = computeScore(strength.all);
  if (score >= STRENGTH_LIMIT) return undefined;
  const text = `The proof notices ${strength.all.caught} of ${strength.all.total} faults seeded into the components, ${formatPercent(score)}; the limit is ${formatPercent(STRENGTH_LIMIT)}.`;
  return { tone: 'warn', title: 'WEAK PROOF', text };
}

/** Warns that Execute and the evidence disagree on the cause of failures: the rate may be too low. */
function causeNote({ samples }: Results): ReportNote | undefined {
  const disputed = samples.filter(isDisputed);
  if (disputed.length === 0) return undefined;
  const failed = samples.filter(({ outcome }) => outcome === 'fail').length;
  const names = disputed.map(({ id }) => id).join(', ');
  const text = `Of ${formatCount(failed, 'failure')} of the last iteration Execute puts ${disputed.length} elsewhere than the evidence does: ${names}. Read their traces before you believe the rate.`;
  return { tone: 'warn', title: 'CAUSES DISPUTED', text };
}

function graderNotes({ graders = [] }: Results): ReportNote[] {
  const nameGraders = (some: typeof graders) => some.map(({ id }) => id).join(', ');
  const allowed = nameGraders(graders.filter((grader) => grader.allowed === true));
  const shown = nameGraders(graders.filter((grader) => !grader.counts));
  const notes: ReportNote[] = [];
  if (allowed !== '') {
    const text = `People's labels do not bear out ${allowed}; they decide because scenario.yaml says graders: {uncalibrated: allow}.`;
    notes.push({ tone: 'warn', title: 'UNCALIBRATED GRADERS DECIDE', text });
  }
  if (shown !== '') {
    const text = `What ${shown} said is shown and decides nothing until people's labels bear it out (tandem label).`;
    notes.push({ tone: 'plain', title: 'GRADERS NOT COUNTED', text });
  }
  return notes;
}

function sandboxNote({ sandbox, sandboxGaps: gaps = [] }: Results): ReportNote | undefined {
  if (gaps.length === 0) return undefined;
  const text = `Generated code was confined by ${sandbox} only: ${gaps.join('; ')}.`;
  return { tone: 'warn', title: 'NOT FULLY CONFINED', text };
}

/** Names the sandbox of the newest results, or else the one that the run recorded. */
export function getSandboxName(summary: RunSummary): string {
  return lastResults(summary)?.results.sandbox ?? summary.sandbox;
}
