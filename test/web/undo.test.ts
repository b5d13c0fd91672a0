/** Taking a decision back on the page. */
import { describe, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { signedIn } from './client.ts';
import { RULES } from './desk.ts';
import { useDesk } from './use-desk.ts';

const desk = useDesk();

const GATE = '/runs/run-1/gates/HITL-1.r1';

const tokenOf = (name: string) => `the-token-of-${name}-is-long-enough`;
const person = (name: string, role = 'reviewer') => ({
  ...{ name, role },
  token_sha256: createHash('sha256').update(tokenOf(name)).digest('hex'),
});

describe('a reviewer without JavaScript', () => {
  test.each([
    ['approve', 'Execute makes its first paid call', 'You approved', true],
    ['request_changes', 'Init makes its first paid call', 'You asked for changes', true],
    ['reject', 'as long as the run exists', 'You rejected', false],
  ])('takes %s back with one button, and is told until when', async (decision, until, said, goesOn) => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    await client.send(GATE, { decision, comment: 'because' });
    const page = await client.get(GATE);
    expect(page.text).toContain(until);
    expect(page.text).toContain(said);
    expect(page.text.includes('<code>tandem resume run-1</code>')).toBe(goesOn);
    const taken = await client.send(`${GATE}/undo`, {}, { from: GATE });
    expect([taken.status, taken.headers.get('location')]).toEqual([303, GATE]);
    expect(await desk.state(run)).toMatchObject({ status: 'awaiting_approval', undone: [{ via: 'page' }] });
    const again = await client.get(GATE);
    expect(again.text).toContain('and took it back');
    expect(again.text).toContain('name="decision"');
    expect(again.text).not.toContain('Second thoughts?');
    expect((await client.get('/')).text).toContain(`href="${GATE}"`);
    await client.send(GATE, { decision: 'approve' });
    expect((await desk.state(run)).status).toBe('executing');
  });

  test('takes one of several back that were approved together; the others stand', async () => {
    const rounds = [{}, { rules: [...RULES, { id: 'R3', title: 'Kindness', text: 'Be kind.' }] }];
    const one = await desk.waiting('run-1', rounds);
    const two = await desk.waiting('run-2', rounds);
    const client = await signedIn(desk.review());
    const gate = '/runs/run-1/gates/HITL-1.r2';
    const [, also = ''] = /name="also" value="(run-2[^"]*)"/.exec((await client.get(gate)).text) ?? [];
    await client.send(gate, { decision: 'approve', also });
    expect([(await desk.state(one)).status, (await desk.state(two)).status]).toEqual(['executing', 'executing']);
    const second = '/runs/run-2/gates/HITL-1.r2';
    await client.send(`${second}/undo`, {}, { from: second });
    expect([(await desk.state(one)).status, (await desk.state(two)).status]).toEqual([
      'executing',
      'awaiting_approval',
    ]);
  });

  test('is told how long no worker begins, where that is configured', async () => {
    await desk.waiting('run-1');
    const client = await signedIn(desk.review({ reviewers: { undo_seconds: 90 } }));
    await client.send(GATE, { decision: 'approve' });
    expect((await client.get(GATE)).text).toMatch(/No worker begins before \d\d:\d\d:\d\d UTC/);
    desk.clock.pass(91_000);
    expect((await client.get(GATE)).text).not.toContain('No worker begins before');
  });

  test('who comes too late is told what is left, and the page offers no button any more', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    await client.send(GATE, { decision: 'approve' });
    const { length } = await desk.state(run);
    await run.journal.append({ type: 'step.begun', step: 'execute.i1' }, 'worker:a', length);
    const late = await client.send(`${GATE}/undo`, { whose: 'user:ada' }, { from: '/' });
    expect([late.status, late.text.includes('Too late to undo')]).toEqual([409, true]);
    expect((await client.get(GATE)).text).not.toContain('Second thoughts?');
  });

  test('a form of another page or another site takes nothing back', async () => {
    const run = await desk.waiting('run-1');
    const client = await signedIn(desk.review());
    await client.send(GATE, { decision: 'approve' });
    const forged = await client.send(`${GATE}/undo`, { form: 'x.y' }, { from: GATE });
    const crossed = await client.send(`${GATE}/undo`, {}, { from: GATE, headers: { 'sec-fetch-site': 'cross-site' } });
    expect([forged.status, crossed.status]).toEqual([403, 403]);
    expect((await desk.state(run)).status).toBe('executing');
  });
});

describe('roles', () => {
  test('a viewer and another reviewer see no button and are refused; an owner may', async () => {
    const run = await desk.waiting('run-1');
    const reviewers = [person('bea'), person('cy'), person('vic', 'viewer'), person('olga', 'owner')];
    const review = desk.review({ reviewers: { reviewers } });
    const bea = await signedIn(review, tokenOf('bea'));
    await bea.send(GATE, { decision: 'approve' });
    for (const name of ['cy', 'vic']) {
      const other = await signedIn(review, tokenOf(name));
      expect((await other.get(GATE)).text).not.toContain('Second thoughts?');
    }
    const olga = await signedIn(review, tokenOf('olga'));
    expect((await olga.get(GATE)).text).toContain('Undo the decision of bea');
    expect((await olga.send(`${GATE}/undo`, {}, { from: GATE })).status).toBe(303);
    expect(await desk.state(run)).toMatchObject({ undone: [{ actor: 'user:olga', decision: { actor: 'user:bea' } }] });
  });
});
