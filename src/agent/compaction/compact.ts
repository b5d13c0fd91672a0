/** One compaction: what the plan says is done by whoever it names, and a refusal of one way leads to the next. */
import { checkBreaker, fallback, planCompaction, type Core, type Cut, type Pressure } from '../../context/index.ts';
import { summariseByServer } from './server-compaction.ts';
import type { AgentSession } from '../session.ts';
import type { CompactionContext } from './summary-call.ts';
import { appendCompaction } from './append-outcome.ts';
import { fallBack, summariseContext } from './summarise.ts';

/** Nothing changes where nothing can: then the next check tries again. Throws `context_overflow` when nothing ever can. */
export async function compact(
  session: AgentSession,
  pressure: Pressure,
  force: boolean,
  compacting: CompactionContext,
  signal: AbortSignal,
): Promise<void> {
  const { core } = compacting;
  const breaker = checkBreaker(session.entries, core.policy);
  if (breaker.state === 'stuck') throw breaker.error;
  const because = pressure.because === undefined || pressure.because === 'tokens' ? 'threshold' : pressure.because;
  const reason = force ? 'window' : because;
  const cut = planned(session, core, { reason }, pressure, force);
  if (cut === undefined) return;
  announce(cut, pressure, compacting);
  if (cut.by === 'code' && (await edited(session, cut, compacting))) return;
  const asked = cut.by === 'code' ? planned(session, core, { reason, edits: false }, pressure, force) : cut;
  if (asked === undefined) return;
  if (asked.by === 'code' || breaker.state === 'open')
    return fallBack(session, asked, breaker.state === 'open' ? breaker.cause : reason, compacting);
  if (asked.by === 'server') {
    if (await summariseByServer(session, asked, compacting, signal)) return;
    return summariseContext(session, { ...asked, by: 'model' }, compacting, signal);
  }
  await summariseContext(session, asked, compacting, signal);
}

function planned(
  session: AgentSession,
  core: Core,
  occasion: Cut['occasion'],
  { cold }: Pressure,
  force: boolean,
): Cut | undefined {
  const plan = planCompaction(session.entries, core, occasion);
  if (plan.type === 'overflow') throw plan.error;
  if (plan.type !== 'cut') return undefined;
  return { ...plan, pressure: { ...plan.pressure, cold, urgent: plan.pressure.urgent || force } };
}

/** No model is asked; false when the edits turn out to be not enough, and something must be summarised. */
async function edited(session: AgentSession, cut: Cut, compacting: CompactionContext): Promise<boolean> {
  const made = fallback(session.entries, compacting.core, cut, cut.occasion.reason);
  if (made.ok) await appendCompaction(session, made, compacting);
  return made.ok;
}

function announce({ occasion }: Cut, { total }: Pressure, { fixed, progress }: CompactionContext): void {
  progress({
    type: 'compaction',
    agent: fixed.agent,
    outcome: 'started',
    tokensBefore: total,
    tokensAfter: 0,
    detail: occasion.reason,
  });
}
