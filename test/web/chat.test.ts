/** The panel in which a reviewer questions Init: with and without scripts, and who may. */
import { beforeEach, describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { recordExchange } from '../../src/pipeline/chat/record-exchange.ts';
import type { Chat, ChatQuestion } from '../../src/ports/chat.ts';
import type { Review } from '../../src/web/create-review.ts';
import { signedIn, stranger } from './client.ts';
import { HOST, TOKEN } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();
let asked: ChatQuestion[];
beforeEach(async () => {
  asked = [];
});

const GATE = '/runs/run-1/gates/HITL-1.r1';
const HOSTILE = '</p><script>alert(1)</script> "quotes" & <b>bold</b>';

/** Answers what it is told to, and records it like the real one. */
const answering = (answer: string | HarnessError): Chat => ({
  ask: async (question, heard) => {
    asked.push(question);
    heard({ type: 'looking', tools: ['grep'] });
    if (answer instanceof HarnessError) throw answer;
    heard({ type: 'text', text: answer });
    const run = await desk.store.open(question.run);
    const entry = (id: string) => ({ version: 1 as const, id, parents: [], lane: 'r1', step: 'chat.r1' });
    const said = { role: 'user' as const, content: [{ type: 'text' as const, text: question.text }] };
    const entries = [{ ...entry('e1'), type: 'message' as const, origin: 'human' as const, message: said }];
    const paid = { usd: 0.031, calls: 1, ids: 'chat.n' };
    return recordExchange(run, { question, round: 1, files: [], answer, lane: 'r1', entries, ...paid });
  },
});

async function asking(review: Review, fields: Record<string, string>): Promise<Response> {
  const client = await signedIn(review);
  const page = await client.get(GATE);
  const form = new URLSearchParams();
  for (const [, name = '', value = ''] of page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    form.set(name, value);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return review.app.request(`http://${HOST}${GATE}/chat`, {
    method: 'POST',
    body: form.toString(),
    headers: {
      ...{ host: HOST, cookie: client.cookie(), accept: 'text/event-stream' },
      ...{ 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    },
  });
}

const streamed = async (review: Review, fields: Record<string, string>): Promise<string> =>
  (await asking(review, fields)).text();

describe('without JavaScript', () => {
  test('a question is answered with the page, and what was written elsewhere is still there', async () => {
    const run = await desk.waiting('run-1', [{ questions: ['Gift cards too?'] }]);
    const client = await signedIn(desk.review({ chat: answering('Because of R2.') }));
    const fields = { question: 'Why thirty days?', comment: 'my notes', 'on.R1': 'which postcode?', q1: 'yes' };
    const page = await client.send(`${GATE}/chat`, fields, { from: GATE });
    expect(page.status).toBe(200);
    for (const words of [
      'Why thirty days?',
      'Because of R2.',
      'my notes',
      'which postcode?',
      'name="q1" value="yes" checked',
      '$0.03',
    ])
      expect(page.text, words).toContain(words);
    expect(asked[0]).toMatchObject({
      actor: 'user:ada',
      via: 'page',
      gate: 'HITL-1.r1',
      text: 'Why thirty days?',
      fresh: false,
    });
    expect((await desk.state(run)).status).toBe('awaiting_approval');
    const later = await client.get(GATE);
    expect(later.text).toContain('Because of R2.');
    await client.send(GATE, { decision: 'approve', confirm: 'accept' });
    expect((await desk.state(run)).status).toBe('executing');
  });

  test('an answer becomes a comment with one button, beside the notes that are there', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review({ chat: answering('Because of R2.') }));
    await client.send(`${GATE}/chat`, { question: 'Why?' }, { from: GATE });
    const seq = (await run.journal.read()).length - 1;
    const page = await client.send(`${GATE}/use`, { use: String(seq), comment: 'my notes' }, { from: GATE });
    expect(page.text).toContain('my notes\nI asked: Why?\nInit answered: Because of R2.');
    expect((await client.send(`${GATE}/use`, { use: '0' }, { from: GATE })).status).toBe(404);
    const none = await desk.state(run);
    expect([none.decisions, none.status]).toEqual([[], 'awaiting_approval']);
  });

  test('a question that could not be answered is said why, and stands in its field again', async () => {
    await desk.waiting('run-1');
    const broken = new HarnessError('model_unavailable', 'The model is away. Ask again in a moment.');
    const client = await signedIn(desk.review({ chat: answering(broken) }));
    const page = await client.send(`${GATE}/chat`, { question: 'Why?', comment: 'my notes' }, { from: GATE });
    expect([page.status, page.text.includes('Ask again in a moment.')]).toEqual([422, true]);
    expect(page.text).toMatch(/<textarea id="question"[^>]*>\s*Why\?<\/textarea>/);
    expect(page.text).toContain('my notes');
  });

  test('after the decision one may still ask, in a form of its own', async () => {
    await desk.waiting('run-1');
    const client = await signedIn(desk.review({ chat: answering('So it is.') }));
    await client.send(GATE, { decision: 'approve' });
    expect((await client.get(GATE)).text).toContain('id="chat-form"');
    const page = await client.send(`${GATE}/chat`, { question: 'Was that right?', fresh: '1' }, { from: GATE });
    expect(page.text).toContain('So it is.');
    expect(asked[0]?.fresh).toBe(true);
  });

  test('questions and answers are text, whatever they hold', async () => {
    await desk.waiting('run-1');
    const client = await signedIn(desk.review({ chat: answering(HOSTILE) }));
    const page = await client.send(`${GATE}/chat`, { question: HOSTILE }, { from: GATE });
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).not.toContain('<b>bold');
    expect(page.text.match(/&lt;script&gt;alert/g)?.length).toBe(2);
  });
});

