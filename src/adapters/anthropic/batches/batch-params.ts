/** A request as a batch takes it: its cache marks live for an hour, because the answers of one turn take longer than minutes. */
import type { CallTerms, ModelRequest, TryBill } from '../../../ports/model.ts';
import { toParams } from '../anthropic-model.ts';
import type { BatchOutcome, BatchParams } from './batches-api.ts';

export function batchParams(params: BatchParams): BatchParams {
  return withHourlyMarks(params) as BatchParams;
}

/** Fields with a model's own content, in which `cache_control` is not a mark of ours. */
const FOREIGN = new Set(['input', 'input_schema']);

function withHourlyMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withHourlyMarks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (FOREIGN.has(key)) return [key, inner as unknown];
      return [
        key,
        key === 'cache_control' && inner !== null ? { ...(inner as object), ttl: '1h' } : withHourlyMarks(inner),
      ];
    }),
  );
}

/** Reports the JSON of this one entry and its result as the exchange, because the HTTP body holds many of them. */
export function reportExchange(outcome: BatchOutcome | undefined, request: ModelRequest, terms: CallTerms): void {
  if (outcome?.type !== 'succeeded') return;
  const answer = Buffer.from(JSON.stringify(outcome.message));
  terms.onExchange?.({ request: JSON.stringify(batchParams(toParams(request, terms))), status: 200, answer });
}

/** Added to the usage of each answer, since batches have their own price even where the endpoint does not say so. */
export const BATCH_TIER = { service_tier: 'batch' } as const;

export function toBatchBill(bill: TryBill): TryBill {
  if (bill.billed === 'known') return { billed: 'known', usage: { ...bill.usage, ...BATCH_TIER } };
  if (bill.billed === 'none' || bill.usage === undefined) return bill;
  return { billed: 'unknown', usage: { ...bill.usage, ...BATCH_TIER } };
}
