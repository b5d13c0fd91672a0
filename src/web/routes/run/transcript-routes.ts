/** An agent's conversation. */
import { Hono } from 'hono';
import { HarnessError } from '../../../errors.ts';
import type { SpendRecord } from '../../../ports/run-store.ts';
import { selectMainLane } from '../../../transcript/entry.ts';
import { transcriptPage } from '../../pages/run/transcript-page.ts';
import { findRun } from '../../read/find-run.ts';
import { listAgents, readEntries } from '../../read/read-transcript.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from '../respond.ts';

const TRANSCRIPT = '/runs/:run/transcripts/:agent{[a-z][a-z0-9-]{0,63}}';

export function transcriptRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>().get(TRANSCRIPT, async (c) => {
    const { key, run, agent, agents } = await loadTranscript(c, deps);
    const all = await readEntries(run, agent);
    const lane = c.req.query('lane');
    const entries = lane === undefined ? selectMainLane(all) : all.filter((entry) => entry.lane === lane);
    if (entries.length === 0 && lane !== undefined) throw new HarnessError('not_found', 'There is no such lane.');
    const lanes = [...new Set(all.map((entry) => entry.lane))];
    const calls = (await run.spending.list()).filter((record) => record.agent === agent);
    const sum = (of: (call: SpendRecord) => number) => calls.reduce((total, call) => total + of(call), 0);
    const uncertainUsd = sum((call) => call.uncertainUsd + call.reservedUsd);
    const spent = { usd: sum(({ usd }) => usd), uncertainUsd };
    const state = await readState(run);
    const made = await run.transcripts.calls(agent);
    const body = transcriptPage({ status: state.status, key, agent, agents, entries, lanes, calls: made, spent });
    const live = 'verdict' in state ? {} : { live: `/runs/${encodeURIComponent(key)}/live`, grows: true };
    return sendPage(c, deps, { title: `${agent} in run ${key}`, here: 'runs', body, charts: true, ...live });
  });
}

async function loadTranscript(c: ReviewContext, deps: ReviewDeps) {
  const [key, agent] = [c.req.param('run') ?? '', c.req.param('agent') ?? ''];
  const run = await findRun(deps.store, key);
  const agents = await listAgents(run);
  if (agents.includes(agent)) return { key, run, agent, agents };
  throw new HarnessError('not_found', 'This agent has said nothing in this run yet.');
}
