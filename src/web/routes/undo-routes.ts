/** Taking a decision back, by the page's form and by the API. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { isHarnessError, messageOf } from '../../errors.ts';
import type { UndoneDecision } from '../../run/state.ts';
import { UndoBody, type UndoResult } from '../api/schemas.ts';
import { requireDecisionRight } from '../guard/authorization.ts';
import type { Visitor } from '../guard/visitor.ts';
import { gateHref } from '../pages/evidence.ts';
import { alert } from '../pages/layout.ts';
import { findRun, parseGateKey } from '../read/find-run.ts';
import { readGate } from '../read/read-gate.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { formText } from './answer-form.ts';
import { decidedOf } from './api-routes.ts';
import { GATE_PATH } from './decision-routes.ts';
import { visitorOf } from './guards.ts';
import { visitorActor, checkForm } from './posted-form.ts';
import { bearerOf, jsonBody } from './posted-json.ts';
import { httpStatus, type ReviewContext, type ReviewEnv } from './respond.ts';
import { sendGate } from './send-gate.ts';

export function undoRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .post(`${GATE_PATH}/undo`, async (c) => {
      const [key, gate] = [c.req.param('run'), c.req.param('gate')];
      const form = await c.req.formData();
      try {
        checkForm(c, formText(form.get('form')), visitorOf(c), deps);
        await undo({ key, gate, whose: formText(form.get('whose')) || undefined, via: 'page' }, visitorOf(c), deps);
        return c.redirect(gateHref(key, gate), 303);
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        return sendRefusal(c, deps, messageOf(error), httpStatus(error) === 403 ? 403 : 409);
      }
    })
    .post('/api/gates/:id/undo', async (c) => {
      const visitor = bearerOf(c, deps);
      const { run: key, gate } = parseGateKey(c.req.param('id'));
      const { whose, comment } = await jsonBody(c, UndoBody, 'undo');
      return c.json(undoneOf(await undo({ key, gate, whose, comment, via: 'api' }, visitor, deps)));
    });
}

type UndoTarget = { key: string; gate: string; whose: string | undefined; comment?: string; via: string };

async function undo(asked: UndoTarget, visitor: Visitor, deps: ReviewDeps): Promise<UndoneDecision> {
  const { key, gate, whose, comment = '', via } = asked;
  const run = await findRun(deps.store, key);
  // A personal link opens one design; what was decided on it may be taken back with it.
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: visitor.only?.digest ?? '' }, deps);
  const base = { run: run.dir, gate, comment, actor: visitorActor(visitor), via };
  return deps.undo(whose === undefined ? base : { ...base, whose });
}

function undoneOf({ decision, actor, comment, via, at }: UndoneDecision): z.infer<typeof UndoResult> {
  return { decision: decidedOf(decision), actor, comment, via, at };
}

async function sendRefusal(c: ReviewContext, deps: ReviewDeps, why: string, status: 403 | 409): Promise<Response> {
  const [key, gate] = [c.req.param('run') ?? '', c.req.param('gate') ?? ''];
  const view = await readGate(await findRun(deps.store, key), gate, visitorActor(visitorOf(c)), deps);
  return sendGate(c, deps, key, view, { notice: alert('bad', 'Nothing was taken back.', why), status });
}
