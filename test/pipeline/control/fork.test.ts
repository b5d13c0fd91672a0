/** A fork knows how long ago its agents spoke in the run that it comes from, and what their answers took (T28). */
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CallRecord } from '../../../src/transcript/call-record.ts';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import { computeIdleMs } from '../../../src/pipeline/steps/cache-expiry.ts';
import { forkRun } from '../../../src/pipeline/control/fork.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import { createUserMessage } from '../../../src/transcript/message.ts';
import { created, decided, designDone, started } from '../../support/run-events.ts';
import { scratch } from '../../support/scratch.ts';

const HOUR = 3_600_000;

const entry = (id: string, step: string): Entry => ({
  ...{ version: 1, id, parents: [], lane: 'main', step, type: 'message', origin: 'harness' },
  message: createUserMessage(id),
});

/** Init hands its design in after an hour, changes are asked for after two. */
function callOf(step: string): CallRecord {
  return {
    ...{ version: 1, id: `${step}.main.0001`, agent: 'init', lane: 'main', step, purpose: 'answer', model: 'm' },
    ...{ decisions: [], rewrites: [], outcome: 'answered' },
  };
}

async function anHourAgo() {
  const scenarioDir = join(await scratch(), 'refund-desk');
  await mkdir(scenarioDir);
  const time = { now: Date.parse('2026-11-20T10:00:00.000Z') };
  const clock = { now: () => new Date(time.now) };
  const store = openFileRunStore({ roots: [scenarioDir], clock, worker: 'w' });
  const run = await store.create(scenarioDir, 'first');
  for (const path of ['scenario', 'design/r1', 'gates/HITL-1.r1', 'handoffs'])
    await mkdir(join(run.dir, path), { recursive: true });
  const story = [created(), started(), designDone(1), decided(1, 'request_changes')];
  for (const [length, { body, actor }] of story.entries()) {
    if (length > 1) time.now += HOUR;
    await run.journal.append(body, actor, length);
  }
  await run.transcripts.publish('init', [entry('e1', 'design.r1'), entry('e2', 'design.r1'), entry('e3', 'design.r2')]);
  await run.transcripts.record('init', [callOf('design.r1'), callOf('design.r2')]);
  const fork = async (from: typeof run, id: string, at?: number) => {
    const options = { actor: 'user:ada', id, scenarioDir, ...(at === undefined ? {} : { at }) };
    return (await forkRun(from, options, { store, clock, progress: () => undefined })).run;
  };
  return { run, store, time, fork, scenarioDir };
}

test('nothing is forked from a run whose first event is not there yet', async () => {
  const { store, fork, scenarioDir } = await anHourAgo();
  const empty = await store.create(scenarioDir, 'empty');
  for (const at of [undefined, 1])
    await expect(fork(empty, 'second', at)).rejects.toThrow('Run empty has not begun yet: there is nothing to fork.');
});

test('its prompt cache is as cold as the time since the agent spoke, wherever that was', async () => {
  const { run, time, fork } = await anHourAgo();
  expect(computeIdleMs(await run.journal.read(), 'init')).toBe(HOUR);
  time.now += 5 * HOUR;
  const forked = await fork(run, 'second');
  expect(computeIdleMs(await forked.journal.read(), 'init')).toBe(6 * HOUR);
  expect(computeIdleMs(await forked.journal.read(), 'execute')).toBe(0);
  time.now += 2 * HOUR;
  const again = await fork(forked, 'third');
  expect(computeIdleMs(await again.journal.read(), 'init')).toBe(8 * HOUR);
});

test('a gate that is answered in the fork counts from the design of the first run; a step of its own from itself', async () => {
  const { run, time, fork } = await anHourAgo();
  time.now += 4 * HOUR;
  const forked = await fork(run, 'second', 2);
  time.now += HOUR;
  const asked = decided(1, 'request_changes');
  await forked.journal.append(asked.body, asked.actor, 3);
  expect(computeIdleMs(await forked.journal.read(), 'init')).toBe(6 * HOUR);
  const own = designDone(2);
  await forked.journal.append(own.body, own.actor, 4);
  time.now += HOUR;
  const more = decided(2, 'request_changes');
  await forked.journal.append(more.body, more.actor, 5);
  expect(computeIdleMs(await forked.journal.read(), 'init')).toBe(HOUR);
});

test('a fork of before, which says nothing of it, is taken by its own times', async () => {
  const { run, time, fork } = await anHourAgo();
  time.now += HOUR;
  const events = await (await fork(run, 'second')).journal.read();
  const [birth, ...rest] = events;
  if (birth?.body.type !== 'run.created' || birth.body.forkedFrom === undefined) throw new Error('no fork');
  const { run: name, seq } = birth.body.forkedFrom;
  expect(computeIdleMs([{ ...birth, body: { ...birth.body, forkedFrom: { run: name, seq } } }, ...rest], 'init')).toBe(
    0,
  );
});

test('the records of calls come along with the steps that do, and with no others', async () => {
  const { run, fork } = await anHourAgo();
  const forked = await fork(run, 'second');
  expect((await forked.transcripts.read('init')).map(({ id }) => id)).toEqual(['e1', 'e2']);
  expect(await forked.transcripts.calls('init')).toEqual([callOf('design.r1')]);
  expect(await forked.transcripts.calls('execute')).toEqual([]);
});

test('a fork that fails in the middle leaves nothing: no run, no folder, and its name is free', async () => {
  const { run, fork } = await anHourAgo();
  const runs = dirname(run.dir);
  const read = run.transcripts.read.bind(run.transcripts);
  run.transcripts.read = () => Promise.reject(new Error('the disk went away'));
  await expect(fork(run, 'second')).rejects.toThrow('the disk went away');
  expect(await readdir(runs)).toEqual(['first']);
  run.transcripts.read = read;
  expect((await fork(run, 'second')).id).toBe('second');
  expect((await readdir(runs)).toSorted()).toEqual(['first', 'second']);
});

test('until it is whole nobody finds it, also when its process is killed', async () => {
  const { run, store, fork } = await anHourAgo();
  const read = run.transcripts.read.bind(run.transcripts);
  let seen: string[] = [];
  run.transcripts.read = async (agent) => {
    seen = (await store.list()).map(({ id }) => id);
    return read(agent);
  };
  await fork(run, 'second');
  expect(seen).toEqual(['first']);
});
