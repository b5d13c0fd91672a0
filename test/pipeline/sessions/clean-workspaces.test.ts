/** Old workspaces are freed, and never those of a run that could go on (S3.7). */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLEANED_AFTER_MS, cleanWorkspaces } from '../../../src/pipeline/sessions/clean-workspaces.ts';
import { readAllTranscripts } from '../../../src/pipeline/sessions/read-sessions.ts';
import type { Entry } from '../../../src/transcript/entry.ts';
import { cancelled } from '../../support/run-events.ts';
import { LIFE, put, runsIn, talk } from '../../support/sessions.ts';
import { scratch } from '../../support/scratch.ts';

const ATTEMPT = 'wip/execute.i1@w-1/turns/execute.0001.json';
const old = { olderThanMs: CLEANED_AFTER_MS, dryRun: false };

describe('S3.7: cleaning', () => {
  test('frees the workspace of a run that ended more than 7 days ago, and says how much', async () => {
    const { deps, make, at } = runsIn(await scratch());
    const run = await make('ended', LIFE.done());
    await put(run, ATTEMPT, 'x'.repeat(100));
    await put(run, 'out/report.html', 'kept');
    await put(run, 'transcripts/init.jsonl', '');
    at('2026-11-27T09:59:59.000Z');
    expect(await cleanWorkspaces(old, deps)).toEqual({
      cleaned: [],
      kept: [{ run: 'ended', why: 'it ended not long enough ago' }],
    });
    at('2026-11-27T10:00:00.000Z');
    const { cleaned, kept } = await cleanWorkspaces(old, deps);
    expect(cleaned).toEqual([
      { run: 'ended', scenario: 'refund-desk', path: join(run.dir, 'wip'), bytes: 100, files: 1 },
    ]);
    expect(kept).toEqual([]);
    expect((await readdir(run.dir)).toSorted()).toEqual(['events', 'out', 'program.json', 'transcripts']);
    expect(await cleanWorkspaces(old, deps)).toEqual({ cleaned: [], kept: [] });
  });

  test.each(['live', 'gated', 'stopped'] as const)('never touches a %s run, however old it is', async (life) => {
    const { deps, make, at } = runsIn(await scratch());
    const run = await make('going', LIFE[life]());
    await put(run, ATTEMPT, 'paid');
    at('2036-01-01T00:00:00.000Z');
    const { cleaned, kept } = await cleanWorkspaces({ ...old, olderThanMs: 0 }, deps);
    expect(cleaned).toEqual([]);
    expect(kept[0]?.why).toMatch(/^it is (designing|awaiting_approval|paused)$/);
    expect(existsSync(join(run.dir, ATTEMPT))).toBe(true);
  });

  test('a dry run says the same and frees nothing', async () => {
    const { deps, make, at } = runsIn(await scratch());
    const run = await make('ended', LIFE.done());
    await put(run, ATTEMPT, 'xx');
    at('2027-01-01T00:00:00.000Z');
    expect((await cleanWorkspaces({ ...old, dryRun: true }, deps)).cleaned).toMatchObject([{ bytes: 2 }]);
    expect(existsSync(join(run.dir, ATTEMPT))).toBe(true);
  });

  test('a run whose journal cannot be read keeps everything, and the others are cleaned', async () => {
    const { deps, make, at } = runsIn(await scratch());
    const broken = await make('broken', LIFE.done());
    await put(broken, ATTEMPT, 'x');
    await put(broken, 'events/000001.json', '{"torn');
    await put(await make('ended', LIFE.done()), ATTEMPT, 'x');
    at('2027-01-01T00:00:00.000Z');
    const { cleaned, kept } = await cleanWorkspaces(old, deps);
    expect(cleaned.map(({ run }) => run)).toEqual(['ended']);
    expect(kept).toMatchObject([{ run: 'broken', why: expect.stringContaining('cannot be read') }]);
  });

  test('a link is not followed: neither in the place of the workspace, nor inside of it', async () => {
    const dir = await scratch();
    const { deps, make, at } = runsIn(dir);
    const elsewhere = join(dir, 'elsewhere');
    await mkdir(elsewhere);
    const precious = await make('precious', LIFE.done());
    await put(precious, '../../../../elsewhere/a.txt', 'precious');
    await symlink(elsewhere, join(precious.dir, 'wip'));
    const inner = await make('inner', LIFE.done());
    await put(inner, ATTEMPT, 'x');
    await symlink(elsewhere, join(inner.dir, 'wip/link'));
    at('2027-01-01T00:00:00.000Z');
    expect((await cleanWorkspaces(old, deps)).cleaned.map(({ run }) => run)).toEqual(['inner']);
    expect(await readdir(elsewhere)).toEqual(['a.txt']);
    await rm(join(precious.dir, 'wip'));
  });
});

