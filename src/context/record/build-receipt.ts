/** The receipt of a compaction, once its view is known: what left and where it is, its cost, and when it pays off. */
import type { CompactionReceipt, Economics } from '../../transcript/compaction-receipt.ts';
import type { Message, Usage } from '../../transcript/message.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Cut, CutContext } from '../plan/compaction-cut.ts';
import { toIdRanges } from '../facts/facts.ts';
import type { Policy } from '../policy.ts';

export function buildReceipt(
  receipt: CompactionReceipt,
  views: { before: readonly Message[]; after: readonly Message[]; now: number },
  { core: { policy }, cut }: Pick<CutContext, 'core' | 'cut'>,
): CompactionReceipt {
  const { pressure, growth, goal } = cut;
  const same = countCommonMessages(views.before, views.after);
  const left = listLeftEntries(cut);
  return {
    ...receipt,
    tokensAfter: views.now,
    policy: policy.name,
    source: pressure.source,
    ...(left.length === 0 ? {} : { left }),
    ...omitUndefined({ auto: pressure.auto }),
    economics: computeEconomics(
      {
        before: pressure.total,
        after: views.now,
        rewritten: Math.ceil(estimateMessages(views.after.slice(same)) * pressure.ratio),
        growth,
        target: goal,
        trigger: pressure.trigger,
        cold: pressure.cold,
        usage: receipt.usage,
      },
      policy,
    ),
  };
}

/** Lists the entries that the model no longer reads, and why; `recall` returns each by its id. */
function listLeftEntries(cut: Cut): NonNullable<CompactionReceipt['left']> {
  const { left, shortened, inputs, pointers, coversThrough, spill } = cut;
  const edited = new Set([...Object.keys(shortened), ...Object.keys(inputs)]);
  const shortenedIn = spill.filter(({ call }) => edited.has(call)).map(({ entry }) => entry);
  return [
    ...(coversThrough === '' ? [] : [{ from: '', through: coversThrough, why: 'summarised' }]),
    ...toIdRanges(left).map((range) => ({ ...range, why: 'dropped' })),
    ...toIdRanges([...new Set(shortenedIn)]).map((range) => ({ ...range, why: 'shortened' })),
    ...toIdRanges(Object.keys(pointers)).map((range) => ({ ...range, why: 'images' })),
  ];
}

function countCommonMessages(before: readonly Message[], after: readonly Message[]): number {
  const differs = after.findIndex((message, place) => {
    const old = before[place];
    return old === undefined || (old !== message && JSON.stringify(old) !== JSON.stringify(message));
  });
  return differs < 0 ? after.length : differs;
}

/** When a rewrite of the cached prefix pays for itself in later calls (docs/internals/compaction-cases.md T28). */
type RewriteFigures = {
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
export function computeEconomics(
  { before, after, rewritten, growth, target, trigger, cold, usage }: RewriteFigures,
  { economics }: Policy,
): Economics {
  const { write, read } = economics;
  const rewriting = (write - read) * (cold ? after - before : rewritten);
  const asking = usage === undefined ? 0 : callCost(usage, economics);
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
function callCost({ iterations = [], ...usage }: Usage, price: Policy['economics']): number {
  const compacted = iterations.filter(({ type }) => type === 'compaction');
  return [usage, ...compacted].reduce((sum, one) => sum + priceUsage(one, price), 0);
}

function priceUsage(usage: Usage, { write, read, output }: Policy['economics']): number {
  return (
    usage.input_tokens +
    usage.cache_creation_input_tokens * write +
    usage.cache_read_input_tokens * read +
    usage.output_tokens * output
  );
}
