/** When something is to go wrong on purpose, and what; every planned fault happens once. */
import type { ApiError } from './request/refusal.ts';
import type { InjectedFault, FaultKind } from './scripts/script.ts';

export type FaultPlan = {
  /** Counts a request in; the number is its place in the server's life. */
  arrive(): number;
  /** The fault that is due for this request, which a script is about to answer. */
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
      // "At least": a request that was refused by a rule does not use a fault up.
      const due = waiting.findIndex((fault) =>
        'at' in fault ? request >= fault.at : fault.who === who && nth >= fault.nth,
      );
      return due === -1 ? undefined : waiting.splice(due, 1)[0]?.kind;
    },
  };
}

/** The faults that come in place of an answer. */
export function refusalOf(kind: FaultKind): ApiError | undefined {
  if (kind === '429') {
    return { status: 429, type: 'rate_limit_error', message: 'Simulated: too many requests', retryAfterSeconds: 1 };
  }
  if (kind === '500') return { status: 500, type: 'api_error', message: 'Simulated: internal server error' };
  return kind === '529' ? OVERLOADED : undefined;
}

export const OVERLOADED: ApiError = { status: 529, type: 'overloaded_error', message: 'Simulated: overloaded' };
