/** Questions beside the work itself: a run that goes on meanwhile, and a conversation so long that it is compacted. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { OpenChat } from '../../src/app/web/open-chat.ts';
import { askOf, eachWaiting } from '../support/asking.ts';
import { approveAll } from '../support/project.ts';

const here = eachWaiting();
let chat: OpenChat;
beforeAll(async () => {
  chat = await here.open();
});

const ask = (text: string, by = chat) => askOf(by, here.run, text);

test('a run goes on as if nobody had asked, also when somebody asks while it works', async () => {
  await ask('Which rules?');
  const answering = ask('What does it cost?');
  const end = await approveAll(here.app, here.run.id);
  await answering;
  expect(end.status).toBe('succeeded');
  expect((await ask('Which rules were there?')).round).toBe(1);
});

test('a long conversation is compacted by the same core, and goes on', async () => {
  const small = await here.open({ agents: { chat: { policy: 'demo', trigger: { tokens: 12_000 } } } });
  await writeFile(join(here.run.dir, 'scenario/notes.md'), 'Nobody reads this twice. '.repeat(350));
  for (let round = 0; round < 5; round += 1) await ask('Which rules, by @scenario/notes.md?', small);
  const compacted = (await here.run.transcripts.read('chat')).find(({ type }) => type === 'compaction');
  // The decision that a person still has to make is carried by code (S0.18).
  expect(JSON.stringify(compacted)).toContain('HITL-1.r1 was open when this was written');
  expect((await ask('Which rules?', small)).answer).toContain('twice at most (R2)');
});
