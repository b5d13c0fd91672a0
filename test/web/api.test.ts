/** The JSON API: what waits, how a run stands, and the door. */
import { describe, expect, test } from 'vitest';
import { signedIn, stranger } from './client.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const DOOR = '/api/gates/run-1.HITL-1.r1/decision';

describe('the API', () => {
  test('lists what waits, oldest first, and gives the pack of one gate', async () => {
    await desk.waiting('run-2');
    await desk.waiting('run-1', [{ questions: ['Open?'], doubt: true }]);
    const client = stranger(desk.review());
    const { json } = await client.api('/api/gates');
    const list = json as unknown as Record<string, unknown>[];
    expect(list.map(({ id, doubts }) => [id, doubts])).toEqual([
      ['run-2.HITL-1.r1', []],
      ['run-1.HITL-1.r1', ['1 of 7 machine checks found something wrong.']],
    ]);
    const gate = await client.api('/api/gates/run-1.HITL-1.r1');
    expect(gate.json).toMatchObject({ pack: { version: 1, questions: ['Open?'] } });
    expect((await client.api('/api/gates/run-1.HITL-1.r2')).status).toBe(404);
  });

  test('decides once: the same nonce gets the same answer, another one is told who was first', async () => {
    const run = await desk.waiting('run-1');
    const client = stranger(desk.review());
    const digest = ((await desk.state(run)).designs[0]?.digest ?? '').slice(0, 16);
    const body = { digest, decision: 'approve', comment: 'from the chat', nonce: 'message-4711' };
    const first = await client.api(DOOR, body);
    expect(first).toMatchObject({ status: 200, json: { actor: 'user:ada', via: 'api', comment: 'from the chat' } });
    expect(first.json).not.toHaveProperty('nonce');
    expect((await client.api(DOOR, body)).json).toEqual(first.json);
    const late = await client.api(DOOR, { ...body, nonce: 'message-4712' });
    expect(late).toMatchObject({ status: 409, json: { error: { code: 'gate_refused', refusal: 'no_open_gate' } } });
    expect(String((late.json['error'] as Record<string, unknown>)['message'])).toContain('answered by user:ada');
  });

  test.each([
    ['another digest', { digest: 'e'.repeat(64) }, 409, 'other_digest'],
    ['changes without words', { decision: 'request_changes' }, 422, 'comment_missing'],
  ])('%s is refused as itself', async (_name, change, status, refusal) => {
    const run = await desk.waiting('run-1');
    const digest = (await desk.state(run)).designs[0]?.digest ?? '';
    const answer = await stranger(desk.review()).api(DOOR, {
      digest,
      decision: 'approve',
      nonce: 'nnnnnnnn',
      ...change,
    });
    expect(answer).toMatchObject({ status, json: { error: { refusal } } });
  });

  test('an approval against a doubt takes the word here too', async () => {
    const run = await desk.waiting('run-1', [{ questions: ['Open?'], doubt: true }]);
    const client = stranger(desk.review());
    const body = { digest: (await desk.state(run)).designs[0]?.digest, decision: 'approve', nonce: 'nnnnnnnn' };
    expect((await client.api(DOOR, body)).status).toBe(422);
    expect((await client.api(DOOR, { ...body, confirm: 'accept' })).status).toBe(200);
  });

  test('two runs of one id in two scenarios are told apart, or refused', async () => {
    await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    expect((await client.get('/runs/refund-desk:run-1')).status).toBe(200);
    expect((await client.get('/runs/other-desk:run-1')).status).toBe(404);
  });
});
