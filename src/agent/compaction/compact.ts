/** One compaction, done in the way that its plan names; when one way is refused, the next is tried. */
import {
  checkBreaker,
  fallback,
  planCompaction,
  type Cut,
  type Plan,
  type Pressure,
  acceptBlock,
  serverRequest,
  acceptSummary,
  afterRefusal,
  chunksOf,
  keyPathsOf,
  readPart,
  summaryRequest,
  type Acceptance,
  refusal,
} from '../../context/index.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { PassDecision } from '../../transcript/compaction-receipt.ts';
import { HarnessError } from '../../errors.ts';
import { getText } from '../../transcript/message.ts';
import { computeCost } from '../../ports/model.ts';
import { FALLBACK } from '../../context/record/receipt.ts';
import { buildRequest, type FixedRequestParts } from '../build-request.ts';
import { type CompactionTask, callSummaryModel, type ModelCallResult } from './summary-call.ts';

/** Leaves the view unchanged when nothing can be done now. Throws `context_overflow` when no later check can help either. */
export async function compact(task: CompactionTask, pressure: Pressure, force: boolean): Promise<void> {
  const breaker = checkBreaker(task.session.entries, task.core.policy);
  // A context that has doubled since is another one: then a compaction may help again.
  if (breaker.state === 'stuck' && pressure.total < 2 * breaker.tokens) {
    if (pressure.urgent || force) throw breaker.error;
    return;
  }
  const because = pressure.because === undefined || pressure.because === 'tokens' ? 'threshold' : pressure.because;
  const reason = force ? 'window' : because;
  const occasion = { reason, ...omitUndefined({ openGate: task.openGate }) };
  const urgency = { cold: pressure.cold, force };
  const first = planCut(task, occasion, urgency);
  if (first === undefined) return;
  const tokens = { tokensBefore: pressure.total, tokensAfter: 0 };
  task.progress({ type: 'compaction', agent: task.fixed.agent, outcome: 'started', ...tokens, detail: reason });
  if (first.by === 'code' && (await compactByEdits(task, first))) return;
  const cut = first.by === 'code' ? planCut(task, { ...occasion, edits: false }, urgency) : first;
  if (cut === undefined) return;
  if (cut.by === 'code' || breaker.state === 'open')
    return fallBack(task, cut, breaker.state === 'open' ? breaker.cause : reason);
  if (cut.by === 'server' && (await summariseByServer(task, cut))) return;
  await summariseContext(task, { ...cut, by: 'model' });
}

function planCut(
  { session, follower, core, decisions }: CompactionTask,
  occasion: Cut['occasion'],
  { cold, force }: { cold: boolean; force: boolean },
): Cut | undefined {
  const plan = planCompaction(follower.snapshot(session.entries), core, occasion);
  decisions.splice(0, decisions.length, ...listTriedPasses(plan));
  if (plan.type === 'overflow') throw plan.error;
  if (plan.type !== 'cut') return undefined;
  return { ...plan, pressure: { ...plan.pressure, cold, urgent: plan.pressure.urgent || force } };
}

function listTriedPasses(plan: Plan): readonly PassDecision[] {
  if (plan.type === 'cut') return plan.decisions;
  return 'tried' in plan ? (plan.tried ?? []) : [];
}

/** Compacts without a model call; returns false when the edits are not enough and a summary is needed. */
async function compactByEdits(task: CompactionTask, cut: Cut): Promise<boolean> {
  const { follower, session, core } = task;
  const made = fallback(follower.snapshot(session.entries), core, cut, cut.occasion.reason);
  if (made.ok) await appendCompaction(task, made);
  return made.ok;
}

/** Returns false when the API or the acceptance refuses; the refusal is recorded, and the model then writes a summary. */
async function summariseByServer(task: CompactionTask, cut: Cut): Promise<boolean> {
  const { core, fixed, follower, session } = task;
  const snapshot = follower.snapshot(session.entries);
  const outgoing = serverRequest(snapshot, core, cut);
  if (outgoing === undefined || isRefusedByServer(task)) return false;
  const { system } = follower.view(session.entries);
  const answered = await callSummaryModel(task, buildRequest({ ...outgoing, system }, fixed));
  const accepted = answered.ok ? acceptBlock(snapshot, core, cut, answered.response) : answered;
  if (accepted.ok) await appendCompaction(task, accepted);
  else await appendRefusal(task, cut, { cause: `${SERVER}${accepted.cause}`, detail: accepted.detail, answered });
  return accepted.ok;
}

const SERVER = 'server:';

/** Causes that pass by themselves, so they predict nothing about later calls. */
const PASSING: ReadonlySet<string> = new Set([`${SERVER}transport`, `${SERVER}timeout`]);

/** After `breaker.perCause` refusals the API is expected to refuse the next compaction too. */
function isRefusedByServer({ session, core }: CompactionTask): boolean {
  const refused = session.entries.filter(
    (entry) => entry.type === 'compaction_refused' && entry.cause.startsWith(SERVER) && !PASSING.has(entry.cause),
  );
  return refused.length >= core.policy.breaker.perCause;
}

