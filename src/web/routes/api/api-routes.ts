/** The JSON API, for chat bots, CI and other programs that send a person's decision; deciding takes a bearer token. */
import { Hono } from 'hono';
import { z } from 'zod';
import { HarnessError, usageError } from '../../../errors.ts';
import { MOST_COMMENT, type GateDecision } from '../../../gate/rules/gate.ts';
import { denialError, requireDecisionRight } from '../../guard/authorization.ts';
import { listApprovalDoubts } from '../../../report/gate/approval-doubts.ts';
import { gateHref } from '../../pages/page-links.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { findRun, gateKey, parseGateKey } from '../../read/find-run.ts';
import { openGates, type WaitingGate } from '../../read/open-gates.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { visitorActor } from '../posted-form.ts';
import { requireVisitor } from '../guards.ts';
import { isOwnOrigin } from '../request.ts';
import type { ReviewContext, ReviewEnv } from '../respond.ts';

const DecisionBody = z.strictObject({
  digest: z.string().min(12).max(200),
  decision: z.enum(['approve', 'edit_approve', 'request_changes', 'reject']),
  comment: z.string().max(MOST_COMMENT).default(''),
  /** With edit_approve: whole new texts of design files, by file name. */
  edits: z.record(z.string().max(100), z.string().max(512 * 1024)).optional(),
  nonce: z.string().min(8).max(200),
  confirm: z.string().max(20).default(''),
});

export function apiRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/api/gates', async (c) => c.json((await openGates(deps)).waiting.map(toWaitingGateItem)))
    .get('/api/gates/:id', async (c) => {
      const { run, gate } = parseGateKey(c.req.param('id'));
      const found = (await openGates(deps)).waiting.find((one) => one.key === run && one.pack.gate === gate);
      if (found === undefined) throw new HarnessError('not_found', `${gate} of run ${run} does not wait.`);
      return c.json({ ...toWaitingGateItem(found), pack: found.pack });
    })
    .post('/api/gates/:id/decision', async (c) =>
      c.json(toDecisionResult(await decideByApi(c, c.req.param('id'), deps))),
    );
}

/** Requires a bearer token; a cookie is not enough, because a page on another site can send it too. */
async function decideByApi(c: ReviewContext, id: string, deps: ReviewDeps): Promise<GateDecision> {
  const visitor = requireVisitor(c);
  if (visitor.by === 'cookie' || !isOwnOrigin(c, deps))
    throw denialError('Decide through the API with Authorization: Bearer <token>, not with a cookie.');
  const body = await readDecision(c);
  const { run: key, gate } = parseGateKey(id);
  const run = await findRun(deps.store, key);
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: body.digest }, deps);
  return deps.decide(omitUndefined({ ...body, run: run.dir, gate, actor: visitorActor(visitor), via: 'api' }));
}

async function readDecision(c: ReviewContext): Promise<z.infer<typeof DecisionBody>> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    throw usageError('Send the decision as application/json.');
  const parsed = DecisionBody.safeParse(await c.req.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw usageError(`The decision cannot be used: ${z.prettifyError(parsed.error)}`);
}

function toWaitingGateItem({ key, pack, digest, openedAt, approvals, need }: WaitingGate): object {
  return {
    ...{ id: gateKey(key, pack.gate), run: key, gate: pack.gate, scenario: pack.scenario, title: pack.title },
    ...{ digest, openedAt, approvals: [...approvals], need },
    ...{ doubts: listApprovalDoubts(pack), url: gateHref(key, pack.gate) },
  };
}

/** Omits the nonce, with which anyone could request this very answer in another's name. */
export function toDecisionResult(decision: GateDecision): Omit<GateDecision, 'nonce' | 'shownMs'> {
  const { nonce: _nonce, shownMs: _shownMs, ...answer } = decision;
  return answer;
}
