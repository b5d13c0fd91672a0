/** Comments that point at a place: written without a script, kept for their writer, sent with the answer, judged in the next round. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { signedIn, type Client } from './client.ts';
import { RULES } from './desk.ts';
import { useDesk } from './use-desk.ts';

const GATE = '/runs/run-1/gates/HITL-1.r2';
const [R1, R2] = RULES as [(typeof RULES)[number], (typeof RULES)[number]];
const CHANGED = [R1, { ...R2, text: 'Goods may be returned up to day 14 after delivery.' }];

const desk = useDesk();
let run: RunFolder;
let client: Client;
beforeEach(async () => {
  run = await desk.waiting('run-1', [
    { narrative: NARRATIVE },
    { rules: CHANGED, narrative: NARRATIVE.replace('Two', 'Three') },
  ]);
  client = await signedIn(desk.review());
});

const NARRATIVE = Array.from(
  { length: 30 },
  (_, line) => `${line === 4 ? 'Two' : line} things a clerk knows, line ${line}.`,
).join('\n');
const LINE = 'unified_scenario_design.md:7';
const write = (on: string, text: string, from = 'gate') =>
  client.send(
    `${GATE}/comment`,
    { on, text, from },
    { from: `${GATE}/comment?on=${encodeURIComponent(on)}&from=${from}` },
  );

describe('pointing', () => {
  test('the page has links at changed words, at rules and at lines, each to a form with the place filled in', async () => {
    const gate = (await client.get(GATE)).text;
    expect(gate.replaceAll(/\s+/g, ' ')).toContain(
      `data-on="R2 &quot;14&quot;" href="${GATE}/comment?on=R2%20%2214%22"`,
    );
    const design = (await client.get(`${GATE}/design`)).text;
    for (const on of [LINE, 'R1', 'unified_scenario_design.md removed "Two things a clerk knows, line 4."'])
      expect(design).toContain(`${GATE}/comment?on=${encodeURIComponent(on)}&amp;from=design`);
  });

  test.each([
    ['R2', 'up to day 14'],
    ['R2 "day 14"', 'up to day 14'],
    [LINE, 'Three things'],
    ['unified_scenario_design.md removed "Two things"', 'Two things'],
  ])('the form on %s shows what stands there', async (on, place) => {
    const page = await client.get(`${GATE}/comment?on=${encodeURIComponent(on)}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain(place);
    expect(page.text).toContain(`name="on" value="${on.replaceAll('"', '&quot;')}"`);
  });

  test.each([
    'R9',
    'R1 "',
    '__proto__',
    '../../x.yaml:1',
    'other.yaml:1',
    'format_spec.yaml:999',
    '',
    'manifest.json:1',
    'other.yaml removed "x"',
  ])('%j is no place', async (on) => {
    expect((await client.get(`${GATE}/comment?on=${encodeURIComponent(on)}`)).status).toBe(404);
    expect((await write(on, 'x')).status).toBe(404);
  });
});

describe('a comment', () => {
  test('is shown beside its place until it is sent, goes with the answer, and is gone then', async () => {
    expect((await write(LINE, 'why three?', 'design')).headers.get('location')).toBe(
      `${GATE}/design#unified-scenario-design-md-7`,
    );
    await write('R1', 'which postcode?');
    await write('R2 "day 14"', 'that is the law?');
    const design = (await client.get(`${GATE}/design`)).text;
    expect(design).toMatch(/Three things[\s\S]{0,400}why three\?[\s\S]{0,200}not sent yet/);
    expect(design).toContain('3 comments of yours go with your answer.');
    const gate = (await client.get(GATE)).text;
    expect(gate).toMatch(/name="on\.R2 &quot;day 14&quot;"[^>]*>\s*that is the law\?/);
    const fields = { [`on.${LINE}`]: 'why three?', 'on.R1': 'which postcode?', 'on.R2 "day 14"': 'that is the law?' };
    await client.send(GATE, { decision: 'request_changes', ...fields, comment: 'And hurry.' });
    expect((await desk.state(run)).decisions.at(-1)?.comment).toBe(
      `${LINE}: why three?\nR1: which postcode?\nR2 "day 14": that is the law?\n\nAnd hurry.`,
    );
    expect((await client.get(GATE)).text).not.toContain('were not sent');
    await desk.again(run, {
      rules: [R1, { ...R2, text: 'Goods may be returned up to day 15.' }],
      narrative: NARRATIVE.replace('Two', 'Three'),
    });
    const next = (await client.get('/runs/run-1/gates/HITL-1.r3')).text;
    expect(next).not.toContain('not sent');
    expect(next).toMatch(/id="R2"[\s\S]*that is the law\?[\s\S]{0,200}>addressed</);
    expect(next).toMatch(/which postcode\?[\s\S]{0,200}NOT addressed/);
    expect(next).toMatch(/why three\?[\s\S]{0,200}NOT addressed/);
  });

  test('is its writer’s alone, changes when it is written again, and goes when it is emptied', async () => {
    const token = 'another-token-of-thirty-characters';
    const tokenOf = createHash('sha256').update(token).digest('hex');
    const review = desk.review({ reviewers: { reviewers: [{ name: 'ada' }, { name: 'bob', token_sha256: tokenOf }] } });
    const [ada, bob] = [await signedIn(review), await signedIn(review, token)];
    const from = { from: `${GATE}/comment?on=R1` };
    for (const text of ['first thought', 'second thought']) await ada.send(`${GATE}/comment`, { on: 'R1', text }, from);
    const page = (await ada.get(GATE)).text;
    expect([page.includes('first thought'), page.includes('second thought')]).toEqual([false, true]);
    expect((await bob.get(GATE)).text).not.toContain('thought');
    await ada.send(`${GATE}/comment`, { on: 'R1', text: '' }, from);
    expect((await ada.get(GATE)).text).not.toContain('thought');
  });

  test('that was not sent when somebody else answered is shown, not lost', async () => {
    await write('R1', 'my long thought');
    const digest = (await desk.state(run)).designs.at(-1)?.digest ?? '';
    await client.api('/api/gates/run-1.HITL-1.r2/decision', {
      digest,
      decision: 'reject',
      comment: 'no',
      nonce: 'nonce-of-api',
    });
    const page = (await client.get(GATE)).text;
    expect(page).toContain('were not sent before this gate was answered');
    expect(page).toContain('my long thought');
    expect((await client.get(`${GATE}/comment?on=R1`)).status).toBe(409);
  });

  test('is refused without this page’s own form', async () => {
    const sent = await client.send(
      `${GATE}/comment`,
      { on: 'R1', text: 'x', form: 'forged' },
      { from: `${GATE}/comment?on=R1` },
    );
    expect(sent.status).toBe(403);
    expect((await client.get(GATE)).text).not.toContain('>\nx</textarea>');
  });
});

test('who asked for changes of a design that nobody approved is shown what changed of it since', async () => {
  const first = await desk.waiting('run-2');
  await client.send('/runs/run-2/gates/HITL-1.r1', { decision: 'request_changes', comment: 'R2: from when?' });
  await desk.again(first, { rules: CHANGED });
  const { text } = await client.get('/runs/run-2/gates/HITL-1.r2');
  expect(text).toContain('Since you asked for changes of round 1');
  expect(text).toMatch(/id="R2"[\s\S]*<ins>[^<]*14/);
  const stranger = await signedIn(desk.review({ local: { name: 'bob', token: 'b'.repeat(32) } }), 'b'.repeat(32));
  expect((await stranger.get('/runs/run-2/gates/HITL-1.r2')).text).toContain('none approved yet');
});

test('what Init says about each comment is held against both designs, and stands in all later rounds', async () => {
  const run = await desk.waiting('run-3');
  const ask = (gate: string, comment: string) =>
    client.send(`/runs/run-3/gates/${gate}`, { decision: 'request_changes', comment });
  await ask('HITL-1.r1', 'R1: keep it as it is\nR2: from when?\n\nA rule about gift cards is missing.');
  const R3 = { id: 'R3', title: 'Gift cards', text: 'Gift cards are not refunded.' };
  await desk.again(run, {
    rules: [...CHANGED, R3],
    answers: [
      { comment: 1, did: 'kept', rules: ['R1'], why: 'you asked for it' },
      { comment: 2, did: 'added', rules: ['R2'], why: 'from delivery' },
      { comment: 3, did: 'added', rules: ['R3'], why: 'the policy says so' },
    ],
  });
  const second = (await client.get('/runs/run-3/gates/HITL-1.r2')).text;
  const outcomes = (text: string) =>
    [...text.matchAll(/class="pill \w+">(kept as it was|NOT addressed|addressed)</g)].length;
  expect(second).toMatch(/gift cards is missing[\s\S]{0,200}>addressed<[\s\S]{0,200}Init added R3: the policy says so/);
  expect(second).toMatch(/keep it as it is[\s\S]{0,200}kept as it was[\s\S]{0,200}Init kept R1/);
  expect(second).toMatch(/NOT addressed[\s\S]{0,200}Init says that it added R2, which is not so for R2/);
  expect(outcomes(second)).toBeGreaterThan(2);
  await ask('HITL-1.r2', 'R3: not at all?');
  await desk.again(run, { rules: [...CHANGED, { ...R3, text: 'Gift cards are never refunded.' }] });
  const third = (await client.get('/runs/run-3/gates/HITL-1.r3')).text;
  expect(third).toMatch(/gift cards is missing[\s\S]{0,200}>addressed</);
  expect(third).toMatch(/“not at all\?[\s\S]{0,200}>addressed</);
});

test('a request for changes is told as a number, because each comment stands in the list once', async () => {
  const run = await desk.waiting('run-4');
  await client.send('/runs/run-4/gates/HITL-1.r1', { decision: 'request_changes', comment: 'R2: from when?' });
  await desk.again(run, { rules: CHANGED });
  const { text } = await client.get('/runs/run-4/gates/HITL-1.r2');
  expect(text).toContain('asked for changes in one comment');
});
