/** The money of one call: reserved before each of its tries, booked after it. */
import { isHarnessError } from '../../errors.ts';
import { costOf, type ModelRequest, type ModelResponse, type TryBill } from '../../ports/model.ts';
import type { Spending } from '../../ports/run-store.ts';
import { costOfTry, outputWithin, usualOutput, worstCase, type PricedModel } from './call-cost.ts';

export type CallTries = {
  /** Contract: `budget_exceeded` when there is no money for one more try, and nobody holds some that may be left over. */
  reserve: (goesOn?: boolean) => Promise<void>;
  /** Books the open try; nothing when there is none. */
  fail: (bill: TryBill) => Promise<void>;
  /** Of a try that was not sent. */
  release: () => Promise<void>;
  /** Which try is open, and how much may come out of it. */
  now: () => { nth: number; maxTokens: number };
};

export type CallMoney = {
  spending: Spending;
  facts: PricedModel;
  capUsd: number;
  agent: string;
  /** While other calls hold the money that this one needs: what they hold, at every look. */
  onWait?: ((heldUsd: number) => void) | undefined;
  onFailed?: ((cost: { usd: number; uncertainUsd: number }) => void) | undefined;
};

type Call = { request: ModelRequest; call: string; signal: AbortSignal };

/** At most one try is open. `isLean`: where the worst case does not fit, what the agent usually needs will do. */
export function openCallTries({ request, call, signal }: Call, money: CallMoney, isLean: boolean): CallTries {
  const { spending, agent, facts, capUsd, onWait, onFailed } = money;
  let [nth, usd, maxTokens, isOpen] = [0, 0, request.max_tokens, false];
  return {
    now: () => ({ nth, maxTokens }),
    reserve: async (goesOn) => {
      const worstUsd = worstCase(request, facts);
      const reservation = { call, agent, model: request.model, worstUsd, ...(goesOn === undefined ? {} : { goesOn }) };
      const reserved = await spending.reserve(reservation, capUsd).catch(async (error: unknown) => {
        if (!isHarnessError(error, 'budget_exceeded')) throw error;
        const usual = isLean ? usualOutput(await spending.list(), { agent, request }) : undefined;
        const leastUsd = usual === undefined ? undefined : worstCase(request, facts, usual);
        return spending.reserve({ ...reservation, leastUsd }, capUsd, { signal, onWait });
      });
      ({ nth, usd } = reserved);
      maxTokens = usd < reservation.worstUsd ? outputWithin(usd, request, facts) : request.max_tokens;
      isOpen = true;
    },
    fail: async (bill) => {
      if (!isOpen) return;
      isOpen = false;
      const cost = costOfTry(bill, usd, { request, facts, maxTokens });
      await spending.fail(call, { nth, ...cost });
      onFailed?.(cost);
    },
    release: async () => {
      isOpen = false;
      await spending.release(call, nth);
    },
  };
}

type Answer = { request: ModelRequest; call: string; response: ModelResponse; nth: number };

/** An answer that does not say all it used may have cost the worst case. */
export async function settleAnswer({ request, call, response, nth }: Answer, money: CallMoney): Promise<number> {
  const { usage, usageUnknown, ms } = response;
  const { price } = money.facts;
  const rest = usageUnknown === true ? worstCase(request, money.facts) - costOf(usage, price) : 0;
  return money.spending.settle(call, usage, { price, ms, nth, uncertainUsd: rest > 0 ? rest : undefined });
}
