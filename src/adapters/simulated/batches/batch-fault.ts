/** What goes wrong with a batch on purpose; each planned fault happens to one batch, by the order of creation. */
import { z } from 'zod';

export const BatchFaultKind = z.enum([
  /** The API answers 500 and no batch is there. */
  'not_created',
  /** The batch exists, and its creator never gets the answer. */
  'answer_lost',
  /** No request, or every second one, is processed within the batch's time. */
  'expired',
  'half_expired',
  /** Somebody cancels it in the console. */
  'half_canceled',
  /** Every second request meets an overloaded model. */
  'half_errored',
  /** It is not done before it is cancelled. */
  'stuck',
  /** The first status answers 500; the first results break off in the middle. */
  'status_500',
  'results_torn',
]);
export type BatchFaultKind = z.infer<typeof BatchFaultKind>;

/** `nth`: the first batch that is sent is 1. */
export type BatchFault = { nth: number; kind: BatchFaultKind };

/** `answer_lost:2` for each. Undefined when it is not of that form. */
export function parseBatchFault(text: string): BatchFault | undefined {
  const [, kind, nth = '1'] = /^([a-z_0-9]+?)(?::([1-9]\d{0,5}))?$/.exec(text) ?? [];
  const known = BatchFaultKind.safeParse(kind);
  return known.success ? { kind: known.data, nth: Number(nth) } : undefined;
}
