/** One summary: the call, its acceptance, one repair, and the fallback when none can be had (S0.7, S0.12, S0.13, S1.14). */
import {
  acceptSummary,
  afterRefusal,
  fallback,
  keyPathsOf,
  summaryRequest,
  type Acceptance,
  type Cut,
} from '../../context/index.ts';
import { HarnessError } from '../../errors.ts';
import { callSummaryModel, type ModelCallResult, type CompactionContext } from './summary-call.ts';
import { requestOf } from '../build-request.ts';
import { summariseInParts } from './summarise-in-parts.ts';
import { appendCompaction, appendRefusal } from './append-outcome.ts';
import type { AgentSession } from '../session.ts';

/** Appends a compaction, or refusals that leave the old view as it is. */
export async function summariseContext(
  session: AgentSession,
  cut: Cut,
  compacting: CompactionContext,
  signal: AbortSignal,
): Promise<void> {
  let fault: string | undefined;
  for (let repairs = 0; ; repairs += 1) {
    const answered = await answerTo(session, cut, fault, compacting, signal);
    if (answered === undefined) return fallBack(session, cut, 'request_too_large', compacting);
    const { core } = compacting;
    const judged = answered.ok ? acceptSummary(session.entries, core, cut, answered.response) : answered;
    const accepted = judged.ok ? await withReadablePaths(judged, compacting, signal) : judged;
    if (accepted.ok) return appendCompaction(session, accepted, compacting);
    const { cause, detail } = accepted;
    const usage = answered.ok ? answered.response.usage : undefined;
    await appendRefusal(session, cut, { cause, detail, usage }, compacting);
    const next = afterRefusal(session.entries, core.policy, { cause, urgent: cut.pressure.urgent, repairs });
    if (next === 'later') return undefined;
    if (next === 'fallback') return fallBack(session, cut, cause, compacting);
    fault = detail;
  }
}

type Accepted = Extract<Acceptance, { ok: true }>;

/** Whoever goes on from this summary will read what it names: a path that cannot be opened is a mistake to be put right. */
async function withReadablePaths(
  judged: Accepted,
  { readable }: CompactionContext,
  signal: AbortSignal,
): Promise<Acceptance> {
  for (const path of readable === undefined ? [] : keyPathsOf(judged.entry.summary)) {
    if (await readable?.(path, signal)) continue;
    const detail = `key_paths names ${path}, which cannot be read now: name only files and folders that are there`;
    return { ok: false, cause: 'key_path_unreadable', detail };
  }
  return judged;
}

/** By the suffix of the live request; in parts where that does not fit, or where another model is to write it. */
async function answerTo(
  session: AgentSession,
  cut: Cut,
  fault: string | undefined,
  compacting: CompactionContext,
  signal: AbortSignal,
): Promise<ModelCallResult | undefined> {
  const { core, fixed, model, follower, summarizer } = compacting;
  const request = summarizer === undefined ? summaryRequest(session.entries, core, cut, fault) : undefined;
  if (request === undefined) return summariseInParts(session, cut, fault, compacting, signal);
  const { system } = follower.view(session.entries);
  return callSummaryModel(requestOf({ ...request, system }, request.maxTokens, fixed), model, compacting, signal);
}

/** No model is asked: facts and the beginnings of what is left out stand in for the summary, and the record says so. */
export async function fallBack(
  session: AgentSession,
  cut: Cut,
  cause: string,
  compacting: CompactionContext,
): Promise<void> {
  const made = fallback(session.entries, compacting.core, cut, cause);
  if (made.ok) return appendCompaction(session, made, compacting);
  await appendRefusal(session, cut, { cause: made.cause, detail: made.detail, usage: undefined }, compacting);
  const { total, trigger, urgent } = cut.pressure;
  // It was only a good moment for it.
  if (!urgent && total <= trigger) return;
  throw new HarnessError(
    'context_overflow',
    `Agent ${compacting.fixed.agent}: no summary could be had (${cause}), and without one the context does not fit: ${made.detail}`,
    {
      details: { agent: compacting.fixed.agent, cause, tried: cut.decisions },
    },
  );
}
