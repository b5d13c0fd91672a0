/**
 * The API's own compaction: one call for exactly the messages that leave, answered by a signed block
 * (docs/api-rules.md §5.4).
 */
import { acceptBlock, serverRequest, type Cut } from '../../context/index.ts';
import { requestOf } from '../build-request.ts';
import type { AgentSession } from '../session.ts';
import { callSummaryModel, type CompactionContext } from './summary-call.ts';
import { appendCompaction, appendRefusal } from './append-outcome.ts';

/** False when the API or our own checks refuse, with the refusal on record: then an ordinary summary is asked for. */
export async function summariseByServer(
  session: AgentSession,
  cut: Cut,
  compacting: CompactionContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { core, fixed, follower, model } = compacting;
  const asked = serverRequest(session.entries, core, cut);
  if (asked === undefined || serverRefusal(session, compacting)) return false;
  const { system } = follower.view(session.entries);
  const request = requestOf({ ...asked, system }, asked.maxTokens, fixed, asked.compaction);
  const answered = await callSummaryModel(request, model, compacting, signal);
  const accepted = answered.ok ? acceptBlock(session.entries, core, cut, answered.response) : answered;
  if (accepted.ok) {
    await appendCompaction(session, accepted, compacting);
    return true;
  }
  const usage = answered.ok ? answered.response.usage : undefined;
  await appendRefusal(
    session,
    cut,
    { cause: `${SERVER}${accepted.cause}`, detail: accepted.detail, usage },
    compacting,
  );
  return false;
}

const SERVER = 'server:';

/** An outage passes, and says nothing of what the API would take. */
const PASSING: ReadonlySet<string> = new Set([`${SERVER}transport`, `${SERVER}timeout`]);

/** What the API refused that often it will not take today. */
function serverRefusal({ entries }: AgentSession, { core }: CompactionContext): boolean {
  const refused = entries.filter(
    (entry) => entry.type === 'compaction_refused' && entry.cause.startsWith(SERVER) && !PASSING.has(entry.cause),
  );
  return refused.length >= core.policy.breaker.perCause;
}
