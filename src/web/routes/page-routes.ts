/** The pages that only show: what waits, a design, a run, a sample, the numbers. */
import { Hono } from 'hono';
import { HarnessError } from '../../errors.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import { decisionDenial } from '../guard/authorization.ts';
import type { Visitor } from '../guard/visitor.ts';
import { designPage } from '../pages/design/design-page.ts';
import { gateHref } from '../pages/page-links.ts';
import { queuePage } from '../pages/queue-page.ts';
import { orderSection } from '../pages/run/order-section.ts';
import { runPage } from '../pages/run/run-page.ts';
import { sourcePage } from '../pages/run/source-page.ts';
import { selectDraft } from '../read/answer-drafts.ts';
import { findRun, gateKey } from '../read/find-run.ts';
import { runNews } from '../read/run-news.ts';
import { groupGates } from '../../gate/rules/sameness.ts';
import { MOST_OF_A_PAGE, openGates, type WaitingGate } from '../read/open-gates.ts';
import { getDesignDir, type GateView } from '../read/read-gate.ts';
import { listAgents } from '../read/read-transcript.ts';
import { mapRunsToBatches } from '../read/run-rows.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { denialAt, GATE_PATH, gateRequest, newForm, readView, type GateRequest } from './gate/gate-request.ts';
import { requireVisitor } from './guards.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from './respond.ts';
import { mayOrder, renderNextStep } from './run/order-routes.ts';
import { judgeSummary } from '../../report/run/run-summary.ts';
import { readState } from '../../run-folder/snapshot.ts';

export function pageRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/', async (c) => {
      const wanted = Number(c.req.query('from'));
      const from = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : 0;
      const { waiting, all, unreadable } = await openGates(deps, { most: MOST_OF_A_PAGE, from });
      const [batches, now] = [await mapRunsToBatches(deps), deps.clock.now()];
      const part = { from, most: MOST_OF_A_PAGE, all };
      const isMine = (gate: WaitingGate) => waitsFor(requireVisitor(c), gate, deps);
      const { true: mine = [], false: others = [] } = Object.groupBy(waiting, (gate) => `${isMine(gate)}`);
      const groups = { mine: groupGates(mine), others: groupGates(others) };
      const body = queuePage({ groups, part, unreadable, batches, now });
      return sendPage(c, deps, { title: 'Waiting', here: 'queue', body });
    })
    .get('/next', async (c) => {
      const { waiting } = await openGates(deps);
      const here = waiting.findIndex(({ key, pack }) => gateKey(key, pack.gate) === c.req.query('after'));
      // Wraps from the last to the first, so that a reviewer who goes through them skips none.
      const next = waiting[here + 1] ?? waiting.find((_, index) => index !== here);
      return c.redirect(next === undefined ? '/' : gateHref(next.key, next.pack.gate), 303);
    })
    .get(`${GATE_PATH}/design`, async (c) => {
      const at = await gateRequest(c, deps);
      const view = await readView(at);
      const design = await deps.designs.read(at.run, getDesignDir(view.state, view.pack));
      const body = designPage({ key: at.key, view, design, drafts: await draftsFor(at, view) });
      return sendPage(c, deps, { title: `Design of ${at.gate}`, here: 'queue', body });
    })
    .get('/runs/:run/sources/:path{.+}', async (c) => {
      const { run: key, path } = c.req.param();
      const run = await findRun(deps.store, key);
      // People name their files in any language, so no pattern says which there are.
      const isListed = (await run.list('scenario')).includes(`scenario/${path}`);
      const text = isListed ? await run.read(`scenario/${path}`) : undefined;
      if (text === undefined) throw new HarnessError('not_found', `Run ${key} has no source ${path}.`);
      const source = { key, path, text, kind: 'source', about: 'as the run began with it' };
      const body = sourcePage({ ...source, place: `scenario/${path}` });
      return sendPage(c, deps, { title: path, here: 'runs', body });
    })
    .get('/runs/:run', (c) => sendRun(c, c.req.param('run'), deps));
}

/** Whether a gate waits for this visitor: they may decide it, did not approve it yet, and no other was handed it. */
function waitsFor(visitor: Visitor, gate: WaitingGate, { access }: ReviewDeps): boolean {
  const hasApproved = gate.approvals.some((actor) => isSameActor(actor, `user:${visitor.name}`));
  const isAnothers = gate.handover !== undefined && !isSameActor(gate.handover.to, visitor.name);
  return (
    !hasApproved && !isAnothers && decisionDenial(visitor, { ...gate, gate: gate.pack.gate }, access) === undefined
  );
}

/** Undefined when this reader may not answer, or the gate is closed. */
async function draftsFor(at: GateRequest, { open, state }: GateView): Promise<ReadonlyMap<string, string> | undefined> {
  if (open === undefined || denialAt(at, open.digest, state.startedBy) !== undefined) return undefined;
  return selectDraft(await at.deps.drafts.of(at.run.dir, at.visitor.name), at.gate, open.digest).anchored;
}

async function sendRun(c: ReviewContext, key: string, deps: ReviewDeps): Promise<Response> {
  const run = await findRun(deps.store, key);
  const summary = await deps.summarise(run);
  const state = await readState(run);
  const news = runNews(state);
  const visitor = requireVisitor(c);
  const formToken = newForm({ visitor, deps }).token;
  const next = await renderNextStep(run, state, { key, visitor, deps, verdict: judgeSummary(summary) });
  const [agents, batch] = [await listAgents(run), (await mapRunsToBatches(deps)).get(run.dir)];
  const orders = mayOrder(visitor, run, deps) ? orderSection({ key, status: state.status, formToken }) : undefined;
  const body = runPage({ key, summary, news, next, agents, batch, orders });
  const live = `/runs/${encodeURIComponent(key)}/live`;
  return sendPage(c, deps, { title: `Run ${key}`, here: 'runs', live, body, charts: true });
}
