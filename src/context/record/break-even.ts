/** When a rewrite of the cached prefix pays for itself in later calls (docs/compaction-cases.md T28). */
import type { Economics } from '../../transcript/compaction-receipt.ts';
import type { Usage } from '../../transcript/message.ts';
import type { Policy } from '../policy.ts';

type Price = { write: number; read: number; output: number };

export type RewriteFigures = {
  before: number;
  after: number;
  /** Tokens behind the first change, without the floor. */
  rewritten: number;
  growth: number;
  target: number;
  trigger: number;
  cold: boolean;
  usage?: Usage | undefined;
};

/**
 * In units of an input token: the rewrite costs (write - read) for each token behind the change, and the summary costs its
 * call; each later call saves the reading of what is gone. Where the cache was cold, the summary's call has written what
 * the next call would have had to write anyway, and what is gone need not be written again.
 */
export function economicsOf(
  { before, after, rewritten, growth, target, trigger, cold, usage }: RewriteFigures,
  { economics }: Policy,
): Economics {
  const { write, read, output } = economics;
  const rewriting = (write - read) * (cold ? after - before : rewritten);
  const asking = usage === undefined ? 0 : callCost(usage, { write, read, output });
  const saved = read * (before - after);
  return {
    growth,
    target,
    rewritten,
    breakEvenCalls: saved <= 0 ? null : Math.max(0, Math.round(((rewriting + asking) / saved) * 10) / 10),
    callsExpected: Math.max(0, Math.round(((trigger - after) / Math.max(1, growth)) * 10) / 10),
    cold,
  };
}

/** The totals do not include compactions of the server during the call. */
function callCost({ iterations = [], ...usage }: Usage, price: Price): number {
  const compacted = iterations.filter(({ type }) => type === 'compaction');
  return [usage, ...compacted].reduce((sum, one) => sum + oneCost(one, price), 0);
}

function oneCost(usage: Usage, { write, read, output }: Price): number {
  return (
    usage.input_tokens +
    usage.cache_creation_input_tokens * write +
    usage.cache_read_input_tokens * read +
    usage.output_tokens * output
  );
}
