/** The numbers that show rubber-stamping: how long people look, how often they take no time at all, what comes back. */
import type { GateDecision } from '../../gate/rules/gate.ts';
import type { RunState } from '../../run/state.ts';
import type { Story } from './run-rows.ts';

/** Below this an approval was faster than reading. */
const HASTE_MS = 5000;

export type ReviewerNumbers = {
  actor: string;
  decisions: number;
  approvals: number;
  /** Half of the decisions took longer than this, counted from when the page was shown; undefined without a page. */
  medianMs: number | undefined;
  hasty: number;
  /** Of the approved designs, those that Execute sent back. */
  cameBack: number;
  /** Half of the gates waited longer than this before this person answered. */
  medianWaitMs: number | undefined;
};

type DecisionRecord = { decision: GateDecision; cameBack: boolean; waitMs: number | undefined };

export type Numbers = {
  /** All people together; policies are no people. */
  people: ReviewerNumbers;
  /** People first, most decisions first; policies last. */
  each: ReviewerNumbers[];
};

export function numbersOf(stories: readonly Story[]): Numbers {
  const byActor = new Map<string, DecisionRecord[]>();
  for (const { state, events } of stories) {
    for (const decision of state.decisions) {
      const opened = events.find(({ body }) => body.type === 'design.done' && body.round === decision.round)?.ts;
      const waitMs = opened === undefined ? undefined : Date.parse(decision.ts) - Date.parse(opened);
      const records = { decision, cameBack: cameBack(state, decision), waitMs };
      byActor.set(decision.actor, [...(byActor.get(decision.actor) ?? []), records]);
    }
  }
  const isPolicy = ({ actor }: ReviewerNumbers) => Number(actor.startsWith('policy:'));
  const people = [...byActor].flatMap(([actor, records]) => (actor.startsWith('policy:') ? [] : records));
  const each = [...byActor]
    .map(([actor, records]) => rowOf(actor, records))
    .toSorted((one, other) => isPolicy(one) - isPolicy(other) || other.decisions - one.decisions);
  return { people: rowOf('all people', people), each };
}

function rowOf(actor: string, records: readonly DecisionRecord[]): ReviewerNumbers {
  const approved = records.filter(({ decision }) => decision.decision.endsWith('approve'));
  return {
    actor,
    decisions: records.length,
    approvals: approved.length,
    medianMs: median(records.flatMap(({ decision }) => decision.shownMs ?? [])),
    hasty: approved.filter(({ decision }) => (decision.shownMs ?? HASTE_MS) < HASTE_MS).length,
    cameBack: approved.filter((one) => one.cameBack).length,
    medianWaitMs: median(records.flatMap(({ waitMs }) => waitMs ?? [])),
  };
}

function cameBack(state: RunState, { round }: GateDecision): boolean {
  return state.iterations.some((iteration) => iteration.round === round && iteration.returned !== undefined);
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}
