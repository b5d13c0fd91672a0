/** What came of a compaction, on record and told: accepted with its cost, or refused with its cause (S2.8). */
import { refusal, type Acceptance, type Cut } from '../../context/index.ts';
import { costOf } from '../../ports/model.ts';
import type { Usage } from '../../transcript/message.ts';
import type { CompactionContext } from './summary-call.ts';
import type { AgentSession } from '../session.ts';

export async function appendCompaction(
  session: AgentSession,
  { entry }: Extract<Acceptance, { ok: true }>,
  { fixed, progress, summarizer }: CompactionContext,
): Promise<void> {
  const { usage } = entry.receipt;
  const costUsd = usage === undefined ? {} : { costUsd: costOf(usage, (summarizer?.facts ?? fixed.facts).price) };
  await session.append({ ...entry, receipt: { ...entry.receipt, ...costUsd } });
  const { tokensBefore, tokensAfter, stepsSummarised, stepsKept, reason } = entry.receipt;
  const detail = `${stepsSummarised} steps summarised, ${stepsKept} kept word for word${reason.startsWith('fallback') ? ` (${reason})` : ''}`;
  progress({ type: 'compaction', agent: fixed.agent, outcome: 'accepted', tokensBefore, tokensAfter, detail });
}

export async function appendRefusal(
  session: AgentSession,
  cut: Cut,
  { cause, detail, usage }: { cause: string; detail: string; usage: Usage | undefined },
  { fixed, progress }: CompactionContext,
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
