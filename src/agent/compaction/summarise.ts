/** One summary: the call, its acceptance, one repair, and the fallback when both fail (S0.7, S0.12, S0.13, S1.14). */
import {
  acceptSummary,
  afterRefusal,
  chunksOf,
  fallback,
  keyPathsOf,
  readPart,
  summaryRequest,
  type Acceptance,
  type Cut,
} from '../../context/index.ts';
import { HarnessError } from '../../errors.ts';
import { textOf } from '../../transcript/message.ts';
import { requestOf, type FixedRequestParts } from '../build-request.ts';
import { appendCompaction, appendRefusal } from './append-outcome.ts';
import { callSummaryModel, type CompactionTask, type ModelCallResult } from './summary-call.ts';

/** Appends a compaction, or refusals that leave the old view unchanged. */
export async function summariseContext(task: CompactionTask, cut: Cut): Promise<void> {
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

/** The agent will read the paths that the summary names: one that cannot be opened is a fault to repair. */
async function withReadablePaths({ readable, signal }: CompactionTask, judged: Accepted): Promise<Acceptance> {
  for (const path of readable === undefined ? [] : keyPathsOf(judged.entry.summary)) {
    if (await readable?.(path, signal)) continue;
    const detail = `key_paths names ${path}, which cannot be read now: name only files and folders that are there`;
    return { ok: false, cause: 'key_path_unreadable', detail };
  }
  return judged;
}

/** By one message after the live request; in parts when that does not fit, or when another model writes the summary. */
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
  return callSummaryModel(task, requestOf({ ...request, system }, fixed));
}

/**
 * From the conversation as lines of text, part by part: each call gets the summary of the part before it. The answer is the
 * last part's, or the first failure; undefined when not even parts can be made.
 */
async function summariseInParts(
  task: CompactionTask,
  cut: Cut,
  fault: string | undefined,
): Promise<ModelCallResult | undefined> {
  const { core, fixed, summarizer, follower, session } = task;
  const chunks = chunksOf(follower.snapshot(session.entries), core, cut, summarizer?.facts.window);
  if (chunks === undefined) return undefined;
  // No message of the conversation is sent unchanged, so neither tools nor the agent's model are needed.
  const alone: FixedRequestParts = { ...fixed, tools: [], facts: summarizer?.facts ?? fixed.facts };
  let before: string | undefined;
  for (let part = 0; ; part += 1) {
    const request = requestOf({ ...chunks.request(part, before, fault), system: [], rewrittenThrough: 0 }, alone);
    const answered = await callSummaryModel(task, request, summarizer?.model);
    if (!answered.ok || part === chunks.parts - 1) return answered;
    before = readPart(textOf(answered.response), core);
    if (before === undefined)
      return { ok: false, cause: 'schema', detail: `part ${part + 1} of ${chunks.parts} gave no summary` };
  }
}

/** No model call: facts and the first words of the removed messages replace the summary, and the receipt records it. */
export async function fallBack(task: CompactionTask, cut: Cut, cause: string): Promise<void> {
  const { core, fixed, follower, session } = task;
  const made = fallback(follower.snapshot(session.entries), core, cut, cause);
  if (made.ok) return appendCompaction(task, made);
  await appendRefusal(task, cut, made);
  const { total, trigger, urgent } = cut.pressure;
  // The compaction was only opportune, so the session continues without it.
  if (!urgent && total <= trigger) return;
  throw new HarnessError(
    'context_overflow',
    `Agent ${fixed.agent}: no summary could be had (${cause}), and without one the context does not fit: ${made.detail}`,
    { details: { agent: fixed.agent, cause, tried: cut.decisions } },
  );
}
