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
} from '../context/index.ts';
import { HarnessError, isHarnessError, messageOf } from '../errors.ts';
import type { Model, ModelResponse } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import type { Usage } from '../transcript/message.ts';
import { requestOf, type Fixed } from './assemble.ts';
import type { Session } from './session.ts';

export type Compacting = { core: Core; fixed: Fixed; model: Model; progress: Progress };

/** Appends a compaction, or refusals that leave the old view as it is. */
export async function summarise(
  session: Session,
  cut: Cut,
  compacting: Compacting,
  signal: AbortSignal,
): Promise<void> {
  const { core } = compacting;
  let fault: string | undefined;
  for (let repairs = 0; ; repairs += 1) {
    const request = summaryRequest(session.entries, core, cut, fault);
    if (request === undefined) return fallBack(session, cut, 'request_too_large', compacting);
    const outgoing = requestOf(request.messages, request.rewrittenThrough, request.maxTokens, compacting.fixed);
    const answered = await ask(outgoing, compacting, signal);
    const accepted = answered.ok ? acceptSummary(session.entries, core, cut, answered.response) : answered;
    if (accepted.ok) return accept(session, accepted, compacting);
    const { cause, detail } = accepted;
    await refuse(session, cut, cause, detail, answered.ok ? answered.response.usage : undefined, compacting);
    const next = afterRefusal(session.entries, core.policy, { cause, urgent: cut.pressure.urgent, repairs });
    if (next === 'later') return undefined;
    if (next === 'fallback') return fallBack(session, cut, cause, compacting);
    fault = detail;
  }
}

/** No model is asked: facts and the beginnings of what is left out stand in for the summary, and the record says so. */
export async function fallBack(session: Session, cut: Cut, cause: string, compacting: Compacting): Promise<void> {
  const made = fallback(session.entries, compacting.core, cut, cause);
  if (made.ok) return accept(session, made, compacting);
  await refuse(session, cut, made.cause, made.detail, undefined, compacting);
  throw new HarnessError(
    'context_overflow',
    `Agent ${compacting.fixed.agent}: no summary could be had (${cause}), and without one the context does not fit: ${made.detail}`,
    {
      details: { agent: compacting.fixed.agent, cause, tried: cut.decisions },
    },
  );
}

type Asked = { ok: true; response: ModelResponse } | { ok: false; cause: string; detail: string };

async function ask(
  request: Parameters<Model['call']>[0],
  { core, model }: Compacting,
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

async function accept(
  session: Session,
  { entry }: Extract<Acceptance, { ok: true }>,
  { fixed, progress }: Compacting,
): Promise<void> {
  await session.append(entry);
  const { tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason } = entry.receipt;
  const detail = `${stepsSummarised} steps summarised, ${stepsKept} kept word for word${reason.startsWith('fallback') ? ` (${reason})` : ''}`;
  progress({ type: 'compaction', agent: fixed.agent, outcome: 'accepted', tokensBefore, tokensAfter, detail });
}

async function refuse(
  session: Session,
  cut: Cut,
  cause: string,
  detail: string,
  usage: Usage | undefined,
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
