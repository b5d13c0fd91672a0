/** Planned faults of batches; each happens to one batch, chosen by the order of creation. */
import { z } from 'zod';

export const BatchFaultKind = z.enum([
  /** The API answers 500 and creates no batch. */
  'not_created',
  /** The batch exists, but the answer to its creation is lost. */
  'answer_lost',
  /** No request, or every second one, is processed before the batch expires. */
  'expired',
  'half_expired',
  /** Another person cancels the batch in the console. */
  'half_canceled',
  /** Every second request meets an overloaded model. */
  'half_errored',
  /** The batch does not end until it is cancelled. */
  'stuck',
  /** The first status request answers 500; the first results break off in the middle. */
  'status_500',
  'results_torn',
]);
export type BatchFaultKind = z.infer<typeof BatchFaultKind>;

/** `nth` counts sent batches from 1. */
export type BatchFault = { nth: number; kind: BatchFaultKind };
