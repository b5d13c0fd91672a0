/** Asking Init from the page: as a form that is answered with the page, or as a stream that tells the answer while it comes. */
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { HarnessError, isHarnessError, messageOf } from '../../errors.ts';
import type { Chat, Question } from '../../ports/chat.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { exchangesOf, type Exchange } from '../../run/exchanges.ts';
import { refuseBarred } from '../guard/barred.ts';
import { quoteOf } from '../pages/chat-panel.ts';
import { alert } from '../pages/layout.ts';
import { findRun } from '../read/find-run.ts';
import { readGate, readPack } from '../read/read-gate.ts';
import type { ReviewDeps } from '../review-deps.ts';
import { readAnswerForm, textOf, type AnswerForm } from './answer-form.ts';
import { GATE_PATH } from './decision-routes.ts';
import { visitorOf } from './guards.ts';
import { actorOf, checkForm } from './posted-form.ts';
import { statusOf, withoutPaths, type ReviewContext, type ReviewEnv } from './respond.ts';
import { sendGate, type Extra } from './send-gate.ts';

export function chatRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .post(`${GATE_PATH}/chat`, async (c) => {
      const posted = await postedTo(c, deps);
      const { run, form, fields } = posted;
      const question = questionOf(c, run, fields);
      if (/\btext\/event-stream\b/.test(c.req.header('accept') ?? '')) return streamed(c, question, chatOf(deps));
      try {
        await chatOf(deps).ask(question, () => undefined, c.req.raw.signal);
        return await sendAgain(c, deps, run, { draft: draftOf(form, '') });
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        const notice = alert('bad', 'The question was not answered.', withoutPaths(messageOf(error)));
        const status = statusOf(error) === 403 ? 403 : 422;
        return sendAgain(c, deps, run, { notice, draft: draftOf(form, ''), question: question.text, status });
      }
    })
    .post(`${GATE_PATH}/use`, async (c) => {
      const { run, form, fields } = await postedTo(c, deps);
      const seq = Number(textOf(fields.get('use')));
      const found = exchangesOf(await run.journal.read()).find((one) => one.seq === seq);
      if (found === undefined) throw new HarnessError('not_found', 'This question is not on record here.');
      return sendAgain(c, deps, run, {
        draft: draftOf(form, quoteOf(found)),
        question: textOf(fields.get('question')),
      });
    });
}

type Posted = { run: RunFolder; form: AnswerForm; fields: FormData };

async function postedTo(c: ReviewContext, deps: ReviewDeps): Promise<Posted> {
  const [key, gate, visitor] = [c.req.param('run') ?? '', c.req.param('gate') ?? '', visitorOf(c)];
  const run = await findRun(deps.store, key);
  const fields = await c.req.formData();
  const form = readAnswerForm(fields, await readPack(run, gate));
  checkForm(c, form.formToken, visitor, deps);
  refuseBarred(visitor, { scenario: run.scenario, key, gate, digest: visitor.only?.digest ?? '' }, deps);
  return { run, form, fields };
}

function questionOf(c: ReviewContext, run: RunFolder, fields: FormData): Question {
  return {
    ...{ run: run.dir, gate: c.req.param('gate') ?? '', text: textOf(fields.get('question')) },
    fresh: textOf(fields.get('fresh')) === '1',
    ...{ actor: actorOf(visitorOf(c)), via: 'page', nonce: textOf(fields.get('ask-nonce')) },
  };
}

function chatOf({ chat }: ReviewDeps): Chat {
  if (chat !== undefined) return chat;
  throw new HarnessError('usage', 'Questions are not answered here: this page was started without a model.');
}

/** What was written and not sent yet stands in its fields again; answers to the agent's questions stand in the notes. */
function draftOf({ anchored, answers, notes }: AnswerForm, more: string): NonNullable<Extra['draft']> {
  return { anchored, notes: [...answers, notes, more].filter((part) => part !== '').join('\n') };
}

async function sendAgain(c: ReviewContext, deps: ReviewDeps, run: RunFolder, extra: Extra): Promise<Response> {
  const view = await readGate(run, c.req.param('gate') ?? '', actorOf(visitorOf(c)), deps);
  return sendGate(c, deps, c.req.param('run') ?? '', view, extra);
}

/** Whoever leaves takes the question back: what was not answered is not on record. */
function streamed(c: ReviewContext, question: Question, chat: Chat): Response {
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => left.abort(new Error('the reader left')));
    const tell = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
    const beat = setInterval(() => void stream.write(': beat\n\n'), BEAT_MS);
    try {
      const exchange = await chat.ask(
        question,
        (part) => void tell('heard', part).catch(() => left.abort()),
        left.signal,
      );
      await tell('answer', answerOf(exchange));
    } catch (error) {
      if (left.signal.aborted) return;
      if (!isHarnessError(error)) throw error;
      await tell('refused', { message: withoutPaths(messageOf(error)) });
    } finally {
      clearInterval(beat);
    }
  });
}

const BEAT_MS = 15_000;

function answerOf(exchange: Exchange) {
  const { seq, answer, question, files, usd } = exchange;
  return { seq, answer, question, files, usd, quote: quoteOf(exchange) };
}
