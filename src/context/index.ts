/**
 * The context core: computes the messages that the model reads, and fits them into its window. Pure: the caller makes the calls.
 *
 * Before the first model call of a session: `checkWindow(policy, budget)`. Before every model call:
 *
 *     const pressure = shouldCompact(entries, core)
 *     if (pressure.due)
 *       const breaker = checkBreaker(entries, policy)       stuck -> throw breaker.error
 *       const plan = planCompaction(entries, core, { reason: 'threshold', openGate })
 *                                                           defer -> run the tools first; overflow -> throw plan.error
 *                                                           nothing -> the request is sent unchanged
 *       const request = summaryRequest(entries, core, plan) call the model with the usual system, tools and thinking,
 *                                                           its output cap and timeout those of `policy.summary`
 *       const accepted = acceptSummary(entries, core, plan, answer)
 *         ok      -> append placeEntry(entries, accepted.entry)
 *         refused -> append placeEntry(entries, refusal(cause, detail, usage)), then afterRefusal(...):
 *                    repair   -> summaryRequest(entries, core, plan, detail), once more from there
 *                    later    -> keep the old view; the next check tries again
 *                    fallback -> append that of fallback(entries, core, plan, cause), or throw when it is refused
 *       Straight to fallback: breaker open (its cause), no request possible ('request_too_large').
 *       A call that fails is a refusal too: 'timeout', 'transport', 'model_refused'.
 *     const shown = view(entries)                           shown.epoch goes into `response.view` of the answer
 *     findFault(shown.messages, rules) must be undefined    then markForCache(...), then send
 *
 * A policy may require another way; `by` of the cut names it:
 *     `code`    no model call: summaryRequest is undefined, and `fallback` makes the entry
 *     `server`  serverRequest(entries, core, plan), then acceptBlock; refused -> plan again with `summary.by: model`
 * A request that does not fit is made in parts, and so is one to another model: chunksOf, then readPart for each but the
 * last, whose answer goes to acceptSummary. `createIncrementalView(core)` gives the same views and pressures as `view` and
 * `shouldCompact`, and reads only the entries that were appended since its last call.
 *
 * Every function takes the entries of one lane and changes none of them. The functions of one compaction read them once
 * when they get a snapshot instead: `takeSnapshot(entries)`, or `incremental.snapshot(entries)` before each of them. What the
 * core makes is a draft: `placeEntry` gives it id, parents and lane, and nothing else of it may be changed. Where
 * `pressure.urgent` is true and nothing can be compacted, the call cannot be made: throw `context_overflow`.
 */
export { acceptBlock, acceptSummary, type Answer } from './summary/accept.ts';
export {
  ephemeralEntry,
  injectionEntries,
  itemEntry,
  lastTask,
  layerEntry,
  listPinnedRules,
  memoryEntry,
  pointerEntry,
  recapEntry,
  type PinnedRules,
} from './view/injected-entries.ts';
export { afterRefusal, checkBreaker, refusal, type Breaker } from './plan/circuit-breaker.ts';
export { changesOf, type ContextChange } from './record/receipt.ts';
export { chunksOf, readPart, type Chunks } from './summary/chunks.ts';
export type { Acceptance, CompactionDraft, RefusedDraft } from './summary/prove-compaction.ts';
export { fieldsOf, type Budget, type Core, type ModelTraits, type Prompts } from './core.ts';
export type { Cut, CompactionReason, Plan } from './plan/compaction-cut.ts';
export { createIncrementalView, type IncrementalView } from './view/incremental-view.ts';
export { takeSnapshot, type ContextSnapshot } from './context-snapshot.ts';
export { fallback } from './summary/fallback.ts';
export { listItems, type Item } from './plan/items.ts';
export { autoTrigger, type AutoTrigger, type SessionPace } from './plan/auto-trigger.ts';
export { checkSafety, checkWindow, limitsOf, loweredTrigger, type Limits } from './limits.ts';
export { markForCache } from './view/cache-marks.ts';
export { planCompaction } from './plan/plan.ts';
export { Policy } from './policy.ts';
export type { ViewReceipt } from './record/receipt.ts';
export { serverRequest, type ServerRequest } from './summary/server-request.ts';
export { summaryRequest, type SummaryRequest } from './summary/summary-request.ts';
export { keyPathsOf, SummaryFields, summarySchema, type SummaryField, type SummaryValue } from './summary/summary.ts';
export { shouldCompact, type Moment, type Pressure } from './plan/pressure.ts';
export { latestCompaction, view, type View } from './view/view.ts';
export { Entry, type CompactionEntry, type MessageEntry } from '../transcript/entry.ts';
export type { Message } from '../transcript/message.ts';
export { placeEntry, type EntryDraft } from '../transcript/entry.ts';
export { findFault, type ProtocolRules } from '../transcript/protocol.ts';
