/** The JSON API, for chat bots, CI and other programs that send a person's decision; deciding takes a bearer token. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { HarnessError } from '../../../errors.ts';
import type { GateDecision } from '../../../gate/rules/gate.ts';
import { openApi } from '../../api/openapi.ts';
import { API } from '../../api/routes.ts';
import type { DecisionBody, DecisionResult, RunAnswer, WaitingGateItem } from '../../api/schemas.ts';
import { requireDecisionRight } from '../../guard/authorization.ts';
import type { Visitor } from '../../guard/visitor.ts';
import { listApprovalDoubts } from '../../../report/gate/approval-doubts.ts';
import { gateHref } from '../../pages/page-links.ts';
import { findRun, gateKey, parseGateKey } from '../../read/find-run.ts';
import { runNews } from '../../read/run-news.ts';
import { openGates, type WaitingGate } from '../../read/open-gates.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { visitorActor } from '../posted-form.ts';
import { answerPost, answerRead } from './answer-api.ts';
import type { ReviewEnv } from '../respond.ts';
import { readState } from '../../../run-folder/snapshot.ts';

export function apiRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  const app = new Hono<ReviewEnv>().get('/api/openapi.json', (c) => c.json(openApi()));
  answerRead(app, API.gates, async () => (await openGates(deps)).waiting.map(toWaitingGateItem));
  answerRead(app, API.gate, async ({ id }) => {
    const { run, gate } = parseGateKey(id);
    const found = (await openGates(deps)).waiting.find((one) => one.key === run && one.pack.gate === gate);
    if (found === undefined) throw new HarnessError('not_found', `${gate} of run ${run} does not wait.`);
    return { ...toWaitingGateItem(found), pack: found.pack };
  });
  answerPost({ app, deps }, API.decide, async ({ id, visitor, body }) =>
    toDecisionResult(await decideByApi({ id, visitor, body }, deps)),
  );
  answerRead(app, API.run, ({ id }) => runAnswer(id, deps));
  return app;
}

async function runAnswer(id: string, deps: ReviewDeps): Promise<z.infer<typeof RunAnswer>> {
  const run = await findRun(deps.store, id);
  const state = await readState(run);
  const { status, round, iteration, gate, digest } = runNews(state);
  return {
    ...{ run: id, scenario: run.scenario, status, round, iteration, gate, digest },
    target: state.origin.limits.target,
    iterations: state.iterations.map(({ iteration: number, round: of, successRate, passed, total }) => ({
      ...{ iteration: number, round: of, successRate, passed, total },
    })),
    decisions: state.decisions.map(toDecisionResult),
  };
}

type ApiDecision = { id: string; visitor: Visitor; body: z.infer<typeof DecisionBody> };

async function decideByApi({ id, visitor, body }: ApiDecision, deps: ReviewDeps): Promise<GateDecision> {
  const { run: key, gate } = parseGateKey(id);
  const run = await findRun(deps.store, key);
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: body.digest }, deps);
  const { digest, decision, comment, nonce, confirm, edits } = body;
  const request = {
    run: run.dir,
    gate,
    digest,
    decision,
    comment,
    nonce,
    confirm,
    actor: visitorActor(visitor),
    via: 'api',
  };
  return deps.decide(edits === undefined ? request : { ...request, edits });
}

function toWaitingGateItem({
  key,
  pack,
  digest,
  openedAt,
  approvals,
  need,
}: WaitingGate): z.infer<typeof WaitingGateItem> {
  return {
    ...{ id: gateKey(key, pack.gate), run: key, gate: pack.gate, scenario: pack.scenario, title: pack.title },
    ...{
      digest,
      openedAt,
      approvals: [...approvals],
      need,
      doubts: listApprovalDoubts(pack),
      url: gateHref(key, pack.gate),
    },
  };
}

/** Omits the nonce, with which anyone could request this very answer in another's name. */
export function toDecisionResult(decision: GateDecision): z.infer<typeof DecisionResult> {
  const { nonce: _nonce, shownMs: _shownMs, ...answer } = decision;
  return answer;
}
