/** The API's own compaction: one call for exactly the messages that leave, answered by a signed block (docs/api-rules.md §5.4). */
import { acceptBlock, serverRequest, type Cut } from '../../context/index.ts';
import { requestOf } from '../build-request.ts';
import { appendCompaction, appendRefusal } from './append-outcome.ts';
import { callSummaryModel, type CompactionTask } from './summary-call.ts';

/** False when the API or the acceptance refuses, with the refusal on record: then the model writes an ordinary summary. */
export async function summariseByServer(task: CompactionTask, cut: Cut): Promise<boolean> {
  const { core, fixed, follower, session } = task;
  const snapshot = follower.snapshot(session.entries);
  const outgoing = serverRequest(snapshot, core, cut);
  if (outgoing === undefined || isRefusedByServer(task)) return false;
  const { system } = follower.view(session.entries);
  const answered = await callSummaryModel(task, requestOf({ ...outgoing, system }, fixed));
  const accepted = answered.ok ? acceptBlock(snapshot, core, cut, answered.response) : answered;
  if (accepted.ok) await appendCompaction(task, accepted);
  else await appendRefusal(task, cut, { cause: `${SERVER}${accepted.cause}`, detail: accepted.detail, answered });
  return accepted.ok;
}

const SERVER = 'server:';

/** An outage ends, so it predicts nothing about later calls. */
const PASSING: ReadonlySet<string> = new Set([`${SERVER}transport`, `${SERVER}timeout`]);

/** After so many refusals the API will refuse the next one too. */
function isRefusedByServer({ session, core }: CompactionTask): boolean {
  const refused = session.entries.filter(
    (entry) => entry.type === 'compaction_refused' && entry.cause.startsWith(SERVER) && !PASSING.has(entry.cause),
  );
  return refused.length >= core.policy.breaker.perCause;
}
