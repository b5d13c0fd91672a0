/** What a dead chat had reserved: given back where nothing was sent, counted at its worst where something may have been. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reserveChat, settleAbandonedChats } from '../../../src/pipeline/chat/reservation.ts';
import type { ChatQuestion } from '../../../src/ports/chat.ts';
import { askOf, eachWaiting } from '../../support/asking.ts';
import { live } from '../../support/project.ts';

const here = eachWaiting();
const CAP = 5;
/** No system has a process of this number. */
const NOBODY = 2 ** 30;

/** As a killed process leaves it: the mark stays, and the money is neither settled nor released. */
async function died(sent: boolean, worstUsd = 1): Promise<string> {
  const asking = await reserveChat(here.run, 'a nonce / of ../ somebody');
  const call = `${asking.step}.chat.r1.0001.abcdef12`;
  await here.run.spending.reserve({ call, agent: 'chat', model: 'm', worstUsd }, CAP);
  if (sent) await asking.sending();
  const path = join(here.run.dir, 'asking', `${asking.step}.json`);
  const mark = JSON.parse(await readFile(path, 'utf8')) as object;
  await asking.end();
  await writeFile(path, JSON.stringify({ ...mark, pid: NOBODY }));
  return call;
}

const chats = async () => (await here.run.spending.list()).filter(({ agent }) => agent === 'chat');
const asking = () => readdir(join(here.run.dir, 'asking'));

test('a call that was not sent gives its money back', async () => {
  await died(false);
  expect(await settleAbandonedChats(here.run)).toBe(0);
  expect([await chats(), await asking()]).toEqual([[], []]);
});

test('a call that was sent counts at its worst, once, whoever comes first', async () => {
  const call = await died(true);
  const counted = await Promise.all([
    settleAbandonedChats(here.run),
    settleAbandonedChats(await here.app.deps.store.open(here.run.id)),
  ]);
  expect(counted.toSorted()).toEqual([0, 1]);
  expect(await settleAbandonedChats(here.run)).toBe(0);
  expect(await (await here.app.deps.store.open(here.run.id)).spending.list()).toEqual(
    expect.arrayContaining([expect.objectContaining({ call, usd: 0, uncertainUsd: 1, failed: 1 })]),
  );
  expect(await asking()).toEqual([]);
});

test('a reservation without a mark is of a chat before there were any: it counts, and so does no other agent’s', async () => {
  await here.run.spending.reserve({ call: 'chat.old.chat.r1.0001.ab', agent: 'chat', model: 'm', worstUsd: 1 }, CAP);
  await here.run.spending.reserve({ call: 'execute.i1.x', agent: 'execute', model: 'm', worstUsd: 1 }, CAP);
  expect(await settleAbandonedChats(here.run)).toBe(1);
  const open = (await here.run.spending.list()).filter(({ reservedUsd }) => reservedUsd > 0);
  expect(open.map(({ agent }) => agent)).toEqual(['execute']);
});

test('one that lives is left alone, and what stands in the folder for no reason is swept', async () => {
  const living = await reserveChat(here.run, 'n');
  const call = `${living.step}.chat.r1.0001.ab`;
  await here.run.spending.reserve({ call, agent: 'chat', model: 'm', worstUsd: 1 }, CAP);
  await mkdir(join(here.run.dir, 'asking'), { recursive: true });
  await writeFile(join(here.run.dir, 'asking/chat.torn.json'), '{"version":');
  expect(await settleAbandonedChats(here.run)).toBe(0);
  expect(await chats()).toMatchObject([{ call }]);
  expect(await asking()).toEqual([`${living.step}.json`]);
  await living.end();
});

test('the same question asked again after a crash is another call: what was lost and what was answered both count', async () => {
  const chat = await here.open();
  const nonce = { nonce: 'the same' };
  await askOf(chat, here.run, 'Which rules?', nonce);
  const first = (await chats()).map(({ call }) => call);
  const again = await reserveChat(here.run, 'the same');
  expect(first.some((call) => call.startsWith(again.step))).toBe(false);
  await again.end();
  expect(await asking()).toEqual([]);
});

test('whoever hangs up in mid-call has paid for it; who hangs up before a call is sent has not', async () => {
  const chat = await here.open();
  const leaving = new AbortController();
  const question: ChatQuestion = {
    run: here.run.dir,
    gate: 'HITL-1.r1',
    text: 'Which rules?',
    actor: 'user:ada',
    via: 'test',
    nonce: 'left',
  };
  await expect(
    chat.ask(
      question,
      (part) => {
        if (part.type === 'text') leaving.abort(new Error('left'));
      },
      leaving.signal,
    ),
  ).rejects.toThrow('left');
  const run = await here.app.deps.store.open(here.run.id);
  const books = (await run.spending.list()).filter(({ agent }) => agent === 'chat');
  expect(books.length).toBeGreaterThan(0);
  expect(books.every(({ reservedUsd }) => reservedUsd === 0)).toBe(true);
  // The stream had said what went in at least.
  expect(books.at(-1)).toMatchObject({ answers: 0, failed: 1 });
  expect(books.at(-1)?.usd).toBeGreaterThan(0);
  expect(await asking()).toEqual([]);
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(chat.ask({ ...question, nonce: 'gone' }, () => undefined, gone)).rejects.toThrow();
  expect(
    (await (await here.app.deps.store.open(here.run.id)).spending.list()).filter(({ agent }) => agent === 'chat'),
  ).toHaveLength(books.length);
});

test('a call is marked as sent before the provider hears of it, for as long as the question is answered', async () => {
  const said: unknown[] = [];
  const folder = join(here.run.dir, 'asking');
  await askOf(await here.open(), here.run, 'Which rules?', {}, (part) => {
    if (part.type === 'text')
      said.push(...readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown));
  });
  expect(said.length).toBeGreaterThan(0);
  for (const mark of said) expect(mark).toMatchObject({ said: 'sent', pid: process.pid });
});

test('a person is told of what was written off, and the run’s next step settles it too', async () => {
  await died(true, 0.25);
  const heard: unknown[] = [];
  const chat = await here.open();
  await chat.ask(
    { run: here.run.dir, gate: 'HITL-1.r1', text: 'Which rules?', actor: 'user:ada', via: 'test', nonce: 'told' },
    (part) => heard.push(part),
    live,
  );
  expect(heard).toContainEqual({ type: 'written_off', usd: 0.25 });
});
