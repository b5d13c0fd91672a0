/** Builds a compaction entry and proves it on the view that it would make: valid, smaller, under the target. */
import { omitUndefined } from '../../omit-undefined.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { findFault } from '../../transcript/protocol.ts';
import { estimateMessages } from '../../transcript/tokens.ts';
import { placeEntry, type EntryDraft, type CompactionEntry } from '../../transcript/entry.ts';
import type { CompactionReceipt } from '../../transcript/compaction-receipt.ts';
import type { CompactionBlock, Usage } from '../../transcript/message.ts';
import { type CutContext, isEdit, type Cut } from '../plan/compaction-cut.ts';
import { carryFacts, compactedRequest, type Facts } from '../facts/facts.ts';
import { cacheTokensLost } from '../record/receipt.ts';
import { buildReceipt } from '../record/build-receipt.ts';
import { withCompaction } from '../view/projection.ts';
import { buildView } from '../view/view.ts';
import type { Core } from '../core.ts';

/** An entry without its place in the transcript, which only its writer knows: `placeEntry` gives it one. */
export type CompactionDraft = Extract<EntryDraft, { type: 'compaction' }>;
export type RefusedDraft = Extract<EntryDraft, { type: 'compaction_refused' }>;

/** `cause` is stable: the circuit breaker counts it. `detail` is for the repair and for people. */
export type Acceptance = { ok: true; entry: CompactionDraft } | { ok: false; cause: string; detail: string };

export function commitCompaction(context: CutContext, made: WrittenSummary): Acceptance {
  const onlyEdits = context.cut.coversThrough === '';
  const facts = collectFacts(context, made, onlyEdits);
  const entry = draftEntry(context, made, compactedRequest(context.core, facts));
  const missing = facts.keyPaths.find((path) => !entry.request.includes(path) && !entry.summary.includes(path));
  if (missing !== undefined && !onlyEdits)
    return { ok: false, cause: 'key_path_missing', detail: `${missing} is nowhere in the new view` };
  return proveEntry(context, entry);
}

/** The facts of the new view. */
function collectFacts({ snapshot, core, cut }: CutContext, { earlier }: WrittenSummary, onlyEdits: boolean): Facts {
  const { entries, projection, sources } = snapshot;
  const leftBefore = entries.flatMap((entry) => (entry.type === 'compaction' ? (entry.left ?? []) : []));
  const gone = new Set([...leftBefore, ...cut.left]);
  const items = new Set(
    entries.flatMap((entry) => (entry.type === 'message' && entry.item !== undefined ? [entry.id] : [])),
  );
  const live = projection.live.filter(({ id }) => !gone.has(id));
  return carryFacts(sources, core.policy, {
    openGate: cut.occasion.openGate,
    earlier,
    left: [...gone].filter((id) => !items.has(id)),
    ...(onlyEdits ? { visible: new Set(live.map(({ id }) => id)) } : {}),
  });
}

function proveEntry({ snapshot, core, cut }: CutContext, entry: CompactionDraft): Acceptance {
  const { projection, entries } = snapshot;
  const [before, after] = [buildView(projection), buildView(withCompaction(projection, placeEntry(entries, entry)))];
  const fault = findFault(after.messages, {
    boundThinking: core.policy.thinking === 'strip',
    prefill: false,
    rewrittenThrough: after.rewrittenThrough,
  });
  if (fault !== undefined)
    return { ok: false, cause: 'protocol', detail: `${fault.rule} at ${fault.index}: ${fault.message}` };
  const { pressure } = cut;
  const tokens = (messages: Parameters<typeof estimateMessages>[0]) =>
    Math.ceil((pressure.floor + estimateMessages(messages)) * pressure.ratio);
  const [now, then] = [tokens(after.messages), tokens(before.messages)];
  // A limit on the number of messages is met by fewer messages, whatever the summary weighs (S3.2).
  const fewer = pressure.because === 'messages' && after.messages.length < before.messages.length;
  if (now >= then && !fewer)
    return { ok: false, cause: 'not_smaller', detail: `${now} tokens would stand instead of ${then}` };
  const { target } = pressure;
  if (now > target)
    return { ok: false, cause: 'over_target', detail: `${now} tokens would stand, the target is ${target}` };
  const views = { before: before.messages, after: after.messages, now };
  return { ok: true, entry: { ...entry, receipt: buildReceipt(entry.receipt, views, { core, cut }) } };
}

function draftEntry(context: CutContext, made: WrittenSummary, request: string): CompactionDraft {
  const { snapshot, core, cut } = context;
  const { prompts } = core;
  const { inputs, left, pointers } = cut;
  return {
    type: 'compaction',
    coversThrough: cut.coversThrough,
    ...omitUndefined({ keepsFrom: cut.keepsFrom }),
    bridge: fillTemplate(prompts.bridge, {}),
    note: fillTemplate(prompts.note, {}),
    shortened: cut.shortened,
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    ...(left.length === 0 ? {} : { left }),
    ...(Object.keys(pointers).length === 0 ? {} : { pointers }),
    ...summaryPlacement(context, made, request),
    receipt: {
      reason: made.reason,
      ...(made.reason === cut.occasion.reason ? {} : { occasion: cut.occasion.reason }),
      tokensBefore: cut.pressure.total,
      tokensAfter: 0,
      stepsSummarised: cut.stepsSummarised,
      stepsKept: cut.stepsKept,
      decisions: cut.decisions,
      ...omitUndefined({ usage: made.usage, claims: made.claims }),
      cacheTokensLost: cacheTokensLost(snapshot.projection.live, core.budget.floor),
    },
  };
}

/** The part of a new compaction before the retained steps: its summary, the API's block, or the earlier summary. */
type WrittenSummary = {
  summary: string;
  earlier: string[];
  reason: string;
  usage?: Usage;
  block?: CompactionBlock;
  claims?: CompactionReceipt['claims'];
};

type SummaryHead = Pick<CompactionEntry, 'request' | 'summary'> &
  Partial<Pick<CompactionEntry, 'place' | 'archives' | 'block' | 'keepsThinking'>>;

export function summaryPlacement(
  { snapshot, core, cut }: CutContext,
  { summary, block }: WrittenSummary,
  request: string,
): SummaryHead {
  if (isEdit(cut)) return buildEditHead(snapshot.projection.compaction, core, request);
  if (block !== undefined) return { request, summary, place: 'server', block, keepsThinking: true };
  return {
    request,
    summary,
    place: choosePlace(core, cut),
    ...(cut.archives.length === 0 ? {} : { archives: cut.archives }),
    ...(core.policy.thinking === 'drop_block' ? { keepsThinking: true } : {}),
  };
}

/** `user` for a model without system messages in the conversation, and for text of code, which no model answered. */
function choosePlace({ policy, model }: Core, { by }: Cut): 'assistant' | 'user' | 'system' {
  const { place } = policy.summary;
  if (place === 'system') return model?.systemMessages === true ? 'system' : 'user';
  return by === 'code' ? 'user' : place;
}

/** The earlier summary stays; without one, nothing is put before the retained part. */
function buildEditHead(previous: CompactionEntry | undefined, { prompts }: Core, request: string): SummaryHead {
  if (previous === undefined) {
    const nothing = fillTemplate(prompts.bridge, {});
    return { request: nothing, summary: nothing, place: 'none' };
  }
  const { summary, place, archives, block } = previous;
  return {
    request: place === 'none' ? previous.request : request,
    summary,
    ...omitUndefined({ place, archives, block }),
  };
}
