/** Where compaction should begin: the cost of a session over all triggers that can work, and the one to choose. */
import { HarnessError } from '../errors.ts';
import { sessionCost, type Session, type SummaryCall } from './economics.ts';

export type TriggerPoint = {
  trigger: number;
  /** The trigger as a share of the window. */
  ratio: number;
  /** Priced as fresh input tokens. */
  cost: number;
  compactions: number;
  /** Model calls between two compactions. */
  callsBetween: number;
};

export type TriggerPlan = {
  points: TriggerPoint[];
  cheapest: TriggerPoint;
  /** The latest trigger whose cost is within `TOLERANCE` of the cheapest: fewer compactions lose less. */
  recommended: TriggerPoint;
  /** The cost of the usual trigger, 75 % of the window. */
  usual: TriggerPoint;
};

/** Within this share of the cheapest cost the rarer compaction is preferred, because each one also loses content. */
export const TOLERANCE = 0.01;
const USUAL_RATIO = 0.75;
const STEPS = 60;
/** A compacted context must last for this many calls, or the session does little else than summarise. */
const LEAST_CALLS_BETWEEN = 8;

export type TriggerQuestion = {
  session: Session;
  window: number;
  maxOutput: number;
  reserve: number;
  call?: SummaryCall;
};

/** Contract: throws `context_overflow` when no trigger leaves room for a few steps. */
export function planTrigger(question: TriggerQuestion): TriggerPlan {
  const { session, window, maxOutput, reserve } = question;
  const growth = session.answer + session.result;
  const lowest = session.fixed + session.summary + session.keep + growth * LEAST_CALLS_BETWEEN;
  const highest = window - maxOutput - reserve;
  if (lowest > highest || growth <= 0) throw noRoom(question, lowest, highest);
  const triggers = Array.from({ length: STEPS + 1 }, (_, step) => lowest + ((highest - lowest) * step) / STEPS);
  const points = triggers.map((trigger) => pointAt(question, Math.round(trigger)));
  const cheapest = points.reduce((best, point) => (point.cost < best.cost ? point : best));
  const recommended = points.findLast(({ cost }) => cost <= cheapest.cost * (1 + TOLERANCE)) ?? cheapest;
  const usual = pointAt(question, Math.min(highest, Math.round(window * USUAL_RATIO)));
  return { points, cheapest, recommended, usual };
}

function pointAt({ session, window, call }: TriggerQuestion, trigger: number): TriggerPoint {
  const cost = sessionCost(session, { compactAbove: trigger, summaryCall: call ?? { type: 'suffix' } });
  return {
    trigger,
    ratio: trigger / window,
    cost: cost.total,
    compactions: cost.compactions,
    callsBetween: Math.round(session.calls / (cost.compactions + 1)),
  };
}

function noRoom({ window, session }: TriggerQuestion, lowest: number, highest: number): HarnessError {
  return new HarnessError(
    'context_overflow',
    `No trigger can work in a window of ${window} tokens: a compacted context with ${LEAST_CALLS_BETWEEN} steps takes ` +
      `${lowest}, and after the output cap and the reserve only ${highest} are left. Take a model with a larger window, ` +
      `or a smaller fixed part (${session.fixed}), summary (${session.summary}) or kept part (${session.keep}).`,
    { details: { window, lowest, highest } },
  );
}
