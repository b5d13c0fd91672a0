/** What a gate says of itself: what it has, what it was, what was only noted, what is asked once. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { showGate } from '../../src/cli/gates/gates.ts';
import { quietIo } from '../support/project.ts';
import { signedIn, type Client } from './client.ts';
import { openDesk, RULES, TOKEN, type Desk } from './desk.ts';

const GATE = '/runs/run-1/gates/HITL-1.r1';
let desk: Desk;
let client: Client;
beforeEach(async () => {
  desk = await openDesk();
  client = await signedIn(desk.review());
});
afterEach(() => desk.remove());

const shown = async (options: { markdown?: boolean; diff?: boolean } = {}): Promise<string> => {
  const io = quietIo(desk.root, { USER: 'ada' });
  await showGate('run-1', options, io);
  return io.said.join('\n');
};

test('a gate that was answered asks nobody any more, on the page, in the terminal and in Markdown', async () => {
  await desk.waiting('run-1');
  expect((await client.get(GATE)).text).toContain('>You decide<');
  expect(await shown()).toMatch(/WHAT YOU ARE DECIDING[\s\S]*tandem gates approve/);
  await client.send(GATE, { decision: 'approve' });
  const { text } = await client.get(GATE);
  expect(text).toContain('>What was decided on<');
  expect(text).not.toContain('You decide');
  expect(await shown()).toMatch(/WHAT WAS DECIDED ON\n\s*approve by user:ada/);
  expect(await shown()).not.toMatch(/YOU ARE DECIDING|tandem gates approve/);
  expect(await shown({ markdown: true })).toMatch(/WHAT WAS DECIDED ON/);
  expect(await shown({ markdown: true })).not.toMatch(/tandem gates approve|you are deciding/);
});

test('one of two approvals is what it has, not what it needs', async () => {
  await desk.waiting('run-1', [{}], 2);
  await client.send(GATE, { decision: 'approve' });
  const bob = await signedIn(desk.review({ local: { name: 'bob', token: TOKEN } }));
  expect((await bob.get(GATE)).text).toContain('Has 1 of 2 approvals (user:ada); needs 1 more, of another person.');
});

test('with no design approved, --diff compares with the one that was sent back', async () => {
  const run = await desk.waiting('run-1');
  await client.send(GATE, { decision: 'request_changes', comment: 'Be kind.' });
  await desk.again(run, { prompt: 'You are a clerk.\nBe kind.', rules: RULES });
  const diff = await shown({ diff: true });
  expect(diff).toContain('--- design/r1/format_spec.yaml');
  expect(diff).toContain('Be kind.');
});

test('a note with an approval comes back as a note', async () => {
  const run = await desk.waiting('run-1', [{}], 2);
  const bob = await signedIn(desk.review({ local: { name: 'bob', token: TOKEN } }));
  await client.send(GATE, { decision: 'approve', comment: 'R2: I like it.' });
  await bob.send(GATE, { decision: 'request_changes', comment: 'R1: which postcode?' });
  await desk.again(run, {});
  const { text } = await client.get(GATE.replace('r1', 'r2'));
  expect([...text.matchAll(/class="pill (?:warn|plain)">(NOT addressed|note)</g)].map(([, pill]) => pill)).toContain(
    'note',
  );
  expect(text).toContain('NOT addressed');
});

test('a question is numbered and asked once, with a field of its own, and its answer goes along with it', async () => {
  const run = await desk.waiting('run-1', [
    { questions: ['1. Are gift cards goods?', 'Q2: are gift cards goods', '2) Who pays?'] },
  ]);
  const { text } = await client.get(GATE);
  expect([...text.matchAll(/<legend>([^<]*)</g)].map(([, legend]) => legend)).toEqual([
    '1. Are gift cards goods?',
    '2. Who pays?',
  ]);
  await client.send(GATE, { decision: 'approve', q2: 'yes', 'q2.more': 'the desk' });
  expect((await desk.state(run)).decisions[0]?.comment).toBe('You asked: "Who pays?" My answer: yes. the desk.');
});

test('the terminal shows what the subject is told: in full at first, then the lines that changed', async () => {
  await desk.waiting('run-1', [{ prompt: 'You are a clerk.\nBe kind.' }]);
  expect(await shown()).toMatch(/THE SUBJECT'S PROMPT\n\s*You are a clerk\.\n\s*Be kind\./);
  await desk.remove();
  desk = await openDesk();
  await desk.waiting('run-1', [
    { prompt: 'You are a clerk.\nBe kind.', rules: RULES },
    { prompt: 'You are a clerk.\nBe brief.' },
  ]);
  expect(await shown()).toMatch(/THE SUBJECT'S PROMPT\n\s*− Be kind\.\n\s*\+ Be brief\./);
});
