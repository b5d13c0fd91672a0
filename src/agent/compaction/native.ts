/** The API's own compaction: one call for exactly the messages that leave, answered by a signed block (messages-api §5.4). */
import { acceptBlock, serverRequest, type Cut } from '../../context/index.ts';
import { requestOf } from '../assemble.ts';
import type { Session } from '../session.ts';
import { ask, type Compacting } from './ask.ts';
import { accept, refuse } from './outcome.ts';

/** False when the API or our own checks refuse, with the refusal on record: then an ordinary summary is asked for. */
export async function summariseByServer(
  session: Session,
  cut: Cut,
  compacting: Compacting,
  signal: AbortSignal,
): Promise<boolean> {
  const { core, fixed, follower, model } = compacting;
  const asked = serverRequest(session.entries, core, cut);
  if (asked === undefined || givenUp(session, compacting)) return false;
  const { system } = follower.view(session.entries);
  const request = requestOf({ ...asked, system }, asked.maxTokens, fixed, asked.compaction);
  const answered = await ask(request, model, compacting, signal);
  const accepted = answered.ok ? acceptBlock(session.entries, core, cut, answered.response) : answered;
  if (accepted.ok) {
    await accept(session, accepted, compacting);
    return true;
  }
  const usage = answered.ok ? answered.response.usage : undefined;
  await refuse(session, cut, { cause: `${SERVER}${accepted.cause}`, detail: accepted.detail, usage }, compacting);
  return false;
}

const SERVER = 'server:';

/** An outage passes, and says nothing of what the API would take. */
const PASSING: ReadonlySet<string> = new Set([`${SERVER}transport`, `${SERVER}timeout`]);

/** What the API refused that often it will not take today. */
function givenUp({ entries }: Session, { core }: Compacting): boolean {
  const refused = entries.filter(
    (entry) => entry.type === 'compaction_refused' && entry.cause.startsWith(SERVER) && !PASSING.has(entry.cause),
  );
  return refused.length >= core.policy.breaker.perCause;
}
