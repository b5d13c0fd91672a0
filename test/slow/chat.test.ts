/** Questions beside the work itself: a run that goes on meanwhile, and a conversation so long that it is compacted. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OpenChat } from '../../src/app/open-chat.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import { openAsking, type Asking } from '../support/asking.ts';
import { approveAll, live } from '../support/project.ts';

let asking: Asking;
let run: RunFolder;
let chat: OpenChat;

beforeAll(async () => {
  asking = await openAsking();
  chat = await asking.open();
});
beforeEach(async () => {
  run = await asking.waiting();
});
afterAll(() => asking.close());

let nonces = 0;
const ask = (text: string, by = chat) => {
  const base = { run: run.dir, gate: 'HITL-1.r1', actor: 'user:ada', via: 'test', nonce: `n${(nonces += 1)}` };
  return by.ask({ ...base, text }, () => undefined, live);
};

test('a run goes on as if nobody had asked, also when somebody asks while it works', async () => {
  await ask('Which rules?');
  const answering = ask('What does it cost?');
  const end = await approveAll(asking.app, run.id);
  await answering;
  expect(end.status).toBe('succeeded');
  expect((await ask('Which rules were there?')).round).toBe(1);
});

test('a long conversation is compacted by the same core, and goes on', async () => {
  const small = await asking.open({ agents: { chat: { policy: 'demo', trigger: { tokens: 12_000 } } } });
  await writeFile(join(run.dir, 'scenario/notes.md'), 'Nobody reads this twice. '.repeat(350));
  for (let round = 0; round < 5; round += 1) await ask('Which rules, by @scenario/notes.md?', small);
  expect((await run.transcripts.read('chat')).some(({ type }) => type === 'compaction')).toBe(true);
  expect((await ask('Which rules?', small)).answer).toContain('twice at most (R2)');
});
