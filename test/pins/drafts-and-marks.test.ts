/** Files beside the record of a run: written today, they are read by every later version. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileDrafts } from '../../src/adapters/files/file-drafts.ts';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import { listMarks, openLiveMark } from '../../src/disk/live-mark.ts';
import { openSharedFiles } from '../../src/disk/shared-files.ts';
import { SpendPack } from '../../src/adapters/files/spend-ledger.ts';
import { sha256 } from '../../src/disk/sha256.ts';
import { scratch } from '../support/scratch.ts';

const ADA = 'fdee430d40bd57deeac186cd.json';

test('a draft: drafts/<hash of the name>.json', async () => {
  const dir = await scratch();
  const written = { gate: 'HITL-1.r1', digest: 'd', field: 'on.R1', text: 'x' };
  await openFileDrafts().change(dir, 'ada', async () => [written]);
  const [name = ''] = await readdir(join(dir, 'drafts'));
  expect([name, JSON.parse(await readFile(join(dir, 'drafts', name), 'utf8'))]).toEqual([
    ADA,
    { version: 1, who: 'ada', written: [written] },
  ]);
});

test('marks of what was reviewed stand with the drafts, and a file without them is read', async () => {
  const dir = await scratch();
  const drafts = openFileDrafts();
  await drafts.mark(dir, 'ada', { mark: 'R1:0123456789abcdef', isSet: true });
  expect(JSON.parse(await readFile(join(dir, 'drafts', ADA), 'utf8'))).toEqual({
    ...{ version: 1, who: 'ada', written: [], reviewed: ['R1:0123456789abcdef'] },
  });
  await writeFile(join(dir, 'drafts', ADA), JSON.stringify({ version: 1, who: 'ada', written: [] }));
  expect(await drafts.marks(dir, 'ada')).toEqual([]);
});

test('the mark of a question that is being answered: asking/<step>.json', async () => {
  const dir = await scratch();
  const mark = await openLiveMark(openSharedFiles(dir), 'asking/chat.x.json');
  const shape = JSON.parse(await readFile(join(dir, 'asking/chat.x.json'), 'utf8')) as object;
  expect(Object.keys(shape)).toEqual(['version', 'place', 'pid', 'until', 'said']);
  await mark.end();
  const old = { version: 1, place: 'host', pid: 7, until: '2026-11-20T12:00:00.000Z', said: 'sent' };
  await writeFile(join(dir, 'asking/chat.y.json'), JSON.stringify(old));
  expect(await listMarks(openSharedFiles(dir), 'asking')).toEqual([{ name: 'chat.y', alive: false, said: 'sent' }]);
});

test('a line of the books that writes a reservation off', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'spend'));
  const lines = [
    { version: 1, type: 'reserved', call: 'chat.x', agent: 'chat', model: 'm', usd: 2 },
    { version: 1, type: 'written_off', call: 'chat.x', usd: 2 },
  ];
  await writeFile(join(dir, 'spend/000000.json'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await openFileSpending(dir).list()).toEqual([
    { call: 'chat.x', agent: 'chat', model: 'm', reservedUsd: 0, usd: 0, uncertainUsd: 2, answers: 0, failed: 1 },
  ]);
});

test('lines of the books: a second try, a failed one, and an answer that did not say all it used', async () => {
  const dir = await scratch();
  await mkdir(join(dir, 'spend'));
  const usage = {
    input_tokens: 9,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  };
  const by = { place: 'host', pid: 7, at: '2026-11-22T12:00:00.000Z' };
  const lines = [
    { version: 1, type: 'reserved', call: 'c', agent: 'init', model: 'm', usd: 2, by },
    { version: 1, type: 'failed', call: 'c', usd: 0.5, uncertainUsd: 1, usage },
    { version: 1, type: 'reserved', call: 'c', agent: 'init', model: 'm', usd: 2, nth: 1, batch: true, by },
    { version: 1, type: 'settled', call: 'c', usd: 0.25, usage, ms: 7, nth: 1, uncertainUsd: 0.125 },
  ];
  await writeFile(join(dir, 'spend/000000.json'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await openFileSpending(dir).list()).toEqual([
    {
      ...{
        call: 'c',
        agent: 'init',
        model: 'm',
        reservedUsd: 0,
        usd: 0.75,
        uncertainUsd: 1.125,
        answers: 1,
        failed: 1,
      },
      ...{ unlikelyUsd: 0.5, usage, ms: 7 },
    },
  ]);
});

test('spend/packed.jsonl: a line that says where each file of the ledger was, and their texts', async () => {
  const dir = await scratch();
  const text = '{"version":1,"type":"reserved","call":"c0","agent":"init","model":"m","usd":2}\n';
  const head = SpendPack.parse({ version: 1, files: [{ sha256: sha256(text), bytes: text.length }] });
  await mkdir(join(dir, 'spend'));
  await writeFile(join(dir, 'spend/packed.jsonl'), `${JSON.stringify(head)}\n${text}`);
  expect(await openFileSpending(dir).list()).toMatchObject([{ call: 'c0', reservedUsd: 2 }]);
});
