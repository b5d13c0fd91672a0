/** Takes a decision back, by the page's form or by the API. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { isHarnessError, describeError } from '../../../errors.ts';
import type { UndoneDecision } from '../../../run/state.ts';
import { API } from '../../api/routes.ts';
import type { UndoResult } from '../../api/schemas.ts';
import { requireDecisionRight } from '../../guard/authorization.ts';
import type { Visitor } from '../../guard/visitor.ts';
import { gateHref } from '../../pages/page-links.ts';
import { renderAlert } from '../../pages/layout.ts';
import { findRun, parseGateKey } from '../../read/find-run.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { answerPost } from '../api/answer-api.ts';
import { toDecisionResult } from '../api/api-routes.ts';
import { checkForm, GATE_PATH, gateRequest, readView } from './gate-request.ts';
import { formText, visitorActor, postedFields } from '../posted-form.ts';
import { httpStatus, type ReviewEnv } from '../respond.ts';
import { restoreDraft } from './restore-draft-after-undo.ts';
import { sendGate } from './send-gate.ts';

export function undoRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  const app = new Hono<ReviewEnv>().post(`${GATE_PATH}/undo`, async (c) => {
    const at = await gateRequest(c, deps);
    const { key, gate, visitor } = at;
    const form = await postedFields(c);
    try {
      checkForm(at, form);
      await undoForVisitor({ key, gate, whose: formText(form.get('whose')) || undefined, via: 'page' }, visitor, deps);
      return c.redirect(gateHref(key, gate), 303);
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      const notice = renderAlert('bad', 'Nothing was taken back.', describeError(error));
      return sendGate(at, await readView(at), { notice, status: httpStatus(error) === 403 ? 403 : 409 });
    }
  });
  answerPost({ app, deps }, API.undo, async ({ id, visitor, body: { whose, comment } }) => {
    const { run: key, gate } = parseGateKey(id);
    return toUndoResult(await undoForVisitor({ key, gate, whose, comment, via: 'api' }, visitor, deps));
  });
  return app;
}

type UndoTarget = { key: string; gate: string; whose: string | undefined; comment?: string; via: string };

async function undoForVisitor(request: UndoTarget, visitor: Visitor, deps: ReviewDeps): Promise<UndoneDecision> {
  const { key, gate, whose, comment = '', via } = request;
  const run = await findRun(deps.store, key);
  // A personal link is for one design; a decision on that design may be taken back with it.
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: visitor.only?.digest ?? '' }, deps);
  const base = { run: run.dir, gate, comment, actor: visitorActor(visitor), via };
  const undone = await deps.undo(whose === undefined ? base : { ...base, whose });
  await restoreDraft(run, undone.decision, deps);
  return undone;
}

function toUndoResult({ decision, actor, comment, via, at }: UndoneDecision): z.infer<typeof UndoResult> {
  return { decision: toDecisionResult(decision), actor, comment, via, at };
}
