/** One summary: the call, its acceptance, one repair, and the fallback when none can be had (S0.7, S0.12, S0.13, S1.14). */
import {
  acceptSummary,
  afterRefusal,
  fallback,
  refusal,
  summaryRequest,
  type Acceptance,
  type Core,
  type Cut,
  type Follower,
} from '../context/index.ts';
import { HarnessError, isHarnessError, messageOf } from '../errors.ts';
import { costOf, type Model, type ModelFacts, type ModelRequest, type ModelResponse } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import type { Usage } from '../transcript/message.ts';
import { requestOf, type Fixed } from './assemble.ts';
import { summariseInParts } from './in-parts.ts';
import type { Session } from './session.ts';

/** Another model that writes the summaries, in a session of its own (S1.13). */
export type Summarizer = { model: Model; facts: ModelFacts };

export type Compacting = {
  core: Core;
  fixed: Fixed;
  model: Model;
  progress: Progress;
  follower: Follower;
  summarizer?: Summarizer;
};

/** Appends a compaction, or refusals that leave the old view as it is. */
export async function summarise(
  session: Session,
  cut: Cut,
  compacting: Compacting,
  signal: AbortSignal,
): Promise<void> {
  let fault: string | undefined;
  for (let repairs = 0; ; repairs += 1) {
    const answered = await answerTo(session, cut, fault, compacting, signal);
    if (answered === undefined) return fallBack(session, cut, 'request_too_large', compacting);
    const { core } = compacting;
    const accepted = answered.ok ? acceptSummary(session.entries, core, cut, answered.response) : answered;
    if (accepted.ok) return accept(session, accepted, compacting);
    const { cause, detail } = accepted;
    const usage = answered.ok ? answered.response.usage : undefined;
    await refuse(session, cut, { cause, detail, usage }, compacting);
    const next = afterRefusal(session.entries, core.policy, { cause, urgent: cut.pressure.urgent, repairs });
    if (next === 'later') return undefined;
    if (next === 'fallback') return fallBack(session, cut, cause, compacting);
    fault = detail;
  }
}

/** By the suffix of the live request; in parts where that does not fit, or where another model is to write it. */
async function answerTo(
  session: Session,
  cut: Cut,
  fault: string | undefined,
  compacting: Compacting,
  signal: AbortSignal,
): Promise<Asked | undefined> {
  const { core, fixed, model, follower, summarizer } = compacting;
  const request = summarizer === undefined ? summaryRequest(session.entries, core, cut, fault) : undefined;
  if (request === undefined) return summariseInParts(session, cut, fault, compacting, signal);
  const { system } = follower.view(session.entries);
  return ask(requestOf({ ...request, system }, request.maxTokens, fixed), model, compacting, signal);
}

/** No model is asked: facts and the beginnings of what is left out stand in for the summary, and the record says so. */
export async function fallBack(session: Session, cut: Cut, cause: string, compacting: Compacting): Promise<void> {
  const made = fallback(session.entries, compacting.core, cut, cause);
  if (made.ok) return accept(session, made, compacting);
  await refuse(session, cut, { cause: made.cause, detail: made.detail, usage: undefined }, compacting);
  throw new HarnessError(
    'context_overflow',
    `Agent ${compacting.fixed.agent}: no summary could be had (${cause}), and without one the context does not fit: ${made.detail}`,
    {
      details: { agent: compacting.fixed.agent, cause, tried: cut.decisions },
    },
  );
}

export type Asked = { ok: true; response: ModelResponse } | { ok: false; cause: string; detail: string };

export async function ask(
  request: ModelRequest,
  model: Model,
  { core }: Compacting,
  signal: AbortSignal,
): Promise<Asked> {
  const timeout = AbortSignal.timeout(core.policy.summary.timeoutSeconds * 1000);
  try {
    return { ok: true, response: await model.call(request, AbortSignal.any([signal, timeout])) };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      return { ok: false, cause: 'timeout', detail: `no summary within ${core.policy.summary.timeoutSeconds} s` };
    if (isHarnessError(error, 'model_unavailable')) return { ok: false, cause: 'transport', detail: messageOf(error) };
    if (isHarnessError(error, 'model_refused')) return { ok: false, cause: 'model_refused', detail: messageOf(error) };
    throw error;
  }
}

export async function accept(
  session: Session,
  { entry }: Extract<Acceptance, { ok: true }>,
  { fixed, progress, summarizer }: Compacting,
): Promise<void> {
  const { usage } = entry.receipt;
  const costUsd = usage === undefined ? {} : { costUsd: costOf(usage, (summarizer?.facts ?? fixed.facts).price) };
  await session.append({ ...entry, receipt: { ...entry.receipt, ...costUsd } });
  const { tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason } = entry.receipt;
  const detail = `${stepsSummarised} steps summarised, ${stepsKept} kept word for word${reason.startsWith('fallback') ? ` (${reason})` : ''}`;
  progress({ type: 'compaction', agent: fixed.agent, outcome: 'accepted', tokensBefore, tokensAfter, detail });
}

export async function refuse(
  session: Session,
  cut: Cut,
  { cause, detail, usage }: { cause: string; detail: string; usage: Usage | undefined },
  { fixed, progress }: Compacting,
): Promise<void> {
  await session.append(refusal(cause, detail, usage));
  const tokens = cut.pressure.total;
  progress({
    type: 'compaction',
    agent: fixed.agent,
    outcome: 'refused',
    tokensBefore: tokens,
    tokensAfter: tokens,
    detail: `${cause}: ${detail}`,
  });
}