/** Appends a compaction, or refusals that leave the old view unchanged. */
async function summariseContext(task: CompactionTask, cut: Cut): Promise<void> {
  const { core, session, follower } = task;
  let fault: string | undefined;
  for (let repairs = 0; ; repairs += 1) {
    const answered = await requestSummary(task, cut, fault);
    if (answered === undefined) return fallBack(task, cut, 'request_too_large');
    const judged = answered.ok
      ? acceptSummary(follower.snapshot(session.entries), core, cut, answered.response)
      : answered;
    const accepted = judged.ok ? await withReadablePaths(task, judged) : judged;
    if (accepted.ok) return appendCompaction(task, accepted);
    const { cause, detail } = accepted;
    await appendRefusal(task, cut, { cause, detail, answered });
    const next = afterRefusal(session.entries, core.policy, { cause, urgent: cut.pressure.urgent, repairs });
    if (next === 'later') return undefined;
    if (next === 'fallback') return fallBack(task, cut, cause);
    fault = detail;
  }
}

type Accepted = Extract<Acceptance, { ok: true }>;

/** Refuses a summary that names a path which cannot be opened, because the agent will read these paths. */
async function withReadablePaths({ readable, signal }: CompactionTask, judged: Accepted): Promise<Acceptance> {
  for (const path of readable === undefined ? [] : keyPathsOf(judged.entry.summary)) {
    if (await readable?.(path, signal)) continue;
    const detail = `key_paths names ${path}, which cannot be read now: name only files and folders that are there`;
    return { ok: false, cause: 'key_path_unreadable', detail };
  }
  return judged;
}

/** Requests the summary by one more message, or in parts when that does not fit or another model writes it. */
async function requestSummary(
  task: CompactionTask,
  cut: Cut,
  fault: string | undefined,
): Promise<ModelCallResult | undefined> {
  const { core, fixed, follower, summarizer, session } = task;
  const snapshot = follower.snapshot(session.entries);
  const request = summarizer === undefined ? summaryRequest(snapshot, core, cut, fault) : undefined;
  if (request === undefined) return summariseInParts(task, cut, fault);
  const { system } = follower.view(session.entries);
  return callSummaryModel(task, buildRequest({ ...request, system }, fixed));
}

/**
 * Summarises the conversation as lines of text, part by part; each call gets the summary of the part before. Returns
 * the last part's answer or the first failure; undefined when not even parts can be made.
 */
async function summariseInParts(
  task: CompactionTask,
  cut: Cut,
  fault: string | undefined,
): Promise<ModelCallResult | undefined> {
  const { core, fixed, summarizer, follower, session } = task;
  const chunks = chunksOf(follower.snapshot(session.entries), core, cut, summarizer?.facts.window);
  if (chunks === undefined) return undefined;
  // No message of the conversation is sent unchanged, so neither the tools nor the agent's model are needed.
  const alone: FixedRequestParts = {
    ...fixed,
    tools: [],
    taskBudget: undefined,
    facts: summarizer?.facts ?? fixed.facts,
  };
  let before: string | undefined;
  for (let part = 0; ; part += 1) {
    const request = buildRequest({ ...chunks.request(part, before, fault), system: [], rewrittenThrough: 0 }, alone);
    const answered = await callSummaryModel(task, request, summarizer?.model);
    if (!answered.ok || part === chunks.parts - 1) return answered;
    before = readPart(getText(answered.response), core);
    if (before === undefined)
      return { ok: false, cause: 'schema', detail: `part ${part + 1} of ${chunks.parts} gave no summary` };
  }
}

/** Replaces the summary by facts and the first words of the removed messages, as the receipt records; no model call. */
async function fallBack(task: CompactionTask, cut: Cut, cause: string): Promise<void> {
  const { core, fixed, follower, session } = task;
  const made = fallback(follower.snapshot(session.entries), core, cut, cause);
  if (made.ok) return appendCompaction(task, made);
  await appendRefusal(task, cut, made);
  // The window is not full yet, so the session continues without a compaction.
  if (!cut.pressure.urgent) return;
  throw new HarnessError(
    'context_overflow',
    `Agent ${fixed.agent}: no summary could be had (${cause}), and without one the context does not fit: ${made.detail}`,
    { details: { agent: fixed.agent, cause, tried: cut.decisions } },
  );
}

/** Appends the outcome of a compaction and reports it: accepted with its cost, or refused with its cause (S2.8). */
async function appendCompaction(
  { session, fixed, progress, summarizer }: CompactionTask,
  { entry }: Accepted,
): Promise<void> {
  const { usage, tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason } = entry.receipt;
  const { price } = summarizer?.facts ?? fixed.facts;
  const costUsd = usage === undefined || price === undefined ? {} : { costUsd: computeCost(usage, price) };
  await session.append({ ...entry, receipt: { ...entry.receipt, ...costUsd } });
  // The first sentence says what became of the summary (S1.14).
  const [said = ''] = reason.startsWith(FALLBACK) ? entry.summary.split(/(?<=\.)\s/) : [];
  const detail = [
    said,
    `${stepsSummarised} ${stepsSummarised === 1 ? 'step' : 'steps'} summarised, ${stepsKept} kept word for word`,
  ]
    .filter(Boolean)
    .join(' ');
  progress({ type: 'compaction', agent: fixed.agent, outcome: 'accepted', tokensBefore, tokensAfter, detail });
}

/** `answered` is the call whose answer was refused; it may have cost something. */
async function appendRefusal(
  { session, fixed, progress }: CompactionTask,
  { pressure: { total } }: Cut,
  { cause, detail, answered }: { cause: string; detail: string; answered?: ModelCallResult },
): Promise<void> {
  await session.append(refusal(cause, detail, answered?.ok === true ? answered.response.usage : undefined));
  const tokens = { tokensBefore: total, tokensAfter: total };
  progress({ type: 'compaction', agent: fixed.agent, outcome: 'refused', ...tokens, detail: `${cause}: ${detail}` });
}
