/** What another agent or a colleague says at a gate: on record, before the reviewer's eyes, and without any power. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decideGate } from '../../src/gate/decide.ts';
import { commentAtGate } from '../../src/gate/comment.ts';
import { commentCommand, showGate } from '../../src/cli/gates/gates.ts';
import { quietIo } from '../support/project.ts';
import { signedIn } from '../web/client.ts';
import { useDesk } from '../web/use-desk.ts';

const desk = useDesk();

const GATE = '/runs/run-1/gates/HITL-1.r1';
const WORDS = 'R2 lets a gift be returned twice. <script>alert(1)</script>';
const deps = () => ({ store: desk.store, clock: desk.clock, progress: () => undefined });
const say = (comment: string, actor = 'agent:mcp-ada', digest?: string) =>
  commentAtGate({ run: 'run-1', comment, actor, digest }, deps());
const refused = (refusal: string) => ({ code: 'gate_refused', details: { refusal } });

test('is shown to the reviewer as an agent’s, escaped, and counts as no approval', async () => {
  const run = await desk.waiting('run-1', [{}], 2);
  const before = await desk.state(run);
  expect(await say(WORDS)).toMatchObject({ actor: 'agent:mcp-ada', gate: 'HITL-1.r1' });
  const after = await desk.state(run);
  expect({ ...after, length: 0 }).toEqual({ ...before, length: 0 });
  const client = await signedIn(desk.review());
  const { text } = await client.get(GATE);
  expect(text).toContain('Said at this gate');
  expect(text).toContain('an agent');
  expect(text).toContain('agent mcp-ada');
  expect(text).toContain('R2 lets a gift be returned twice.');
  expect(text).not.toContain('<script>alert');
  // Who says something may be anybody; who approves is counted as ever.
  await say('Fine with me.', 'user:bob');
  expect(await desk.state(run)).toMatchObject({ status: 'awaiting_approval', gate: { approvals: [] } });
  expect((await client.get(GATE)).text).toContain('a colleague');
});

test('becomes words of a person when that person takes it over, and not before', async () => {
  const run = await desk.waiting('run-1');
  const { seq } = await say('R2 lets a gift be returned twice.');
  const client = await signedIn(desk.review());
  const answer = await client.send(`${GATE}/use`, { use: String(seq) }, { from: GATE });
  expect(answer.text).toMatch(/<textarea[^>]*name="comment"[^>]*>\s*As agent mcp-ada says: R2 lets a gift/);
  expect(await desk.state(run)).toMatchObject({ decisions: [], reviewerNotes: [] });
  expect((await client.send(`${GATE}/use`, { use: '0' }, { from: GATE })).status).toBe(404);
});

test('what does not fit is refused, and nothing is written', async () => {
  const run = await desk.waiting('run-1');
  const { length, ...waiting } = await desk.state(run);
  if (waiting.status !== 'awaiting_approval') throw new Error(waiting.status);
  const { digest } = waiting.gate;
  await expect(say(' ')).rejects.toMatchObject(refused('comment_missing'));
  await expect(say('x'.repeat(4001))).rejects.toMatchObject(refused('comment_too_long'));
  await expect(say('x', 'agent:mcp-ada', '0'.repeat(12))).rejects.toMatchObject(refused('other_digest'));
  for (const actor of ['agent:init', 'agent:execute', 'agent:mcpx', 'policy:demo', 'worker:a'])
    await expect(say('x', actor)).rejects.toMatchObject({ code: 'event_refused' });
  expect((await desk.state(run)).length).toBe(length);
  // The same words again are the same comment; more than a person can read are none.
  const first = await say('One.', 'agent:mcp-ada', digest.slice(0, 12));
  expect(await say('One.')).toEqual(first);
  for (let at = 2; at <= 20; at += 1) await say(`Word ${at}.`);
  await expect(say('One too many.')).rejects.toMatchObject(refused('too_many'));
  const decision = { run: 'run-1', gate: 'HITL-1.r1', digest, decision: 'approve', comment: '', via: 'test' } as const;
  const anybody = { starterMayDecide: true, policyMayDecide: false } as const;
  await expect(
    decideGate({ ...decision, actor: 'agent:mcp-ada', nonce: 'agent-nonce' }, anybody, deps()),
  ).rejects.toMatchObject(refused('not_allowed'));
  await decideGate({ ...decision, actor: 'user:ada', nonce: 'person-nonce', confirm: 'accept' }, anybody, deps());
  await expect(say('Too late.')).rejects.toMatchObject(refused('no_open_gate'));
});

test('the command says it in the name of whoever runs it, and the gate is shown with it', async () => {
  await desk.waiting('run-1');
  const agent = quietIo(desk.root, { TANDEM_AGENT: 'mcp-ada' });
  expect(await commentCommand('run-1', { comment: 'See R1.', json: true }, agent)).toBe(0);
  expect(JSON.parse(agent.said.join(''))).toMatchObject({ actor: 'agent:mcp-ada', comment: 'See R1.' });
  const shown = async (options: Parameters<typeof showGate>[1]) => {
    const io = quietIo(desk.root, {});
    expect(await showGate('run-1', options, io)).toBe(0);
    return io.said.join('\n');
  };
  expect(await shown({})).toMatch(/SAID AT THIS GATE[\s\S]*See R1\..* agent:mcp-ada/);
  expect(await shown({ markdown: true })).toMatch(/SAID AT THIS GATE[\s\S]*See R1\..* agent:mcp-ada/);
  expect(JSON.parse(await shown({ json: true }))).toMatchObject({ said: [{ comment: 'See R1.' }] });
});

test('the command hands the gate to another reviewer, and to nobody who may not decide it', async () => {
  const run = await desk.waiting('run-1');
  const { length } = await desk.state(run);
  await mkdir(join(desk.root, 'config'), { recursive: true });
  const reviewers =
    '[{ name: tester }, { name: bob }, { name: vera, role: viewer }, { name: cleo, scenarios: [clinic] }]';
  await writeFile(join(desk.root, 'config/reviewers.yaml'), `version: 1\nreviewers: ${reviewers}\n`);
  const hand = async (to: string, comment?: string, env: Record<string, string> = {}) => {
    const io = quietIo(desk.root, env);
    await commentCommand('run-1', { to, comment }, io);
    return io.said.join('\n');
  };
  for (const to of ['tester', 'vera', 'cleo', 'nobody', ''])
    await expect(hand(to)).rejects.toMatchObject(refused('not_allowed'));
  await expect(hand('bob', '', { TANDEM_AGENT: 'mcp-tester' })).rejects.toMatchObject(refused('not_allowed'));
  expect((await desk.state(run)).length).toBe(length);
  expect(await hand('bob')).toBe(
    'HITL-1.r1 waits for bob now, to whom user:tester handed it. Whoever could decide it before still can.',
  );
  const io = quietIo(desk.root, {});
  await showGate('run-1', {}, io);
  expect(io.said.join('\n')).toContain('user:tester handed this gate to user:bob.');
  expect(await desk.state(run)).toMatchObject({ status: 'awaiting_approval', decisions: [] });
});
