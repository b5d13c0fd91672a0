/** Describes the outcome of a run in words, with its caveats. */
import { describeBatchPrices, formatCount, intervalText } from '../text/number-format.ts';
import { formatPercent, reachesTarget } from '../../scenario/percent.ts';
import type { Results } from '../../scenario/result.ts';
import { describeUnproven } from './verification-markdown.ts';
import { isDisputed } from '../../scenario/attribution/named-causes.ts';
import { lastResults, waitingGate, type IterationSummary, type RunSummary } from './run-summary.ts';

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

/** Maps a run's status to the tone used everywhere; `plain` while it is under way or has not begun. */
export function getStatusTone(status: RunSummary['status'] | 'not_started' | 'unreadable' | 'newer'): Tone {
  if (status === 'unreadable') return 'bad';
  return status === 'not_started' || status === 'newer' ? 'plain' : STATUS_TITLES[status][0];
}

export function describeOutcome(summary: RunSummary): { tone: Tone; title: string; detail: string } {
  const [tone, words] = STATUS_TITLES[summary.status];
  const gate = waitingGate(summary);
  const last = summary.iterations.at(-1);
  return {
    tone,
    title: gate === undefined ? words : `${words} at ${gate}`,
    detail: last === undefined ? 'No iteration has been evaluated yet.' : `${scoreText(last)}. ${targetText(summary)}.`,
  };
}

/** Returns for example `14 of 15 samples passed (93.3 %, 95 % interval 70.1–98.8 %)`, and the unscored ones. */
export function scoreText(
  score: Pick<IterationSummary, 'passed' | 'total' | 'unscored' | 'successRate' | 'interval'>,
): string {
  if (score.total === 0) return 'No sample ran';
  const rate = `${formatPercent(score.successRate)}, 95 % interval ${intervalText(score.interval)}`;
  const unscored = score.unscored > 0 ? `, ${score.unscored} unscored` : '';
  return `${score.passed} of ${formatCount(score.total, 'sample')} passed (${rate})${unscored}`;
}

/** Returns for example `Target 85 %`, and whether the lower bound is compared with it. */
export function targetText(summary: Pick<RunSummary, 'target' | 'gate'>): string {
  return `Target ${formatPercent(summary.target)}${summary.gate === 'lower-bound' ? ' for the lower bound of the interval' : ''}`;
}

export type ReportNote = { tone: 'warn' | 'plain'; title: string; text: string };

/** Lists the actors at the gates that are not people. */
export function listPolicyActors(summary: RunSummary): string[] {
  const decided = summary.rounds.flatMap(({ decidedBy }) => (decidedBy?.startsWith('policy:') ? [decidedBy] : []));
  return [...new Set([...summary.policyActors, ...decided])];
}

/** Lists caveats on the rate, the same for the terminal, Markdown and HTML. */
export function listReportNotes(summary: RunSummary): ReportNote[] {
  const results = lastResults(summary)?.results;
  return [
    ...[simulationNote(summary), policyNote(summary), chanceNote(summary), unscoredNote(summary)],
    ...(results === undefined ? [] : listResultNotes(results)),
    economyNote(summary),
  ].filter((note) => note !== undefined);
}

/** Lists what speaks against the rate of one evaluation: disputes, unproven rules, graders, gaps of the sandbox. */
export function listResultNotes(results: Results): ReportNote[] {
  return [...[disputedNote(results), unprovenNote(results), ...graderNotes(results), sandboxNote(results)]].filter(
    (note) => note !== undefined,
  );
}

function simulationNote({ simulated, endpoint }: RunSummary): ReportNote | undefined {
  if (!simulated) return undefined;
  const text = `Scripts answered in place of a model${endpoint.includes('://') ? ` (${endpoint})` : ''}. Tool calls, checks and scores are real; the rate says nothing about a real model.`;
  return { tone: 'warn', title: 'SIMULATED', text };
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

function chanceNote(summary: RunSummary): ReportNote | undefined {
  const last = summary.iterations.at(-1);
  if (summary.status !== 'succeeded' || last === undefined || reachesTarget(last.interval[0], summary.target))
    return undefined;
  const text = `The rate clears the target, the lower bound of its interval (${formatPercent(last.interval[0])}) does not: ${formatCount(last.total, 'sample')} cannot settle it. Add samples, or let the gate compare the lower bound.`;
  return { tone: 'plain', title: 'SMALL SAMPLE', text };
}

function unscoredNote(summary: RunSummary): ReportNote | undefined {
  const unscored = summary.iterations.at(-1)?.unscored ?? 0;
  if (unscored === 0) return undefined;
  const text = `${formatCount(unscored, 'sample')} could not be judged, because the infrastructure failed or their users had no fitting move; they count in no rate.`;
  return { tone: 'warn', title: 'UNSCORED', text };
}

/** Warns that Execute and the evidence disagree on the cause of failures: the rate may be too low. */
function disputedNote({ samples }: Results): ReportNote | undefined {
  const disputed = samples.filter(isDisputed);
  if (disputed.length === 0) return undefined;
  const failed = samples.filter(({ outcome }) => outcome === 'fail').length;
  const names = disputed.map(({ id }) => id).join(', ');
  const text = `Of ${formatCount(failed, 'failure')} of the last iteration Execute puts ${disputed.length} elsewhere than the evidence does: ${names}. Read their traces before you believe the rate.`;
  return { tone: 'warn', title: 'DISPUTED', text };
}

function unprovenNote({ verification }: Results): ReportNote | undefined {
  const unproven = describeUnproven(verification);
  return unproven === undefined ? undefined : { tone: 'warn', title: 'NOT PROVEN', text: `${unproven}.` };
}

function graderNotes({ graders = [] }: Results): ReportNote[] {
  const names = (some: typeof graders) => some.map(({ id }) => id).join(', ');
  const allowed = graders.filter((grader) => grader.allowed === true);
  const shown = graders.filter((grader) => !grader.counts);
  return [
    ...(allowed.length === 0
      ? []
      : [
          {
            tone: 'warn' as const,
            title: 'UNCALIBRATED GRADERS DECIDE',
            text: `People's labels do not bear out ${names(allowed)}; they decide because scenario.yaml says graders: {uncalibrated: allow}.`,
          },
        ]),
    ...(shown.length === 0
      ? []
      : [
          {
            tone: 'plain' as const,
            title: 'GRADERS NOT COUNTED',
            text: `What ${names(shown)} said is shown and decides nothing until people's labels bear it out (tandem label).`,
          },
        ]),
  ];
}

function economyNote({ spend: { batches } }: RunSummary): ReportNote | undefined {
  return batches && { tone: 'plain', title: 'HALF PRICE', text: describeBatchPrices(batches) };
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
