/** Statistics that show rubber-stamping: how long people look, how often they take no time at all, what comes back. */
import type { GateDecision } from '../../gate/rules/gate.ts';
import type { RunState } from '../../run/state.ts';
import type { RunHistory } from './run-rows.ts';

/** A faster approval cannot have involved reading. */
const HASTE_MS = 5000;

export type ReviewerStats = {
  actor: string;
  decisions: number;
  approvals: number;
  /** Median time from showing the page to the decision; undefined without a page. */
  medianMs: number | undefined;
  hasty: number;
  /** Number of approved designs that Execute sent back. */
  cameBack: number;
  /** Median time for which gates waited before this person answered. */
  medianWaitMs: number | undefined;
};

type DecisionRecord = { decision: GateDecision; cameBack: boolean; waitMs: number | undefined };

export type ReviewStats = {
  /** All people together, without policies. */
  people: ReviewerStats;
  /** People by number of decisions, most first; then policies. */
  each: ReviewerStats[];
};

export function computeReviewStats(stories: readonly RunHistory[]): ReviewStats {
  const byActor = new Map<string, DecisionRecord[]>();
  for (const { state, events } of stories) {
    for (const decision of state.decisions) {
      const opened = events.find(({ body }) => body.type === 'design.done' && body.round === decision.round)?.ts;
      const waitMs = opened === undefined ? undefined : Date.parse(decision.ts) - Date.parse(opened);
      const records = { decision, cameBack: cameBack(state, decision), waitMs };
      byActor.set(decision.actor, [...(byActor.get(decision.actor) ?? []), records]);
    }
  }
  const isPolicy = ({ actor }: ReviewerStats) => Number(actor.startsWith('policy:'));
  const people = [...byActor].flatMap(([actor, records]) => (actor.startsWith('policy:') ? [] : records));
  const each = [...byActor]
    .map(([actor, records]) => toReviewerStats(actor, records))
    .toSorted((one, other) => isPolicy(one) - isPolicy(other) || other.decisions - one.decisions);
  return { people: toReviewerStats('all people', people), each };
}

function toReviewerStats(actor: string, records: readonly DecisionRecord[]): ReviewerStats {
  const approved = records.filter(({ decision }) => decision.decision.endsWith('approve'));
  return {
    actor,
    decisions: records.length,
    approvals: approved.length,
    medianMs: computeMedian(records.flatMap(({ decision }) => decision.shownMs ?? [])),
    hasty: approved.filter(({ decision }) => (decision.shownMs ?? HASTE_MS) < HASTE_MS).length,
    cameBack: approved.filter((one) => one.cameBack).length,
    medianWaitMs: computeMedian(records.flatMap(({ waitMs }) => waitMs ?? [])),
  };
}

function cameBack(state: RunState, { round }: GateDecision): boolean {
  return state.iterations.some((iteration) => iteration.round === round && iteration.returned !== undefined);
}

function computeMedian(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}
