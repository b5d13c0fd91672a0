/** Questions to Init through the API: for bots and scripts that speak for a person, with the limits of the page. */
import { Hono } from 'hono';
import type { z } from 'zod';
import { HarnessError, isHarnessError, describeError, type ErrorCode } from '../../../errors.ts';
import type { ChatProgress, ChatQuestion } from '../../../ports/chat.ts';
import { listExchanges, type Exchange } from '../../../run/exchanges.ts';
import { API } from '../../api/routes.ts';
import type { ChatAnswer, QuestionBody } from '../../api/schemas.ts';
import { requireDecisionRight } from '../../guard/authorization.ts';
import type { Visitor } from '../../guard/visitor.ts';
import { findRun } from '../../read/find-run.ts';
import { newestGate } from '../../read/read-gate.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { answerPost, answerRead } from './answer-api.ts';
import { visitorActor } from '../posted-form.ts';
import { withoutPaths, type ReviewEnv } from '../respond.ts';
import { requireChat, streamAnswer, wantsStream } from '../stream-answer.ts';
import { readEvents, readState } from '../../../run-folder/snapshot.ts';

export function chatApiRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  const app = new Hono<ReviewEnv>();
  answerRead(app, API.chat, async ({ c, id }) => {
    const run = await findRun(deps.store, id);
    return listExchanges(await readEvents(run), c.req.query('gate')).map(createAnswerMapper(id));
  });
  answerPost({ app, deps }, API.ask, async ({ c, ...posted }) => {
    const question = await readApiQuestion(posted, deps);
    const toAnswer = createAnswerMapper(posted.id);
    if (wantsStream(c)) return streamAnswer(c, { chat: requireChat(deps), question, endsWithReader: true }, toAnswer);
    try {
      let writtenOffUsd = 0;
      const onPart = (part: ChatProgress) =>
        void (writtenOffUsd = part.type === 'written_off' ? part.usd : writtenOffUsd);
      const answered = toAnswer(await requireChat(deps).ask(question, onPart, c.req.raw.signal));
      return writtenOffUsd > 0 ? { ...answered, writtenOffUsd } : answered;
    } catch (error) {
      // The caller has left; this is not a failure.
      if (c.req.raw.signal.aborted) return c.body(null, 408);
      const status = findFailureStatus(error);
      if (status === undefined || !isHarnessError(error)) throw error;
      return c.json({ error: { code: error.code, message: withoutPaths(describeError(error)) } }, status);
    }
  });
  return app;
}

type PostedQuestion = { id: string; visitor: Visitor; body: z.infer<typeof QuestionBody> };

async function readApiQuestion({ id: key, visitor, body }: PostedQuestion, deps: ReviewDeps): Promise<ChatQuestion> {
  const { question, gate: named, fresh, nonce } = body;
  const run = await findRun(deps.store, key);
  const gate = named ?? newestGate(await readState(run));
  if (gate === undefined) throw new HarnessError('not_found', `Run ${key} has no design to ask about yet.`);
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: '' }, deps);
  return { run: run.dir, gate, text: question, fresh, actor: visitorActor(visitor), via: 'api', nonce };
}

/** Failures that are not bugs have their own status, so that a script knows whether to try again. */
function findFailureStatus(error: unknown): 402 | 502 | 503 | undefined {
  return isHarnessError(error) ? UNANSWERED[error.code] : undefined;
}

const UNANSWERED: Partial<Record<ErrorCode, 402 | 502 | 503>> = {
  budget_exceeded: 402,
  model_unavailable: 503,
  model_refused: 502,
  agent_stopped: 502,
  context_overflow: 502,
};

/** Omits the nonce, with which anyone could request this very answer in another's name. */
function createAnswerMapper(run: string): (exchange: Exchange) => z.infer<typeof ChatAnswer> {
  return ({ gate, round, seq, actor, at, via, question, answer, files, calls, usd }) => ({
    ...{ run, gate, round, seq, actor, at, via, question, answer, files, calls, usd },
  });
}
