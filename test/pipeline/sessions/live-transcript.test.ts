/** The live transcript: whole lines in their order, and a full disk is heard of. */
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAttempt } from '../../../src/adapters/files/file-artifacts.ts';
import { openLiveTranscript } from '../../../src/pipeline/sessions/live-transcript.ts';
import { scratch } from '../../support/scratch.ts';

test('what the agent says is written in order, while it goes on', async () => {
  const dir = await scratch();
  const live = await openLiveTranscript(createAttempt('design.r1', dir, 'design/r1'));
  for (let id = 1; id <= 50; id += 1) {
    live.add({ id });
    if (id % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await live.written();
  const lines = (await readFile(join(dir, 'transcript.jsonl'), 'utf8')).trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
});

test('what cannot be written is told to whoever writes next and to the end of the step', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'mine'));
  const live = await openLiveTranscript(createAttempt('design.r1', join(dir, 'mine'), 'design/r1'));
  await rename(join(dir, 'mine'), join(dir, 'theirs'));
  live.add({ id: 1 });
  await expect(live.written()).rejects.toMatchObject({ code: 'infrastructure', retryable: true });
  expect(() => live.add({ id: 2 })).toThrow(/transcript\.jsonl/);
});
