/** The cost of a session by its context strategy: a model of steps, caches and rewrites, in tokens priced as fresh input. */
import { HarnessError } from '../../src/errors.ts';

/** Prices in units of one fresh input token, so that a result reads as tokens (docs/internals/api-rules.md §1.1). */
export type Weights = { write: number; read: number; output: number };

/** A session in which every step answers with `answer` tokens and brings `result` tokens back. */
export type Session = {
  /** System prompt and tools: cached from the first call on. */
  fixed: number;
  answer: number;
  result: number;
  calls: number;
  /** Tokens of the summary that a compaction leaves. */
  summary: number;
  /** The latest whole steps that fit into this many tokens stay unchanged. */
  keep: number;
  weights: Weights;
};

/** `suffix` reads the live request from the cache; the others send the covered part again, `serialised` at most `tokens`. */
export type SummaryCall =
  | { type: 'suffix' }
  | { type: 'separate'; leavesOut: number }
  | { type: 'serialised'; tokens: number };

export type Strategy = {
  /** Compact before the call whose request would be larger; absent = never. */
  compactAbove?: number;
  summaryCall?: SummaryCall;
  /** Empty old results whenever they have at least `least` tokens before the newest `protect`. */
  clear?: { protect: number; least: number; stub: number } | { keepResults: number; stub: number };
};

export type Cost = { total: number; compactions: number; clears: number; peak: number };

type Part = { tokens: number; kind: 'answer' | 'result' | 'cleared' | 'summary' };
type CostState = { parts: Part[]; sent: readonly Part[] | undefined; cost: Cost };

export function sessionCost(session: Session, strategy: Strategy): Cost {
  const state: CostState = { parts: [], sent: undefined, cost: { total: 0, compactions: 0, clears: 0, peak: 0 } };
  for (let call = 0; call < session.calls; call += 1) {
    compactIfDue(state, session, strategy);
    clearIfDue(state, strategy);
    chargeCall(state, session);
    state.parts.push({ tokens: session.answer, kind: 'answer' }, { tokens: session.result, kind: 'result' });
  }
  return state.cost;
}

/** The common prefix with the last request is read, the rest is written, the answer is output. */
function chargeCall(state: CostState, { fixed, answer, weights }: Session): void {
  const { parts, sent, cost } = state;
  const changed = parts.findIndex((part, place) => part !== sent?.[place]);
  const same = changed < 0 ? parts : parts.slice(0, changed);
  const cached = sent === undefined ? 0 : fixed + sumTokens(same);
  const total = fixed + sumTokens(parts);
  cost.total += weights.read * cached + weights.write * (total - cached) + weights.output * answer;
  cost.peak = Math.max(cost.peak, total);
  state.sent = [...parts];
}

function compactIfDue(state: CostState, session: Session, { compactAbove, summaryCall }: Strategy): void {
  const total = session.fixed + sumTokens(state.parts);
  if (compactAbove === undefined || total <= compactAbove) return;
  const { weights, summary } = session;
  state.cost.total += priceSummaryCall(total, summaryCall ?? { type: 'suffix' }, weights) + weights.output * summary;
  state.cost.compactions += 1;
  state.parts = [{ tokens: summary, kind: 'summary' }, ...latestSteps(state.parts, session.keep)];
}

function priceSummaryCall(total: number, call: SummaryCall, { read }: Weights): number {
  if (call.type === 'suffix') return read * total;
  return call.type === 'separate' ? total - call.leavesOut : Math.min(total, call.tokens);
}

/** Whole steps only: an answer and its result stay or leave together. */
function latestSteps(parts: readonly Part[], keep: number): Part[] {
  let from = parts.length;
  let left = keep;
  while (from >= 2) {
    const step = sumTokens(parts.slice(from - 2, from));
    if (parts[from - 1]?.kind === 'summary' || parts[from - 2]?.kind === 'summary' || step > left) break;
    left -= step;
    from -= 2;
  }
  return parts.slice(from);
}

function clearIfDue(state: CostState, { clear }: Strategy): void {
  if (clear === undefined) return;
  const results = state.parts.filter(({ kind }) => kind === 'result');
  const old = 'keepResults' in clear ? results.slice(0, -clear.keepResults) : listUnprotected(results, clear.protect);
  const least = 'keepResults' in clear ? 1 : clear.least;
  if (sumTokens(old) < least) return;
  const gone = new Set(old);
  state.cost.clears += 1;
  state.parts = state.parts.map((part) => (gone.has(part) ? { tokens: clear.stub, kind: 'cleared' } : part));
}

function listUnprotected(results: readonly Part[], protect: number): Part[] {
  let tokens = 0;
  return results.toReversed().filter((part) => (tokens += part.tokens) > protect);
}

function sumTokens(parts: readonly Part[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}

type TriggerPoint = {
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
const TOLERANCE = 0.01;
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
