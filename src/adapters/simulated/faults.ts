/** The plan of injected faults: which fault happens when. Every planned fault happens once. */
import type { ApiError } from './request/refusal.ts';
import type { InjectedFault, FaultKind } from './scripts/script.ts';

export type FaultPlan = {
  /** Counts a request, and returns its number since the server started. */
  arrive(): number;
  /** Returns the fault that is due for a request that a script is about to answer. */
  take(request: number, who: string): FaultKind | undefined;
};

export function createFaultPlan(faults: readonly InjectedFault[]): FaultPlan {
  const waiting = [...faults];
  const answered = new Map<string, number>();
  let arrived = 0;
  return {
    arrive() {
      arrived += 1;
      return arrived;
    },
    take(request, who) {
      const nth = (answered.get(who) ?? 0) + 1;
      answered.set(who, nth);
      // Compares with "at least", because a request refused by a rule does not use a fault up.
      const due = waiting.findIndex((fault) =>
        'at' in fault ? request >= fault.at : fault.who === who && nth >= fault.nth,
      );
      return due === -1 ? undefined : waiting.splice(due, 1)[0]?.kind;
    },
  };
}

/** Returns the error for faults that replace an answer. */
export function toFaultError(kind: FaultKind): ApiError | undefined {
  if (kind === '429') {
    return { status: 429, type: 'rate_limit_error', message: 'Simulated: too many requests', retryAfterSeconds: 1 };
  }
  if (kind === '500') return { status: 500, type: 'api_error', message: 'Simulated: internal server error' };
  return kind === '529' ? OVERLOADED : undefined;
}

export const OVERLOADED: ApiError = { status: 529, type: 'overloaded_error', message: 'Simulated: overloaded' };
