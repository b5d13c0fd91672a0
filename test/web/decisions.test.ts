/** The decision screen and its form, as a browser without scripts uses them. */
import { describe, expect, test } from 'vitest';
import { signedIn, type Client } from './client.ts';
import { RULES, type Desk } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const GATE = '/runs/run-1/gates/HITL-1.r1';
const NEXT = '/runs/run-1/gates/HITL-1.r2';

async function oneWaiting(): Promise<{ client: Client; run: Awaited<ReturnType<Desk['waiting']>> }> {
  const run = await desk.waiting('run-1');
  return { run, client: await signedIn(desk.review()) };
}

describe('a reviewer without JavaScript', () => {
  test('finds the gate in the queue, reads it and approves with notes (C.3)', async () => {
    const { client, run } = await oneWaiting();
    expect((await client.get('/')).text).toContain(`href="${GATE}"`);
    desk.clock.pass(42_000);
    const answered = await client.send(GATE, { decision: 'approve', comment: 'Mind R2.', 'on.R1': 'which postcode?' });
    expect(answered.status).toBe(303);
    const state = await desk.state(run);
    expect(state.status).toBe('executing');
    expect(state.decisions[0]).toMatchObject({
      decision: 'approve',
      actor: 'user:ada',
      via: 'page',
      comment: 'R1: which postcode?\n\nMind R2.',
      shownMs: 0,
    });
    const after = await client.get(GATE);
    expect(after.text).toContain('ada approved');
    expect(after.text).not.toContain('name="decision"');
  });

  test('asks for changes, and the words reach the next round', async () => {
    const { client, run } = await oneWaiting();
    await client.send(GATE, { decision: 'request_changes', 'on.R2': 'from when?' });
    expect(await desk.state(run)).toMatchObject({
      status: 'designing',
      round: 2,
      reason: { comment: 'R2: from when?' },
    });
  });

  test('rejects only with a reason', async () => {
    const { client, run } = await oneWaiting();
    const refused = await client.send(GATE, { decision: 'reject' });
    expect([refused.status, refused.text.includes('Say why')]).toEqual([422, true]);
    expect((await desk.state(run)).status).toBe('awaiting_approval');
    await client.send(GATE, { decision: 'reject', comment: 'another desk' });
    expect((await desk.state(run)).status).toBe('rejected');
  });

  test('answers the agent by buttons, and the answers are part of the comment', async () => {
    const run = await desk.waiting('run-1', [{ questions: ['Are gift cards refundable?'] }]);
    const client = await signedIn(desk.review());
    await client.send(GATE, { decision: 'approve', q1: 'no', 'q1.more': 'by law' });
    expect((await desk.state(run)).decisions[0]?.comment).toBe(
      'You asked: "Are gift cards refundable?" My answer: no. by law.',
    );
  });

  test('keeps what was written when the answer is refused', async () => {
    const { client } = await oneWaiting();
    const page = await client.send(GATE, { decision: 'approve', digest: 'f'.repeat(64), comment: 'a long note' });
    expect(page.status).toBe(409);
    expect(page.text).toContain('The design changed while you were reading');
    expect(page.text).toContain('a long note</textarea>');
  });

  test('a doubt of the machine takes the word', async () => {
    const run = await desk.waiting('run-1', [{ doubt: true }]);
    const client = await signedIn(desk.review());
    expect((await client.get(GATE)).text).toContain('1 of 7 machine checks');
    expect((await client.send(GATE, { decision: 'approve' })).status).toBe(422);
    expect((await client.send(GATE, { decision: 'approve', confirm: 'yes' })).status).toBe(422);
    expect((await desk.state(run)).status).toBe('awaiting_approval');
    expect((await client.send(GATE, { decision: 'approve', confirm: 'Accept' })).status).toBe(303);
  });

  test('a first design shows every rule as new; a later one its changes word by word, with reason and evidence', async () => {
    const changed = [
      RULES[0],
      { ...RULES[1], text: 'Goods may be returned up to day 40 after delivery.' },
    ] as typeof RULES;
    await desk.waiting('run-1', [{}, { rules: changed }]);
    const client = await signedIn(desk.review());
    const { text } = await client.get(NEXT);
    expect(text).toMatch(
      /day\s*<del>30\s*<\/del>\s*<ins>40\s*<\/ins>(?:<a\s+class="say"[^>]*>✎<\/a\s*>)?\s*after delivery/,
    );
    expect(text).toContain('day 30 was unclear');
    expect(text).toContain('href="/runs/run-1/iterations/1/samples/return-in-time#trial-1"');
    expect(text).toContain('Since you approved round 1');
    expect((await client.get(GATE)).text).toContain(', all new');
  });

  test('who approved another round is shown the way from that one', async () => {
    const at = (day: number) => ({ rules: [RULES[0], { ...RULES[1], text: `Up to day ${day}.` }] as typeof RULES });
    await desk.waiting('run-1', [at(10), at(20), at(30)]);
    const mine = await (await signedIn(desk.review())).get('/runs/run-1/gates/HITL-1.r3');
    expect(mine.text).toContain('Since you approved round 2');
    const other = await signedIn(desk.review({ local: { name: 'bob', token: 'x'.repeat(30) } }), 'x'.repeat(30));
    expect((await other.get('/runs/run-1/gates/HITL-1.r3')).text).toContain('Since round 2 was approved');
  });
});