describe('S3.7: what was said is published before anything is cleaned', () => {
  const LIVE = 'wip/execute.i1@w-1/transcript.jsonl';
  const lines = (entries: readonly Entry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const before = talk([{ harness: 'the task' }, { model: 'a plan' }], 'execute.i0');
  const said = talk([{}, {}, { harness: 'build' }, { model: 'half of it' }, { model: 'more' }], 'execute.i1')
    .slice(2)
    .map((entry, place): Entry => (place === 2 ? { ...entry, lane: 'subagent-00000001' } : entry));

  /** A run that was cancelled in the middle of a step, eight days ago. */
  async function cancelledRun() {
    const { deps, make, at } = runsIn(await scratch());
    const run = await make('cancelled', [...LIFE.live(), cancelled()]);
    await run.transcripts.publish('execute', before);
    at('2026-11-28T10:00:00.000Z');
    return { run, deps };
  }

  test('every lane of a step that was cancelled half-way is in the transcript, and the report says so', async () => {
    const { run, deps } = await cancelledRun();
    await put(run, LIVE, `${lines(said)}{"torn`);
    expect((await cleanWorkspaces({ ...old, dryRun: true }, deps)).cleaned).toMatchObject([{ published: 3 }]);
    expect(await run.transcripts.read('execute')).toEqual(before);
    const shown = await readAllTranscripts(run);
    expect((await cleanWorkspaces(old, deps)).cleaned).toMatchObject([{ run: 'cancelled', published: 3 }]);
    expect(existsSync(join(run.dir, 'wip'))).toBe(false);
    expect(await run.transcripts.read('execute')).toEqual([...before, ...said]);
    expect(await readAllTranscripts(run)).toEqual(shown);
  });

  test('the attempt that got furthest is published once; a step that has ended stays as it was', async () => {
    const { run, deps } = await cancelledRun();
    await put(run, 'wip/execute.i1@w-0/transcript.jsonl', lines(said.slice(0, 1)));
    await put(run, LIVE, lines(said));
    await put(run, 'wip/execute.i0@w-0/transcript.jsonl', lines(before.slice(0, 1)));
    expect((await cleanWorkspaces(old, deps)).cleaned).toMatchObject([{ published: 3 }]);
    expect(await run.transcripts.read('execute')).toEqual([...before, ...said]);
  });

  test.each([
    ['a line that this program cannot read', [], lines(said).replace('"message"', '"of tomorrow"')],
    ['a line that is no JSON', [], `no json\n${lines(said)}`],
    [
      'entries that a published step has no room for',
      said,
      lines(said.map((entry) => ({ ...entry, step: 'execute.i0' }))),
    ],
  ])('%s: the workspace stays, with the reason', async (_name, published, text) => {
    const { run, deps } = await cancelledRun();
    await run.transcripts.publish('execute', [...before, ...published]);
    await put(run, LIVE, text);
    const { cleaned, kept } = await cleanWorkspaces(old, deps);
    expect(cleaned).toEqual([]);
    expect(kept).toMatchObject([{ run: 'cancelled', why: expect.stringContaining('cannot be published') }]);
    expect(existsSync(join(run.dir, LIVE))).toBe(true);
  });
});
