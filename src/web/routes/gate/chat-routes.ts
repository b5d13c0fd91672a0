/** Questions to Init from the page: a form answered with the page, or a stream of the answer while it is written. */
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { HarnessError, isHarnessError, describeError, usageError } from '../../../errors.ts';
import { readPack } from '../../../gate/read-pack.ts';
import type { Chat, ChatProgress, ChatQuestion } from '../../../ports/chat.ts';
import { writtenOffText } from '../../../report/text/write-off-text.ts';
import { listGateComments, listExchanges, type Exchange } from '../../../run/exchanges.ts';
import { personText } from '../../pages/time-texts.ts';
import { readEvents } from '../../../run-folder/snapshot.ts';
import { formatQuote } from '../../pages/gate/chat-panel.ts';
import { renderAlert } from '../../pages/layout.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { toAnswerDraft, readAnswerForm } from './answer-form.ts';
import { formText } from '../posted-form.ts';
import { checkedForm, GATE_PATH, gateRequest, readView, type GateRequest } from './gate-request.ts';
import { saveDraft } from './save-draft.ts';
import { httpStatus, withoutPaths, type ReviewContext, type ReviewEnv } from '../respond.ts';
import { sendGate, type GatePageExtras } from './send-gate.ts';

/** Interval of keep-alive events, because proxies close silent connections. */
const BEAT_MS = 15_000;

export function chatRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .post(`${GATE_PATH}/chat`, async (c) => {
      const { at, form, fields } = await postedTo(c, deps);
      const question = toPageQuestion(at, fields);
      if (/\btext\/event-stream\b/.test(c.req.header('accept') ?? ''))
        return streamAnswer(c, requireChat(deps), question);
      try {
        let lost = 0;
        const hear = (part: ChatProgress) => void (lost = part.type === 'written_off' ? part.usd : lost);
        await requireChat(deps).ask(question, hear, new AbortController().signal);
        const notice = lost > 0 ? { notice: renderAlert('warn', writtenOffText(lost)) } : {};
        return await sendAgain(at, { draft: toAnswerDraft(form), ...notice });
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        const notice = renderAlert('bad', 'The question was not answered.', withoutPaths(describeError(error)));
        const status = httpStatus(error) === 403 ? 403 : 422;
        return sendAgain(at, { notice, draft: toAnswerDraft(form), question: question.text, status });
      }
    })
    .post(`${GATE_PATH}/use`, async (c) => {
      const { at, form, fields } = await postedTo(c, deps);
      const seq = Number(formText(fields.get('use')));
      const events = await readEvents(at.run);
      const asked = listExchanges(events).find((one) => one.seq === seq);
      const said = listGateComments(events, at.gate).find((one) => one.seq === seq);
      const quote =
        asked === undefined ? said && `As ${personText(said.actor)} says: ${said.comment}` : formatQuote(asked);
      if (quote === undefined) throw new HarnessError('not_found', 'Nothing like that is on record here.');
      const notes = [form.notes, quote].filter((part) => part !== '').join('\n');
      return sendAgain(at, { draft: toAnswerDraft({ ...form, notes }), question: formText(fields.get('question')) });
    });
}

async function postedTo(c: ReviewContext, deps: ReviewDeps) {
  const at = await gateRequest(c, deps);
  const pack = await readPack(at.run, at.gate);
  const fields = await checkedForm(at);
  return { at, fields, form: readAnswerForm(fields, pack) };
}

function toPageQuestion({ run, gate, actor }: GateRequest, fields: FormData): ChatQuestion {
  return {
    ...{ run: run.dir, gate, text: formText(fields.get('question')), fresh: formText(fields.get('fresh')) === '1' },
    ...{ actor, via: 'page', nonce: formText(fields.get('ask-nonce')) },
  };
}

/** Shows the page again with the unsent text in its fields, and saves that text as a draft. */
async function sendAgain(at: GateRequest, extra: GatePageExtras): Promise<Response> {
  const view = await readView(at);
  if (view.open !== undefined && extra.draft !== undefined) await saveDraft(at, view.open.digest, extra.draft);
  return sendGate(at, view, extra);
}

function requireChat({ chat }: ReviewDeps): Chat {
  if (chat !== undefined) return chat;
  throw usageError('Questions are not answered here: this page was started without a model.');
}

/** The answer as events, while it is written. A reader who leaves ends nothing: it is paid for, and goes on record. */
function streamAnswer(c: ReviewContext, chat: Chat, question: ChatQuestion): Response {
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    const send = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
    const beat = setInterval(() => void stream.write(': beat\n\n'), BEAT_MS);
    try {
      const hear = (part: ChatProgress) => void send('heard', part).catch(() => undefined);
      await send('answer', toAnswerEvent(await chat.ask(question, hear, new AbortController().signal)));
    } catch (error) {
      if (stream.aborted) return;
      if (!isHarnessError(error)) throw error;
      await send('refused', { code: error.code, message: withoutPaths(describeError(error)) });
    } finally {
      clearInterval(beat);
    }
  });
}

function toAnswerEvent(exchange: Exchange) {
  const { seq, answer, question, files, usd } = exchange;
  return { seq, answer, question, files, usd, quote: formatQuote(exchange) };
}
