/** Handles the money of one call: reserved before each of its tries, booked after it. */
import { isHarnessError } from '../../errors.ts';
import { computeCost, type ModelRequest, type ModelResponse, type TryBill } from '../../ports/model.ts';
import type { Spending } from '../../ports/run-store.ts';
import {
  boundLostTries,
  computeTryCost,
  computeOutputCap,
  estimateOutput,
  judgeCaches,
  computeWorstCase,
  LEAST_HISTORY,
  type PricedModel,
} from './call-cost.ts';

export type CallTries = {
  /** Contract: `budget_exceeded` when there is no money for one more try, and no other holder may leave some over. */
  reserve: () => Promise<void>;
  /** Books the open try; does nothing without one. */
  fail: (bill: TryBill) => Promise<void>;
  /** Releases the money of a try that was not sent. */
  release: () => Promise<void>;
  /** Returns the number of the open try and the output allowed to it. */
  now: () => { nth: number; maxTokens: number };
};

export type CallMoney = {
  spending: Spending;
  facts: PricedModel;
  capUsd: number;
  agent: string;
  /** Called at every look with the amount that other calls hold while this one waits for it. */
  onWait?: ((heldUsd: number) => void) | undefined;
  /** Called after each try without an answer. */
  onFailed?: ((cost: { usd: number; uncertainUsd: number }) => void) | undefined;
};

type TriedCall = { request: ModelRequest; call: string; signal: AbortSignal };

/** At most one try is open. With `isLean`, the agent's usual need is reserved where the worst case does not fit. */
export function openCallTries({ request, call, signal }: TriedCall, money: CallMoney, isLean: boolean): CallTries {
  const { spending, agent, facts, capUsd, onWait, onFailed } = money;
  let [nth, usd, maxTokens, isOpen] = [0, 0, request.max_tokens, false];
  return {
    now: () => ({ nth, maxTokens }),
    reserve: async () => {
      const worstUsd = computeWorstCase(request, facts);
      const reservation = { call, agent, model: request.model, worstUsd };
      const reserved = await spending.reserve(reservation, capUsd).catch(async (error: unknown) => {
        if (!isHarnessError(error, 'budget_exceeded')) throw error;
        const usual = isLean ? estimateOutput(await spending.list(), { agent, request }) : undefined;
        const leastUsd = usual === undefined ? undefined : computeWorstCase(request, facts, usual);
        return spending.reserve({ ...reservation, leastUsd }, capUsd, { signal, onWait });
      });
      ({ nth, usd } = reserved);
      maxTokens = usd < reservation.worstUsd ? computeOutputCap(usd, request, facts) : request.max_tokens;
      isOpen = true;
    },
    fail: async (bill) => {
      if (!isOpen) return;
      isOpen = false;
      const records = bill.billed === 'unknown' ? await spending.list() : [];
      const usual = judgeCaches(records) === 'unfit' ? undefined : estimateOutput(records, { agent, request });
      const cost = computeTryCost(bill, usd, { request, facts, maxTokens, usual });
      await spending.fail(call, { nth, ...cost });
      onFailed?.(cost);
    },
    release: async () => {
      isOpen = false;
      await spending.release(call, nth);
    },
  };
}

type AnsweredCall = { request: ModelRequest; call: string; response: ModelResponse; nth: number };

/** Settles the calls of one conversation; lost tries of its first calls are estimated again when the agent is known. */
export function createSettlement(): (answered: AnsweredCall, money: CallMoney) => Promise<number> {
  const early: { answered: AnsweredCall; facts: PricedModel }[] = [];
  let answers = 0;
  return async (answered, money) => {
    answers += 1;
    if (answered.nth > 0 && answers < LEAST_HISTORY) early.push({ answered, facts: money.facts });
    const usd = await settleAnswer(answered, money);
    if (answers >= LEAST_HISTORY)
      for (const one of early.splice(0)) await settleAnswer(one.answered, { ...money, facts: one.facts });
    return usd;
  };
}

/** An answer without complete usage may have cost the worst case. */
async function settleAnswer({ request, call, response, nth }: AnsweredCall, money: CallMoney): Promise<number> {
  const { usage, usageUnknown, ms } = response;
  const { facts, agent, spending, capUsd } = money;
  const { price } = facts;
  const isKnown = usageUnknown !== true && request.compaction === undefined;
  const records = nth > 0 && isKnown ? await spending.list() : undefined;
  const isNarrowed = records !== undefined && judgeCaches(records) !== 'unfit';
  const lostUsd = isNarrowed ? boundLostTries(records, { agent, request, usage, facts }) : undefined;
  const rest = usageUnknown === true ? computeWorstCase(request, facts) - computeCost(usage, price) : 0;
  return spending.settle(call, usage, { price, ms, nth, lostUsd, capUsd, uncertainUsd: rest > 0 ? rest : undefined });
}
