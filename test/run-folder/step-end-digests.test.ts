/** What the event of a step's end puts under a digest, and that each change to it is found. */
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRunStore } from '../../src/adapters/files/file-run-store.ts';
import type { RunFolder } from '../../src/ports/run-store.ts';
import type { EventBody } from '../../src/run/event.ts';
import {
  checkHandoffs,
  withTranscriptDigest,
  listDamagedTranscripts,
  refuseDamagedTranscripts,
} from '../../src/run-folder/transcript-digest.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { created, designDone, started } from '../support/run-events.ts';
import { scratch, tickingClock } from '../support/scratch.ts';

const HANDOFF = 'handoffs/001-init-to-execute.md';

const entry = (number: number, step: string): Entry => ({
  version: 1,
  id: `e${number}`,
  parents: number === 1 ? [] : [`e${number - 1}`],
  lane: 'main',
  step,
  type: 'message',
  origin: 'human',
  message: { role: 'user', content: [{ type: 'text', text: `words ${number}` }] },
});

async function ended(): Promise<RunFolder> {
  const root = await scratch();
  const store = openFileRunStore({ roots: [root], clock: tickingClock(), worker: 'w' });
  const run = await store.create(join(root, 'refund-desk'), 'run-1');
  await run.write(HANDOFF, 'the design is approved\n');
  await run.transcripts.publish('init', [entry(1, 'design.r1'), entry(2, 'design.r1')]);
  const { body, actor } = designDone(1);
  const done: EventBody = await withTranscriptDigest(run, body, { agent: 'init', step: 'design.r1' });
  for (const [length, one] of [created(), started(), { body: done, actor }].entries())
    await run.journal.append(one.body, one.actor, length);
  return run;
}

const damage = async (run: RunFolder) =>
  (await listDamagedTranscripts(run, await run.journal.read())).map(({ seq }) => seq);

test('an event that ends no step is left as it is', async () => {
  const run = await ended();
  const { body } = started();
  expect(await withTranscriptDigest(run, body, { agent: 'init', step: 'design.r1' })).toBe(body);
});

test('later steps of the same agent change nothing for the earlier one', async () => {
  const run = await ended();
  await run.transcripts.publish('init', [entry(3, 'design.r2')]);
  expect(await damage(run)).toEqual([]);
  await refuseDamagedTranscripts(run, await run.journal.read());
});

test.each([
  ['missing', (path: string) => rm(path)],
  ['shorter', (path: string) => writeFile(path, `${JSON.stringify(entry(1, 'design.r1'))}\n`)],
  ['longer', (path: string) => appendFile(path, `${JSON.stringify(entry(3, 'design.r1'))}\n`)],
])('a conversation that is %s is damaged, and nobody goes on from it', async (_how, change) => {
  const run = await ended();
  await change(join(run.dir, 'transcripts/init.jsonl'));
  expect(await damage(run)).toEqual([2]);
  await expect(refuseDamagedTranscripts(run, await run.journal.read())).rejects.toMatchObject({ code: 'data_corrupt' });
});

test('a field that this program does not know is part of the digest', async () => {
  const run = await ended();
  const lines = [entry(1, 'design.r1'), entry(2, 'design.r1')].map((one) => JSON.stringify({ ...one, later: true }));
  await writeFile(join(run.dir, 'transcripts/init.jsonl'), `${lines.join('\n')}\n`);
  expect(await damage(run)).toEqual([2]);
});

test('hand-offs are held against the newest event that names them', async () => {
  const run = await ended();
  expect(await checkHandoffs(run, await run.journal.read())).toBe('1 files, as event 2 recorded them');
  await run.write(HANDOFF, 'the design is rejected\n');
  await expect(checkHandoffs(run, await run.journal.read())).rejects.toThrow('is not as event 2 recorded it');
  await rm(join(run.dir, HANDOFF));
  await expect(checkHandoffs(run, await run.journal.read())).rejects.toThrow('is missing');
});

test('a run of an older program says nothing of either, and goes on', async () => {
  const run = await ended();
  const events = (await run.journal.read()).map((event) => {
    if (event.body.type !== 'design.done') return event;
    const { transcript: _one, handoffs: _other, ...body } = event.body;
    return { ...event, body };
  });
  expect(await listDamagedTranscripts(run, events)).toEqual([]);
  expect(await checkHandoffs(run, events)).toContain('not recorded');
});
