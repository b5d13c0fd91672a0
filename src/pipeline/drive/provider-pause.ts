/** A fault of the account or the provider pauses a run: no step has failed, and no agent is informed. */
import { isHarnessError } from '../../errors.ts';
import { readMeaning } from '../../ports/answer-meaning.ts';
import type { EventBody } from '../../run/event.ts';

/** Undefined for every other failure. */
export function pauseFor(error: unknown): Extract<EventBody, { type: 'run.paused' }> | undefined {
  if (!isHarnessError(error)) return undefined;
  const isAccount = readMeaning(error) === 'account';
  if (!isAccount && error.code !== 'model_unavailable') return undefined;
  const { retryAfterMs } = error.details;
  const minutes = typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.ceil(retryAfterMs / 60_000) : undefined;
  const when = isAccount
    ? 'when that is mended'
    : minutes === undefined
      ? 'later'
      : `in ${minutes} min at the earliest`;
  const detail = `${error.message.replace(/[.!?]?$/, '.')} Nothing is judged and nothing is lost: go on ${when}.`;
  return { type: 'run.paused', reason: 'provider', detail };
}