describe('the same change in several runs', () => {
  test('is one line of the queue, and one answer for those that are ticked', async () => {
    const rounds = [{}, { rules: [...RULES, { id: 'R3', title: 'Cash', text: 'No cash.' }] }];
    const runs = [
      await desk.waiting('run-1', rounds),
      await desk.waiting('run-2', rounds),
      await desk.waiting('run-3', rounds),
    ];
    const client = await signedIn(desk.review());
    expect((await client.get('/')).text.match(/class="item"/g)).toHaveLength(1);
    const page = (await client.get(NEXT)).text;
    const [, ticked = ''] = /name="also" value="(run-2[^"]*)"/.exec(page) ?? [];
    await client.send(NEXT, { decision: 'approve', also: ticked });
    const states = await Promise.all(runs.map((run) => desk.state(run)));
    expect(states.map(({ status }) => status)).toEqual(['executing', 'executing', 'awaiting_approval']);
    expect(states[1]?.decisions.at(-1)?.comment).toContain('approved together with run-1 HITL-1.r2');
  });

  test('a gate with another change is never answered along, whatever the form says', async () => {
    const run = await desk.waiting('run-1', [{}, { rules: [...RULES, { id: 'R3', title: 'Cash', text: 'No cash.' }] }]);
    const other = await desk.waiting('run-2', [
      {},
      { rules: [...RULES, { id: 'R3', title: 'Cash', text: 'All in cash.' }] },
    ]);
    const client = await signedIn(desk.review());
    const state = await desk.state(other);
    const digest = state.status === 'awaiting_approval' ? state.gate.digest : '';
    const answered = await client.send(NEXT, { decision: 'approve', also: `run-2.HITL-1.r2 ${digest}` });
    expect(answered.headers.get('location')).toBe(`${NEXT}?missed=1`);
    expect((await desk.state(run)).status).toBe('executing');
    expect((await desk.state(other)).status).toBe('awaiting_approval');
  });
});

describe('two at once', () => {
  test('the second is told who was first', async () => {
    const { client } = await oneWaiting();
    const review = desk.review({ local: { name: 'bob', token: 'y'.repeat(30) } });
    const bob = await signedIn(review, 'y'.repeat(30));
    const [first, second] = await Promise.all([
      client.send(GATE, { decision: 'approve' }),
      bob.send(GATE, { decision: 'reject', comment: 'no' }),
    ]);
    expect(new Set([first.status, second.status])).toEqual(new Set([303, 409]));
    const loser = first.status === 409 ? first : second;
    expect(loser.text).toMatch(/was answered by user:(ada|bob)/);
  });

  test('the same form sent twice is one decision', async () => {
    const { client, run } = await oneWaiting();
    const fields = { decision: 'approve', nonce: 'one-nonce-only', comment: 'x' };
    const digest = /name="digest" value="([^"]+)"/.exec((await client.get(GATE)).text)?.[1] ?? '';
    expect((await client.send(GATE, fields)).status).toBe(303);
    const form = /name="form" value="([^"]+)"/g.exec((await client.get('/')).text)?.[1] ?? '';
    expect((await client.send(GATE, { ...fields, digest, form })).status).toBe(303);
    expect((await desk.state(run)).decisions).toHaveLength(1);
  });
});
