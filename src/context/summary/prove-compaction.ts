/** Builds a compaction entry and proves it on the view that it would make: valid, smaller, under the target. */
import { fill } from '../../transcript/fill-template.ts';
import { findFault } from '../../transcript/protocol.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import type { CompactionEntry, Entry, RefusedEntry } from '../../transcript/entry.ts';
import type { Core } from '../core.ts';
import type { Cut } from '../plan/compaction-cut.ts';
import { carryFacts, compactedRequest } from '../facts/facts.ts';
import { summaryPlacement, type SummaryMade } from './summary-placement.ts';
import { cacheTokensLost } from '../record/receipt.ts';
import { receiptOf } from '../record/build-receipt.ts';
import { liveEntries, view } from '../view/view.ts';

/** An entry without its place in the transcript, which only the one who appends it knows. */
type Unplaced<E extends Entry> = Omit<E, 'version' | 'id' | 'parents' | 'lane' | 'step'>;
export type CompactionDraft = Unplaced<CompactionEntry>;
export type RefusedDraft = Unplaced<RefusedEntry>;

/** `cause` is stable: the circuit breaker counts it. `detail` is for the repair and for people. */
export type Acceptance = { ok: true; entry: CompactionDraft } | { ok: false; cause: string; detail: string };

export function commit(entries: readonly Entry[], core: Core, cut: Cut, made: SummaryMade): Acceptance {
  const onlyEdits = cut.coversThrough === '';
  const leftBefore = entries.flatMap((entry) => (entry.type === 'compaction' ? (entry.left ?? []) : []));
  const gone = new Set([...leftBefore, ...cut.left]);
  const items = new Set(
    entries.flatMap((entry) => (entry.type === 'message' && entry.item !== undefined ? [entry.id] : [])),
  );
  const live = liveEntries(entries).filter(({ id }) => !gone.has(id));
  const facts = carryFacts(entries, core.policy, {
    openGate: cut.occasion.openGate,
    earlier: made.earlier,
    left: [...gone].filter((id) => !items.has(id)),
    ...(onlyEdits ? { standing: new Set(live.map(({ id }) => id)) } : {}),
  });
  const entry = draftEntry(entries, core, cut, made, compactedRequest(core, facts));
  const missing = facts.keyPaths.find((path) => !entry.request.includes(path) && !entry.summary.includes(path));
  if (missing !== undefined && !onlyEdits)
    return { ok: false, cause: 'key_path_missing', detail: `${missing} stands nowhere` };
  return prove(entries, core, cut, entry);
}

function prove(entries: readonly Entry[], core: Core, cut: Cut, entry: CompactionDraft): Acceptance {
  const [before, after] = [view(entries), view([...entries, placed(entry, entries)])];
  const fault = findFault(after.messages, {
    boundThinking: core.policy.thinking === 'strip',
    prefill: false,
    rewrittenThrough: after.rewrittenThrough,
  });
  if (fault !== undefined)
    return { ok: false, cause: 'protocol', detail: `${fault.rule} at ${fault.index}: ${fault.message}` };
  const tokens = (messages: Parameters<typeof estimateMessages>[0]) =>
    Math.ceil((cut.pressure.floor + estimateMessages(messages)) * cut.pressure.ratio);
  const [now, then] = [tokens(after.messages), tokens(before.messages)];
  // A window of messages is made for their number, whatever the summary weighs (S3.2).
  const fewer = cut.pressure.because === 'messages' && after.messages.length < before.messages.length;
  if (now >= then && !fewer)
    return { ok: false, cause: 'not_smaller', detail: `${now} tokens would stand instead of ${then}` };
  const { target } = cut.pressure;
  if (now > target)
    return { ok: false, cause: 'over_target', detail: `${now} tokens would stand, the target is ${target}` };
  const receipt = receiptOf(entry.receipt, { before: before.messages, after: after.messages, now }, core, cut);
  return { ok: true, entry: { ...entry, receipt } };
}

/** Only for looking at the view that it would make: nothing of that depends on the place. */
function placed(draft: CompactionDraft, entries: readonly Entry[]): CompactionEntry {
  const newest = Math.max(0, ...entries.slice(-1).map(({ id }) => Number(id.slice(1))));
  return { version: 1, id: `e${newest + 1}`, parents: [], lane: 'main', ...draft };
}

function draftEntry(
  entries: readonly Entry[],
  core: Core,
  cut: Cut,
  made: SummaryMade,
  request: string,
): CompactionDraft {
  const { prompts } = core;
  const { inputs, left, pointers } = cut;
  return {
    type: 'compaction',
    coversThrough: cut.coversThrough,
    ...(cut.keepsFrom === undefined ? {} : { keepsFrom: cut.keepsFrom }),
    bridge: fill(prompts.bridge, {}),
    note: fill(prompts.note, {}),
    shortened: cut.shortened,
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    ...(left.length === 0 ? {} : { left }),
    ...(Object.keys(pointers).length === 0 ? {} : { pointers }),
    ...summaryPlacement(entries, core, cut, made, request),
    receipt: {
      reason: made.reason,
      ...(made.reason === cut.occasion.reason ? {} : { occasion: cut.occasion.reason }),
      tokensBefore: cut.pressure.total,
      tokensAfter: 0,
      stepsSummarised: cut.stepsSummarised,
      stepsKept: cut.stepsKept,
      decisions: cut.decisions,
      ...(made.usage === undefined ? {} : { usage: made.usage }),
      ...(made.claims === undefined ? {} : { claims: made.claims }),
      cacheTokensLost: cacheTokensLost(liveEntries(entries), core.budget.floor),
    },
  };
}