describe('as a stream', () => {
  test('tells what is heard while it comes, then the whole answer; hostile text stays JSON', async () => {
    await desk.waiting('run-1');
    const text = await streamed(desk.review({ chat: answering(`one\n\ndata: {}\n${HOSTILE}`) }), { question: 'Why?' });
    const events = text.split('\n\n').flatMap((part) => /^event: (\w+)/m.exec(part)?.[1] ?? []);
    expect(events).toEqual(['heard', 'heard', 'answer']);
    const answer = JSON.parse(/event: answer\ndata: (.*)/.exec(text)?.[1] ?? '') as Record<string, unknown>;
    expect(answer).toMatchObject({ question: 'Why?', usd: 0.031, answer: `one\n\ndata: {}\n${HOSTILE}` });
    expect(answer).not.toHaveProperty('nonce');
  });

  test('whoever leaves, as by deciding, leaves the question: its answer is paid for and goes on record', async () => {
    await desk.waiting('run-1');
    const asked = Promise.withResolvers<AbortSignal>();
    const chat: Chat = {
      ask: (_question, heard, signal) => {
        heard({ type: 'text', text: 'Well' });
        asked.resolve(signal);
        return new Promise(() => undefined);
      },
    };
    const response = await asking(desk.review({ chat }), { question: 'Why?' });
    const signal = await asked.promise;
    await response.body?.cancel();
    await new Promise((soon) => setImmediate(soon));
    expect(signal.aborted).toBe(false);
  });

  test('tells a failure in words', async () => {
    await desk.waiting('run-1');
    const broken = new HarnessError('budget_exceeded', 'The next call could cost $1.');
    const text = await streamed(desk.review({ chat: answering(broken) }), { question: 'Why?' });
    expect(text).toContain('event: refused\ndata: {"code":"budget_exceeded","message":"The next call could cost $1."}');
  });
});

describe('who may ask', () => {
  test('strangers, viewers and other sites cannot; a page without a model offers nothing', async () => {
    await desk.waiting('run-1');
    const review = desk.review({
      chat: answering('x'),
      reviewers: { reviewers: [{ name: 'bea' }, { name: 'ada', role: 'viewer' }] },
    });
    const viewer = await signedIn(review, TOKEN);
    expect((await viewer.get(GATE)).text).not.toContain('id="question"');
    const refused = await viewer.send(`${GATE}/chat`, { question: 'Why?', form: 'x' }, { from: GATE });
    expect(refused.status).toBe(403);
    expect((await stranger(review).send(`${GATE}/chat`, { question: 'Why?' }, { from: '/' })).status).toBe(401);
    const open = desk.review({ chat: answering('x') });
    const ada = await signedIn(open);
    const crossed = { from: GATE, headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await ada.send(`${GATE}/chat`, { question: 'Why?' }, crossed)).status).toBe(403);
    expect(asked).toEqual([]);
    const silent = await signedIn(desk.review());
    expect((await silent.get(GATE)).text).not.toContain('id="question"');
    expect((await silent.send(`${GATE}/chat`, { question: 'Why?' }, { from: GATE })).status).toBe(422);
  });
});
