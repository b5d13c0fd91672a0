/** Asking Init through the JSON API: the same door, the same guard, the same limits as on the page. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { HarnessError, type ErrorCode } from '../../src/errors.ts';
import { recordExchange } from '../../src/pipeline/chat/record-exchange.ts';
import type { Chat, ChatQuestion } from '../../src/ports/chat.ts';
import { openApi } from '../../src/web/api/openapi.ts';
import { ChatAnswer } from '../../src/web/api/schemas.ts';
import type { Review } from '../../src/web/create-review.ts';
import { bearer, signedIn, stranger } from './client.ts';
import { HOST } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();
let asked: ChatQuestion[];
beforeEach(async () => {
  asked = [];
  await desk.waiting('run-1', [{}, {}]);
});

const CHAT = '/api/runs/run-1/chat';
const body = (more: object = {}) => ({ question: 'Why thirty days?', nonce: 'message-4711', ...more });

const answering = (answer: string | HarnessError): Chat => ({
  ask: async (question, heard) => {
    asked.push(question);
    heard({ type: 'looking', tools: ['grep'] });
    if (question.text === 'After a crash?') heard({ type: 'written_off', usd: 0.25 });
    if (answer instanceof HarnessError) throw answer;
    const run = await desk.store.open(question.run);
    const said = { role: 'user' as const, content: [{ type: 'text' as const, text: question.text }] };
    const entry = { version: 1 as const, id: 'e1', parents: [], lane: 'r1', step: 'chat.r1' };
    const entries = [{ ...entry, type: 'message' as const, origin: 'human' as const, message: said }];
    const round = Number(question.gate.slice(-1));
    const paid = { usd: 0.031, calls: 1, ids: 'chat.n' };
    return recordExchange(run, { question, round, files: [], answer, lane: 'r1', entries, ...paid });
  },
});

const streamed = async ({ app }: Review, text: object): Promise<string> => {
  const headers = { host: HOST, 'content-type': 'application/json', accept: 'text/event-stream', ...bearer() };
  return (await app.request(`http://${HOST}${CHAT}`, { method: 'POST', body: JSON.stringify(text), headers })).text();
};

describe('a question', () => {
  test('is answered as JSON, of the newest gate where none is named, and stands in the list afterwards', async () => {
    const client = stranger(desk.review({ chat: answering('Because of R2.') }));
    const { status, json } = await client.api(CHAT, body());
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({
        run: 'run-1',
        gate: 'HITL-1.r2',
        answer: 'Because of R2.',
        usd: 0.031,
        via: 'api',
        actor: 'user:ada',
      }),
    ]);
    expect(ChatAnswer.parse(json)).toEqual(json);
    expect(json).not.toHaveProperty('nonce');
    expect(asked[0]).toMatchObject({
      actor: 'user:ada',
      via: 'api',
      gate: 'HITL-1.r2',
      fresh: false,
      nonce: 'message-4711',
      text: 'Why thirty days?',
    });
    await client.api(CHAT, body({ gate: 'HITL-1.r1', fresh: true, nonce: 'message-4712' }));
    expect(asked[1]).toMatchObject({ gate: 'HITL-1.r1', fresh: true });
    const list = async (query = '') =>
      ((await client.api(`${CHAT}${query}`)).json as unknown as { gate: string }[]).map(({ gate }) => gate);
    expect(await list()).toEqual(['HITL-1.r2', 'HITL-1.r1']);
    expect([await list('?gate=HITL-1.r1'), await list('?gate=x')]).toEqual([['HITL-1.r1'], []]);
  });

  test('after one that was killed tells what that may have cost', async () => {
    const client = stranger(desk.review({ chat: answering('Yes.') }));
    const { json } = await client.api(CHAT, body({ question: 'After a crash?' }));
    expect(ChatAnswer.parse(json)).toMatchObject({ answer: 'Yes.', writtenOffUsd: 0.25 });
    const page = await signedIn(desk.review({ chat: answering('Yes.') }));
    const gate = '/runs/run-1/gates/HITL-1.r2';
    const { text } = await page.send(`${gate}/chat`, { question: 'After a crash?' }, { from: gate });
    expect(text).toContain('was cut off in mid-call: up to $0.25 may have been paid for it');
  });

  test('is told while it is answered to who asks for events', async () => {
    const text = await streamed(desk.review({ chat: answering('one\n\nevent: refused\ndata: {}') }), body());
    expect(text.split('\n\n').flatMap((part) => /^event: (\w+)/m.exec(part)?.[1] ?? [])).toEqual(['heard', 'answer']);
    const answer: unknown = JSON.parse(/event: answer\ndata: (.*)/.exec(text)?.[1] ?? '');
    expect(ChatAnswer.parse(answer)).toMatchObject({ gate: 'HITL-1.r2', answer: 'one\n\nevent: refused\ndata: {}' });
    const broken = new HarnessError('budget_exceeded', 'The next call could cost $1 in /home/ada/x/y.');
    expect(await streamed(desk.review({ chat: answering(broken) }), body())).toContain(
      'event: refused\ndata: {"code":"budget_exceeded","message":"The next call could cost $1 in …/y."}',
    );
  });

  test('is taken back by whoever hangs up', async () => {
    const left = Promise.withResolvers<boolean>();
    const begun = Promise.withResolvers<void>();
    const chat: Chat = {
      ask: (_question, _heard, signal) =>
        new Promise((_, fail) => {
          signal.addEventListener('abort', () => (left.resolve(true), fail(signal.reason as Error)), { once: true });
          begun.resolve();
        }),
    };
    const hangUp = new AbortController();
    const headers = { host: HOST, 'content-type': 'application/json', accept: 'application/json', ...bearer() };
    const request = new Request(`http://${HOST}${CHAT}`, {
      method: 'POST',
      body: JSON.stringify(body()),
      headers,
      signal: hangUp.signal,
    });
    const answer = Promise.resolve(desk.review({ chat }).app.fetch(request));
    await begun.promise;
    hangUp.abort();
    expect(await left.promise).toBe(true);
    expect((await answer).status).toBe(408);
  });
});

describe('what is refused', () => {
  test.each<[ErrorCode, number]>([
    ['budget_exceeded', 402],
    ['model_unavailable', 503],
    ['agent_stopped', 502],
    ['model_refused', 502],
    ['context_overflow', 502],
    ['usage', 400],
    ['not_found', 404],
    ['infrastructure', 500],
  ])('%s has the status %i and says why, without paths', async (code, status) => {
    const client = stranger(desk.review({ chat: answering(new HarnessError(code, 'See /home/ada/project/x.')) }));
    const told = await client.api(CHAT, body());
    expect(told).toMatchObject({ status, json: { error: { code, message: 'See …/x.' } } });
  });

  test.each([
    ['no question', { question: '' }],
    ['an endless one', { question: 'x'.repeat(8001) }],
    ['no nonce', { nonce: '' }],
    ['what it does not know', { actor: 'user:eve' }],
    ['another type', { question: ['x'] }],
  ])('%s', async (_what, more) => {
    const client = stranger(desk.review({ chat: answering('x') }));
    expect((await client.api(CHAT, body(more))).status).toBe(400);
    expect(asked).toEqual([]);
  });

  test('no run, no design, no model, no JSON', async () => {
    const client = stranger(desk.review({ chat: answering('x') }));
    expect((await client.api('/api/runs/nope/chat', body())).status).toBe(404);
    expect((await client.api('/api/runs/..%2frun-1/chat', body())).status).toBe(404);
    expect((await client.post(CHAT, 'question=x', 'application/x-www-form-urlencoded')).status).toBe(400);
    expect((await stranger(desk.review()).api(CHAT, body())).status).toBe(400);
    expect(asked).toEqual([]);
  });

  test('strangers, cookies, other sites, viewers and reviewers of other scenarios', async () => {
    const review = desk.review({ chat: answering('x') });
    expect((await stranger(review).api(CHAT, body(), {})).status).toBe(401);
    expect((await stranger(review).api(CHAT, undefined, {})).status).toBe(401);
    expect((await (await signedIn(review)).api(CHAT, body(), {})).status).toBe(403);
    const crossed = { ...bearer(), origin: 'https://evil.example' };
    expect((await stranger(review).api(CHAT, body(), crossed)).status).toBe(403);
    const tokenSha256 = createHash('sha256').update('t'.repeat(32)).digest('hex');
    for (const [eve, refused] of [
      [{ role: 'viewer' }, 403],
      [{ scenarios: ['another-desk'], reads: 'all' }, 403],
      [{ scenarios: ['another-desk'] }, 404],
    ] as const) {
      const listed = desk.review({
        chat: answering('x'),
        reviewers: { reviewers: [{ name: 'ada' }, { name: 'eve', token_sha256: tokenSha256, ...eve }] },
      });
      expect((await stranger(listed).api(CHAT, body(), bearer('t'.repeat(32)))).status).toBe(refused);
    }
    expect(asked).toEqual([]);
  });

  test('whoever asks too much at once', async () => {
    const limits = { requests: 1e6, decisions: 3, signIns: 10 };
    const client = stranger(desk.review({ chat: answering('x'), limits }));
    const tries = await Promise.all(
      [1, 2, 3, 4].map(async (at) => (await client.api(CHAT, body({ nonce: `message-${at}` }))).status),
    );
    expect(tries.filter((status) => status === 429)).toHaveLength(1);
  });
});

test('the OpenAPI document names both ways and what they take', () => {
  const paths = (openApi() as { paths: Record<string, Record<string, object>> }).paths;
  const chat = paths['/api/runs/{id}/chat'];
  expect(Object.keys(chat ?? {})).toEqual(['get', 'post']);
  expect(JSON.stringify(chat?.['post'])).toContain('"text/event-stream"');
  expect(JSON.stringify(chat?.['post'])).toContain('"maxLength":8000');
});
