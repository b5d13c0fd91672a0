import { appendFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileTranscripts } from '../../../src/adapters/files/file-transcripts.ts';
import { createEntry } from '../../contracts/run-store.contract.ts';
import { scratch } from '../../support/scratch.ts';

async function published() {
  const dir = await scratch();
  const transcripts = openFileTranscripts(dir);
  await transcripts.publish('init', [createEntry(1), createEntry(2)]);
  return { dir, transcripts, path: join(dir, 'transcripts/init.jsonl') };
}

const ids = async (dir: string) => (await openFileTranscripts(dir).read('init')).map(({ id }) => id);

test.each([
  '{"version":1,"id":"e3"',
  JSON.stringify(createEntry(3)),
  '\0\0\0\0',
  Buffer.from('{"text":"ä').subarray(0, -1),
])('a torn last line is dropped and repaired by the next writer: %j', async (torn) => {
  const { dir, path } = await published();
  await appendFile(path, torn);
  expect(await ids(dir)).toEqual(['e1', 'e2']);
  await openFileTranscripts(dir).publish('init', [createEntry(3), createEntry(4)]);
  expect(await ids(dir)).toEqual(['e1', 'e2', 'e3', 'e4']);
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(5);
});

test('the same writer repairs what another one tore', async () => {
  const { dir, transcripts, path } = await published();
  await appendFile(path, '{"half');
  await transcripts.publish('init', [createEntry(3)]);
  expect(await ids(dir)).toEqual(['e1', 'e2', 'e3']);
});

test('any other unreadable line is told with its number', async () => {
  const { dir, path, transcripts } = await published();
  const [first, second] = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, `${first}\n{"half\n${second}\n`);
  await expect(transcripts.read('init')).rejects.toMatchObject({
    code: 'data_corrupt',
    message: expect.stringContaining('transcripts/init.jsonl line 2'),
  });
  await expect(openFileTranscripts(dir).publish('init', [createEntry(3)])).rejects.toMatchObject({
    code: 'data_corrupt',
  });
});

test('an entry that two workers wrote counts once', async () => {
  const { dir, path } = await published();
  await appendFile(path, `${JSON.stringify(createEntry(2, 'again'))}\n`);
  const entries = await openFileTranscripts(dir).read('init');
  expect(entries).toEqual([createEntry(1), createEntry(2)]);
});

test('what is read again is what lies there now: more lines, a line twice, another line in the place of one', async () => {
  const { dir, transcripts, path } = await published();
  expect(await transcripts.read('init')).toEqual([createEntry(1), createEntry(2)]);
  await openFileTranscripts(dir).publish('init', [createEntry(3)]);
  await appendFile(path, `${JSON.stringify(createEntry(1, 'again'))}\n`);
  const three = [createEntry(1), createEntry(2), createEntry(3)];
  expect(await transcripts.read('init')).toEqual(three);
  (await transcripts.read('init')).pop();
  expect(await transcripts.read('init')).toEqual(three);
  await appendFile(path, '{"half\n');
  await expect(transcripts.read('init')).rejects.toThrow('transcripts/init.jsonl line 5');
  await writeFile(path, `${JSON.stringify(createEntry(1, 'other'))}\n`);
  expect(await transcripts.read('init')).toEqual([createEntry(1, 'other')]);
});

test('entries published at once all arrive, once', async () => {
  const { dir, transcripts } = await published();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      transcripts.publish('init', [createEntry(index + 1), createEntry(index + 2)]),
    ),
  );
  expect((await ids(dir)).toSorted()).toEqual(Array.from({ length: 21 }, (_, index) => `e${index + 1}`).toSorted());
});

test.each(['', '../init', 'a/b', 'Init', 'a b'])('no agent is named %j', async (agent) => {
  const { transcripts } = await published();
  await expect(transcripts.read(agent)).rejects.toMatchObject({ code: 'usage' });
  await expect(transcripts.publish(agent, [])).rejects.toMatchObject({ code: 'usage' });
});

test('a transcript that is a link is not followed', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'transcripts'));
  await symlink('/etc/hostname', join(dir, 'transcripts/init.jsonl'));
  await expect(openFileTranscripts(dir).read('init')).rejects.toMatchObject({ code: 'data_corrupt' });
});
