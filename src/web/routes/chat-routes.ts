/** Asking Init from the page: as a form that is answered with the page, or as a stream that tells the answer while it comes. */
import { Hono } from 'hono';
import { HarnessError, isHarnessError, messageOf } from '../../errors.ts';
import type { ChatProgress, ChatQuestion } from '../../ports/chat.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { writtenOffText } from '../../report/text/write-off-text.ts';
import { exchangesOf, type Exchange } from '../../run/exchanges.ts';
import { requireDecisionRight } from '../guard/authorization.ts';
import { quoteOf } from '../pages/gate/chat-panel.ts';
import { alert } from '../pages/layout.ts';
import { findRun } from '../read/find-run.ts';
import { readPack } from '../../gate/read-pack.ts';
import { readGate } from '../read/read-gate.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { draftOf, readAnswerForm, formText, type AnswerForm } from './answer-form.ts';
import { GATE_PATH } from './decision-routes.ts';
import { visitorOf } from './guards.ts';
import { saveDraft } from './save-draft.ts';
import { visitorActor, checkForm } from './posted-form.ts';
import { httpStatus, withoutPaths, type ReviewContext, type ReviewEnv } from './respond.ts';
import { sendGate, type Extra } from './send-gate.ts';
import { chatOf, streamAnswer, wantsStream } from './stream-answer.ts';
import { readEvents } from '../../run-folder/snapshot.ts';

export function chatRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .post(`${GATE_PATH}/chat`, async (c) => {
      const posted = await postedTo(c, deps);
      const { run, form, fields } = posted;
      const question = questionOf(c, run, fields);
      if (wantsStream(c)) return streamAnswer(c, question, chatOf(deps), answerOf);
      try {
        let lost = 0;
        const hear = (part: ChatProgress) => void (lost = part.type === 'written_off' ? part.usd : lost);
        await chatOf(deps).ask(question, hear, c.req.raw.signal);
        const notice = lost > 0 ? { notice: alert('warn', writtenOffText(lost)) } : {};
        return await sendAgain(c, deps, run, { draft: draftOf(form), ...notice });
      } catch (error) {
        if (c.req.raw.signal.aborted) return c.body(null, 408);
        if (!isHarnessError(error)) throw error;
        const notice = alert('bad', 'The question was not answered.', withoutPaths(messageOf(error)));
        const status = httpStatus(error) === 403 ? 403 : 422;
        return sendAgain(c, deps, run, { notice, draft: draftOf(form), question: question.text, status });
      }
    })
    .post(`${GATE_PATH}/use`, async (c) => {
      const { run, form, fields } = await postedTo(c, deps);
      const seq = Number(formText(fields.get('use')));
      const found = exchangesOf(await readEvents(run)).find((one) => one.seq === seq);
      if (found === undefined) throw new HarnessError('not_found', 'This question is not on record here.');
      return sendAgain(c, deps, run, {
        draft: draftOf({ ...form, notes: [form.notes, quoteOf(found)].filter((part) => part !== '').join('\n') }),
        question: formText(fields.get('question')),
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
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: visitor.only?.digest ?? '' }, deps);
  return { run, form, fields };
}

function questionOf(c: ReviewContext, run: RunFolder, fields: FormData): ChatQuestion {
  return {
    ...{ run: run.dir, gate: c.req.param('gate') ?? '', text: formText(fields.get('question')) },
    fresh: formText(fields.get('fresh')) === '1',
    ...{ actor: visitorActor(visitorOf(c)), via: 'page', nonce: formText(fields.get('ask-nonce')) },
  };
}

/** What was written and not sent yet stands in its fields again, and is kept with that. */
async function sendAgain(c: ReviewContext, deps: ReviewDeps, run: RunFolder, extra: Extra): Promise<Response> {
  const [gate, visitor] = [c.req.param('gate') ?? '', visitorOf(c)];
  const view = await readGate(run, gate, visitorActor(visitor), deps);
  if (view.open !== undefined && extra.draft !== undefined)
    await saveDraft(run, { gate, digest: view.open.digest }, extra.draft, visitor, deps);
  return sendGate(c, deps, c.req.param('run') ?? '', view, extra);
}

function answerOf(exchange: Exchange) {
  const { seq, answer, question, files, usd } = exchange;
  return { seq, answer, question, files, usd, quote: quoteOf(exchange) };
}
