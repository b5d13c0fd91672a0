/** The decision screen, and the form that answers it. */
import { Hono } from 'hono';
import { isHarnessError, messageOf, type HarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { requireDecisionRight } from '../guard/authorization.ts';
import type { Visitor } from '../guard/visitor.ts';
import { gateHref } from '../pages/evidence.ts';
import { alert } from '../pages/layout.ts';
import { findRun } from '../read/find-run.ts';
import { readPack } from '../../gate/read-pack.ts';
import { newestGate, readGate } from '../read/read-gate.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { commentOf, draftOf, readAnswerForm, type AnswerForm } from './answer-form.ts';
import { decideSiblingGates } from './decide-sibling-gates.ts';
import { visitorOf } from './guards.ts';
import { dropDrafts } from './save-draft.ts';
import { visitorActor, checkForm, formFault } from './posted-form.ts';
import { httpStatus, type ReviewContext, type ReviewEnv } from './respond.ts';
import { sendGate } from './send-gate.ts';

export const GATE_PATH = '/runs/:run/gates/:gate{HITL-1\\.r[1-9][0-9]{0,3}}';

export function decisionRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(GATE_PATH, async (c) => {
      const key = c.req.param('run');
      const run = await findRun(deps.store, key);
      const view = await readGate(run, c.req.param('gate'), visitorActor(visitorOf(c)), deps);
      const missed = /^[1-9]\d{0,2}$/.exec(c.req.query('missed') ?? '')?.[0];
      if (missed === undefined) return sendGate(c, deps, key, view);
      const told = `${missed} of the ticked gates were not approved: they had changed or were answered meanwhile.`;
      return sendGate(c, deps, key, view, { notice: alert('warn', told) });
    })
    .post(GATE_PATH, async (c) => {
      const [key, gate, visitor] = [c.req.param('run'), c.req.param('gate'), visitorOf(c)];
      const run = await findRun(deps.store, key);
      const form = readAnswerForm(await c.req.formData(), await readPack(run, gate));
      try {
        const shownMs = checkForm(c, form.formToken, visitor, deps);
        requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: form.digest }, deps);
        await decideHere(run, gate, form, visitor, shownMs, deps);
        await dropDrafts(run, visitor, deps);
        const also = form.decision === 'approve' ? await decideSiblingGates(run, gate, form, visitor, deps) : [];
        const missed = also.filter(({ why }) => why !== undefined).length;
        return c.redirect(`${gateHref(key, gate)}${missed > 0 ? `?missed=${missed}` : ''}`, 303);
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        return sendRefusal(c, deps, key, run, error, form);
      }
    });
}

async function decideHere(
  run: RunFolder,
  gate: string,
  form: AnswerForm,
  visitor: Visitor,
  shownMs: number,
  deps: ReviewDeps,
): Promise<void> {
  const { decision, digest, nonce, confirm } = form;
  const comment = commentOf(form);
  if (decision === undefined) throw formFault('Choose one: approve, request changes or reject.');
  if (decision === 'reject' && comment === '') throw formFault('Say why in the notes: rejecting ends the run.');
  const actor = visitorActor(visitor);
  await deps.decide({ run: run.dir, gate, digest, decision, comment, confirm, actor, via: 'page', nonce, shownMs });
}

/** The newest gate with what went wrong on top, and with everything that was written still in its fields. */
async function sendRefusal(
  c: ReviewContext,
  deps: ReviewDeps,
  key: string,
  run: RunFolder,
  error: HarnessError,
  form: AnswerForm,
): Promise<Response> {
  const actor = visitorActor(visitorOf(c));
  const asked = await readGate(run, c.req.param('gate') ?? '', actor, deps);
  const now = newestGate(asked.state);
  const view = now === undefined || now === asked.pack.gate ? asked : await readGate(run, now, actor, deps);
  const notice = alert('bad', 'Nothing was recorded.', messageOf(error));
  // Questions of another round have other numbers: there the answers stand in the notes.
  const draft =
    view === asked
      ? draftOf(form)
      : {
          anchored: form.anchored,
          notes: [...form.answers, form.notes].filter(Boolean).join('\n'),
          answers: new Map(),
        };
  return sendGate(c, deps, key, view, { notice, draft, status: httpStatus(error) === 422 ? 422 : 409 });
}
