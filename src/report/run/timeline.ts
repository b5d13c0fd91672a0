/** The timeline of a run: designs, decisions at the gate with their actors, iterations, and the final status. */
import { layersText } from './layers.ts';
import { formatCount, shortDigest, formatUsd } from '../text/number-format.ts';
import { formatPercent, reachesTarget } from '../../scenario/percent.ts';
import type { IterationSummary, RoundSummary, RunSummary } from './run-summary.ts';
import { scoreText, describeOutcome, type Tone } from './run-outcome.ts';

export type TimelineEntry = {
  kind: 'design' | 'gate' | 'iteration' | 'steering' | 'verdict';
  tone: Tone;
  title: string;
  text: string;
  /** The actor who decided at a gate or spoke to an agent at work; `policy` when it was no person. */
  actor?: { name: string; policy: boolean };
  /** The reviewer's comment, or the problems that went back to Init. */
  quotes: string[];
};

export function buildTimeline(summary: RunSummary): TimelineEntry[] {
  const ended = summary.rounds.flatMap((round) => [
    `design.r${round.round}`,
    ...summary.iterations.flatMap((one) => (one.round === round.round ? [`execute.i${one.iteration}`] : [])),
  ]);
  const saidIn = (step: string) => listSteeringEntries(summary, (one) => one === step);
  const moments = summary.rounds.flatMap((round) => [
    ...saidIn(`design.r${round.round}`),
    createDesignEntry(round),
    createDecisionEntry(round, summary),
    ...summary.iterations
      .filter((one) => one.round === round.round)
      .flatMap((one) => [...saidIn(`execute.i${one.iteration}`), createIterationEntry(one, summary)]),
  ]);
  const { tone, title } = describeOutcome(summary);
  const latest = listSteeringEntries(summary, (step) => !ended.includes(step));
  // An open gate is told by its own entry.
  const isOpen = summary.status === 'awaiting_approval';
  return [
    ...[...moments, ...latest],
    ...(isOpen ? [] : [{ kind: 'verdict' as const, tone, title, text: summary.why, quotes: [] }]),
  ];
}

function createDesignEntry({ round, rules, digest }: RoundSummary): TimelineEntry {
  const text = `${formatCount(rules, 'business rule')}, design ${shortDigest(digest)}`;
  return { kind: 'design', tone: 'plain', title: `Design r${round}`, text, quotes: [] };
}

function listSteeringEntries({ steering = [] }: RunSummary, isMeant: (step: string) => boolean): TimelineEntry[] {
  return steering
    .filter(({ step }) => isMeant(step))
    .map(({ step, agent, actor: name, at, text, entry }) => ({
      ...{ kind: 'steering', tone: entry === undefined ? 'warn' : 'plain', title: `Said to ${agent} during ${step}` },
      text: `At ${at}; ${entry === undefined ? 'not read: the step ended, or waits' : `read at ${entry} of its transcript`}.`,
      ...{ actor: { name, policy: false }, quotes: [text] },
    }));
}

const DECISIONS = {
  approve: ['good', 'approved'],
  edit_approve: ['good', 'approved with edits'],
  request_changes: ['warn', 'changes requested'],
  reject: ['bad', 'rejected'],
  expired: ['bad', 'expired'],
} as const;

function createDecisionEntry(
  { round, decision: written, decidedBy, comment }: RoundSummary,
  { status, rounds }: RunSummary,
): TimelineEntry {
  const gate = `HITL-1.r${round}`;
  const decision = written ?? (status === 'expired' && rounds.at(-1)?.round === round ? 'expired' : undefined);
  if (decision === undefined)
    return { kind: 'gate', tone: 'warn', title: `${gate}: open`, text: 'No decision yet.', quotes: [] };
  const [tone, words] = DECISIONS[decision];
  const actor = decidedBy === undefined ? {} : { actor: { name: decidedBy, policy: decidedBy.startsWith('policy:') } };
  return {
    kind: 'gate',
    tone,
    title: `${gate}: ${words}`,
    text: '',
    quotes: comment.trim() === '' ? [] : [comment],
    ...actor,
  };
}

function createIterationEntry(iteration: IterationSummary, { target, gate }: RunSummary): TimelineEntry {
  const measured = gate === 'lower-bound' ? iteration.interval[0] : iteration.successRate;
  const layers = layersText(iteration.layers);
  const back = iteration.returned ? ' Returned to Init.' : '';
  return {
    kind: 'iteration',
    tone: reachesTarget(measured, target) ? 'good' : 'plain',
    title: `Iteration ${iteration.iteration}: ${iteration.total === 0 ? 'no sample ran' : formatPercent(iteration.successRate)}`,
    text: `${scoreText(iteration)}${layers === '' ? '' : `. Failures: ${layers}`}. Cost ${formatUsd(iteration.costUsd)}.${back}`,
    quotes: (iteration.problems ?? []).map(
      ({ title, claim, rules, samples }) => `${title}: ${claim} (${rules.join(', ')}; samples ${samples.join(', ')})`,
    ),
  };
}
