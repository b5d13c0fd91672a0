/** `tandem sessions search` and `index`: past sessions by what was said in them (S3.12). */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqliteMemory } from '../../../src/adapters/memory/sqlite-memory.ts';
import { rememberRun } from '../../../src/app/open-memory.ts';
import { indexSessions, searchSessions } from '../../../src/cli/sessions/search.ts';
import { LIFE, runsIn, talk } from '../../support/sessions.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo } from '../fake-io.ts';

async function project() {
  const dir = await scratch();
  const runs = runsIn(dir);
  const run = await runs.make('done-1', LIFE.done());
  await run.transcripts.publish(
    'init',
    talk([{ human: 'Gift cards: 退款退回礼品卡 \u001b[31mred' }, { model: 'cards, then' }]),
  );
  const lane = talk([{ human: 'lane' }]).map((entry) => ({ ...entry, lane: 'x\u001b[31m' }));
  await run.transcripts.publish('execute', lane);
  const gated = await runs.make('gated-1', LIFE.gated());
  await gated.transcripts.publish('init', talk([{ human: 'gift cards too' }]));
  return { dir, runs, io: fakeIo(dir), index: join(dir, '.tandem/memory/refund-desk.sqlite') };
}

describe('S3.12: search', () => {
  test('names session, entry and what was said around it, without any indexing by hand; nothing drives a terminal', async () => {
    const { io, index } = await project();
    expect(await searchSessions(['gift', 'cards'], {}, io)).toBe(0);
    expect(io.lines.slice(0, 2)).toEqual([
      'done-1/init  e1  refund-desk, rejected, session',
      expect.stringMatching(/^ {2}Gift cards: 退款退回礼品卡/),
    ]);
    expect(io.lines.join()).not.toContain('\u001b');
    expect(existsSync(index)).toBe(true);
    await searchSessions(['lane'], {}, io);
    expect(io.lines.join()).toMatch(/done-1\/execute\/x[\s\S]*e1/);
    expect(io.lines.join()).not.toContain('\u001b');
  });

  test('--json is one array without the whole texts; --level and --limit hold', async () => {
    const { io } = await project();
    await searchSessions(['礼品'], { json: true }, io);
    expect(JSON.parse(io.lines.at(-1) ?? '')).toMatchObject([
      { run: 'done-1', agent: 'init', entry: 'e1', snippet: expect.stringContaining('礼品') },
    ]);
    expect(io.lines.at(-1)).not.toContain('"text"');
    await searchSessions(['cards'], { json: true, level: 'conversation' }, io);
    expect(JSON.parse(io.lines.at(-1) ?? '')).toMatchObject([{ entry: 'e2' }]);
    await searchSessions(['cards'], { json: true, limit: '1' }, io);
    expect(JSON.parse(io.lines.at(-1) ?? '')).toHaveLength(1);
  });

  test('what was never said is said to be; hostile words are words', async () => {
    const { io } = await project();
    for (const words of ['nothing-like-it', '"', 'NEAR(', '*', 'x'.repeat(100_000)])
      await searchSessions([words], {}, io);
    expect(io.lines.every((line) => line.startsWith('Nothing that was said'))).toBe(true);
    expect(io.errors).toEqual([]);
  });

  test.each([
    [[' '], {}, 'usage'],
    [['x'], { level: 'all' }, 'usage'],
    [['x'], { limit: '0' }, 'usage'],
    [['x'], { scenario: 'other' }, 'not_found'],
  ] as const)('%j with %j is refused', async (words, flags, code) => {
    const { io } = await project();
    await expect(searchSessions(words, flags, io)).rejects.toMatchObject({ code });
  });

  test('where there can be no index the transcripts are searched all the same', async () => {
    const { dir, io } = await project();
    await writeFile(join(dir, '.tandem'), 'in the way');
    await searchSessions(['gift'], {}, io);
    expect(io.lines[0]).toContain('done-1/init');
    expect(io.errors.join()).toMatch(/index of past sessions cannot be opened[\s\S]*Going on without it/);
  });
});

describe('S3.12: index', () => {
  test('makes anew what was deleted or is wrong, from the transcripts alone', async () => {
    const { io, index } = await project();
    expect(await indexSessions({}, io)).toBe(0);
    expect(io.lines).toEqual(['refund-desk: 3 entries of 1 ended run can be searched.']);
    await rm(index);
    await indexSessions({ json: true }, io);
    expect(JSON.parse(io.lines.at(-1) ?? '')).toEqual([
      { scenario: 'refund-desk', runs: 1, items: 3, forgotten: [], unreadable: [] },
    ]);
  });

  test('a run is taken in when it ends; where that fails it is told, and the run is no worse', async () => {
    const { dir, runs, index } = await project();
    const home = { project: dir, shipped: dir };
    const told: string[] = [];
    const remember = async (id: string) =>
      rememberRun(home, await runs.deps.store.open(id), (line) => void told.push(line));
    const known = async () => {
      const memory = await openSqliteMemory(index);
      const found = await memory.runs();
      await memory.close();
      return found;
    };
    await remember('done-1');
    await remember('done-1');
    await remember('gated-1');
    expect(await known()).toEqual(['done-1']);
    expect(told).toEqual([]);
    await rm(join(dir, '.tandem'), { recursive: true });
    await writeFile(join(dir, '.tandem'), 'in the way');
    await remember('done-1');
    expect(told.join()).toMatch(/done-1 is not in the index of past sessions yet/);
  });

  test('without runs there is nothing to index', async () => {
    const io = fakeIo(await scratch());
    await indexSessions({}, io);
    expect(io.lines.join()).toMatch(/^No runs yet/);
  });
});
