/** A replay that was killed goes on with the next answer to a request, never with one that was used before. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { openRecording } from '../../../src/adapters/recorded/open-recording.ts';
import { openReplay } from '../../../src/adapters/recorded/open-replay.ts';
import { countAnsweredCalls } from '../../../src/pipeline/spending/answered-call-counts.ts';
import { createPaidModel } from '../../../src/pipeline/spending/paid-model.ts';
import type { Model } from '../../../src/ports/model.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { contractRequest } from '../../contracts/model.contract.ts';
import { facts, say } from '../../support/responses.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';
import { scriptedModel } from '../../support/scripted-model.ts';

const { signal } = new AbortController();
const WORDS = ['first', 'second', 'third', 'fourth'];

async function recording(): Promise<string> {
  const dir = await scratch();
  const model = (await openRecording(dir, { simulated: true, endpoint: 'x' })).model(
    scriptedModel(WORDS.map((word) => say(word))),
  );
  for (const _ of WORDS) await model.call(contractRequest, signal);
  return dir;
}

async function begin(id: string) {
  const root = await scratch();
  await mkdir(join(root, 'desk'));
  const store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });
  const run = await store.create(join(root, 'desk'), id);
  return { run, attempt: () => run.artifacts.begin('execute.i1', 'execution_outputs/iteration_1', []) };
}

/** Asks the one request as the first call of a trial's own lane, as `trials` of a sample do. */
async function trial(
  number: number,
  run: RunFolder,
  attempt: Awaited<ReturnType<RunFolder['artifacts']['begin']>>,
  model: Model,
) {
  const options = { model, facts: facts({}), attempt, spending: run.spending, capUsd: 10, agent: 'subject' };
  const answer = await createPaidModel({ ...options, lane: `subject/s1.${number}`, onPaid: () => undefined }).call(
    contractRequest,
    signal,
  );
  return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

test('after a kill each trial that is left gets an answer of its own, and none that another had', async () => {
  const dir = await recording();
  const { run, attempt } = await begin('run-1');
  const first = await attempt();
  expect(await countAnsweredCalls([run])).toEqual(new Map());
  const before = await openReplay(dir);
  expect(await trial(1, run, first, before.model)).toBe('first');
  // Killed after the answer was remembered and before it was settled.
  const killed = { ...run, spending: { ...run.spending, settle: async () => Promise.reject(new Error('killed')) } };
  await expect(trial(2, killed, first, before.model)).rejects.toThrow('killed');

  const answered = await countAnsweredCalls([run]);
  expect([...answered.values()]).toEqual([2]);
  const again = await openReplay(dir, answered);
  const second = await attempt();
  expect(await trial(1, run, second, again.model)).toBe('first');
  expect(await trial(2, run, second, again.model)).toBe('second');
  expect(await trial(3, run, second, again.model)).toBe('third');
});

test('answers that were remembered together count each', async () => {
  const dir = await recording();
  const { run, attempt } = await begin('run-1');
  const first = await attempt();
  const { model } = await openReplay(dir);
  const killed = { ...run, spending: { ...run.spending, settle: async () => Promise.reject(new Error('killed')) } };
  await Promise.allSettled([1, 2, 3].map((number) => trial(number, killed, first, model)));
  expect([...(await countAnsweredCalls([run])).values()]).toEqual([3]);
});

test('a call that was in flight is asked again and gets the same answer; what other runs of a batch used is counted', async () => {
  const dir = await recording();
  const [one, two] = [await begin('run-1'), await begin('run-2')];
  const attempt = await one.attempt();
  await trial(1, one.run, attempt, (await openReplay(dir)).model);
  // Reserved, and no answer came.
  const away: Model = { call: () => Promise.reject(new Error('killed')) };
  const spending = { ...two.run.spending, release: async () => undefined };
  await expect(trial(1, { ...two.run, spending }, await two.attempt(), away)).rejects.toThrow('killed');
  const { model } = await openReplay(dir, await countAnsweredCalls([one.run, two.run]));
  expect(await trial(1, two.run, await two.attempt(), model)).toBe('second');
});
