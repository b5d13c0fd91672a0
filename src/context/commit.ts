/** Builds a compaction entry and proves it on the view that it would make: valid, smaller, under the target. */
import { fill } from '../transcript/fill.ts';
import { findFault } from '../transcript/protocol.ts';
import { estimateMessages } from '../transcript/tokens.ts';
import type { CompactionEntry, Entry, RefusedEntry } from '../transcript/entry.ts';
import type { Usage } from '../transcript/message.ts';
import type { Core } from './core.ts';
import { carryFacts, standingRequest } from './facts.ts';
import type { Cut } from './plan.ts';
import { cacheTokensLost } from './receipt.ts';
import { liveEntries, view } from './view.ts';

/** An entry without its place in the transcript, which only the one who appends it knows. */
type Unplaced<E extends Entry> = Omit<E, 'version' | 'id' | 'parents' | 'lane' | 'step'>;
export type CompactionDraft = Unplaced<CompactionEntry>;
export type RefusedDraft = Unplaced<RefusedEntry>;

/** `cause` is stable: the circuit breaker counts it. `detail` is for the repair and for people. */
export type Acceptance = { ok: true; entry: CompactionDraft } | { ok: false; cause: string; detail: string };

export type Made = { summary: string; earlier: string[]; reason: string; usage?: Usage };

export function commit(entries: readonly Entry[], core: Core, cut: Cut, made: Made): Acceptance {
  const facts = carryFacts(entries, core.policy, { ...cut.occasion, earlier: made.earlier });
  const entry = draftEntry(entries, core, cut, made, standingRequest(core, facts));
  const missing = facts.keyPaths.find((path) => !entry.request.includes(path) && !entry.summary.includes(path));
  if (missing !== undefined) return { ok: false, cause: 'key_path_missing', detail: `${missing} stands nowhere` };
  const after = view([...entries, placed(entry, entries)]);
  const fault = findFault(after.messages, {
    boundThinking: true,
    prefill: false,
    rewrittenThrough: after.rewrittenThrough,
  });
  if (fault !== undefined)
    return { ok: false, cause: 'protocol', detail: `${fault.rule} at ${fault.index}: ${fault.message}` };
  const tokens = (messages: Parameters<typeof estimateMessages>[0]) =>
    Math.ceil((core.budget.floor + estimateMessages(messages)) * cut.pressure.ratio);
  const [now, then] = [tokens(after.messages), tokens(view(entries).messages)];
  if (now >= then) return { ok: false, cause: 'not_smaller', detail: `${now} tokens would stand instead of ${then}` };
  const { target } = cut.pressure;
  if (now > target)
    return { ok: false, cause: 'over_target', detail: `${now} tokens would stand, the target is ${target}` };
  return { ok: true, entry: { ...entry, receipt: { ...entry.receipt, tokensAfter: now } } };
}

/** Only for looking at the view that it would make: nothing of that depends on the place. */
function placed(draft: CompactionDraft, entries: readonly Entry[]): CompactionEntry {
  const newest = Math.max(0, ...entries.slice(-1).map(({ id }) => Number(id.slice(1))));
  return { version: 1, id: `e${newest + 1}`, parents: [], lane: 'main', ...draft };
}

function draftEntry(
  entries: readonly Entry[],
  { prompts, budget }: Core,
  cut: Cut,
  { summary, reason, usage }: Made,
  request: string,
): CompactionDraft {
  return {
    type: 'compaction',
    coversThrough: cut.coversThrough,
    ...(cut.keepsFrom === undefined ? {} : { keepsFrom: cut.keepsFrom }),
    request,
    summary,
    bridge: fill(prompts.bridge, {}),
    note: fill(prompts.note, {}),
    shortened: cut.shortened,
    receipt: {
      reason,
      tokensBefore: cut.pressure.total,
      tokensAfter: 0,
      stepsSummarised: cut.stepsSummarised,
      stepsKept: cut.stepsKept,
      decisions: cut.decisions,
      ...(usage === undefined ? {} : { usage }),
      cacheTokensLost: cacheTokensLost(liveEntries(entries), budget.floor),
    },
  };
}
