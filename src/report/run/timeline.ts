/** The story of a run in order: designs, decisions at the gate with their actors, iterations, and its status. */
import { layersText } from './layers.ts';
import { count, shortDigest, usd } from '../text/number-format.ts';
import { formatPercent, reachesTarget } from '../../scenario/percent.ts';
import type { IterationSummary, RoundSummary, RunSummary } from './run-summary.ts';
import { scoreText, verdict, type Tone } from './verdict.ts';

export type TimelineEntry = {
  kind: 'design' | 'gate' | 'iteration' | 'steering' | 'verdict';
  tone: Tone;
  title: string;
  text: string;
  /** Who decided at a gate, or spoke to an agent at work; `policy` when it was no person. */
  actor?: { name: string; policy: boolean };
  /** The reviewer's words, or the problems that went back to Init. */
  quotes: string[];
};

export function timeline(summary: RunSummary): TimelineEntry[] {
  const ended = summary.rounds.flatMap((round) => [
    `design.r${round.round}`,
    ...summary.iterations.flatMap((one) => (one.round === round.round ? [`execute.i${one.iteration}`] : [])),
  ]);
  const saidIn = (step: string) => steered(summary, (one) => one === step);
  const moments = summary.rounds.flatMap((round) => [
    ...saidIn(`design.r${round.round}`),
    designed(round),
    decided(round, summary),
    ...summary.iterations
      .filter((one) => one.round === round.round)
      .flatMap((one) => [...saidIn(`execute.i${one.iteration}`), iterated(one, summary)]),
  ]);
  const { tone, title } = verdict(summary);
  const latest = steered(summary, (step) => !ended.includes(step));
  return [...moments, ...latest, { kind: 'verdict', tone, title, text: summary.why, quotes: [] }];
}

function designed({ round, rules, digest }: RoundSummary): TimelineEntry {
  const text = `${count(rules, 'business rule')}, design ${shortDigest(digest)}`;
  return { kind: 'design', tone: 'plain', title: `Design r${round}`, text, quotes: [] };
}

function steered({ steering = [] }: RunSummary, isMeant: (step: string) => boolean): TimelineEntry[] {
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

function decided(
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

function iterated(iteration: IterationSummary, { target, gate }: RunSummary): TimelineEntry {
  const measured = gate === 'lower-bound' ? iteration.interval[0] : iteration.successRate;
  const layers = layersText(iteration.layers);
  const back = iteration.returned ? ' Returned to Init.' : '';
  return {
    kind: 'iteration',
    tone: reachesTarget(measured, target) ? 'good' : 'plain',
    title: `Iteration ${iteration.iteration}: ${iteration.total === 0 ? 'no sample ran' : formatPercent(iteration.successRate)}`,
    text: `${scoreText(iteration)}${layers === '' ? '' : `. Failures: ${layers}`}. Cost ${usd(iteration.costUsd)}.${back}`,
    quotes: (iteration.problems ?? []).map(
      ({ title, claim, rules, samples }) => `${title}: ${claim} (${rules.join(', ')}; samples ${samples.join(', ')})`,
    ),
  };
}
