/** Drafts of an answer: what a page sends while somebody writes, and what to do with those about an earlier design. */
import { Hono } from 'hono';
import type { RunFolder } from '../../ports/run-store.ts';
import { requireDecisionRight } from '../guard/authorization.ts';
import { alert } from '../pages/layout.ts';
import { draftsBefore, carryOverDrafts } from '../read/answer-drafts.ts';
import { findRun } from '../read/find-run.ts';
import { readPack } from '../../gate/read-pack.ts';
import { readGate } from '../read/read-gate.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { draftOf, readAnswerForm, formText } from './answer-form.ts';
import { GATE_PATH } from './decision-routes.ts';
import { visitorOf } from './guards.ts';
import { saveDraft, saveDraftFields, type DraftSaveResult } from './save-draft.ts';
import { visitorActor, checkForm } from './posted-form.ts';
import type { ReviewContext, ReviewEnv } from './respond.ts';
import { sendGate } from './send-gate.ts';

/** Longer is no digest. */
const MOST_DIGEST = 100;

const REFUSALS: Readonly<Record<Exclude<DraftSaveResult, 'kept'>, string>> = {
  full: 'So many comments fit into no answer: send those that you have first.',
  answered: 'You have answered this gate already.',
};

export function draftRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .post(`${GATE_PATH}/draft`, async (c) => {
      const form = await c.req.formData();
      const { run, gate } = await postedTo(c, form, deps);
      const digest = formText(form.get('digest')).slice(0, MOST_DIGEST);
      const fields = new Map([...new Set(form.keys())].map((name) => [name, formText(form.get(name))]));
      const kept = await saveDraftFields(run, { gate, digest }, fields, visitorOf(c), deps);
      return kept === 'kept' ? c.body(null, 204) : c.json({ error: { message: REFUSALS[kept] } }, 409);
    })
    .post(`${GATE_PATH}/earlier`, async (c) => {
      const fields = await c.req.formData();
      const { run, gate } = await postedTo(c, fields, deps);
      const visitor = visitorOf(c);
      const view = await readGate(run, gate, visitorActor(visitor), deps);
      const posted = draftOf(readAnswerForm(fields, view.pack));
      // Answered meanwhile: there is nothing to take them over into, and nothing is dropped either.
      if (view.open === undefined) return sendGate(c, deps, c.req.param('run'), view);
      const { digest } = view.open;
      const earlier = draftsBefore(await deps.drafts.of(run.dir, visitor.name), { gate, digest });
      const rules = new Set(view.pack.rules.map(({ id }) => id));
      const draft = formText(fields.get('earlier')) === 'take' ? carryOverDrafts(posted, earlier, rules) : posted;
      // Kept here before they go there: a crash in between shows them twice, and loses none.
      const kept = await saveDraft(run, { gate, digest }, draft, visitor, deps);
      if (kept !== 'kept') {
        const notice = alert('bad', 'Nothing was taken over.', REFUSALS[kept]);
        return sendGate(c, deps, c.req.param('run'), view, { draft: posted, notice, status: 409 });
      }
      await deps.drafts.change(run.dir, visitor.name, async (now) =>
        now.filter((one) => one.gate === gate && one.digest === digest),
      );
      return sendGate(c, deps, c.req.param('run'), view, { draft });
    });
}

async function postedTo(c: ReviewContext, form: FormData, deps: ReviewDeps): Promise<{ run: RunFolder; gate: string }> {
  const [key, gate, visitor] = [c.req.param('run') ?? '', c.req.param('gate') ?? '', visitorOf(c)];
  const run = await findRun(deps.store, key);
  await readPack(run, gate);
  checkForm(c, formText(form.get('form')), visitor, deps);
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: visitor.only?.digest ?? '' }, deps);
  return { run, gate };
}
