/** Old workspaces are freed, and never those of a run that could go on (S3.7). */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLEANED_AFTER_MS, cleanWorkspaces } from '../../../src/pipeline/sessions/clean-workspaces.ts';
import { LIFE, put, runsIn } from '../../support/sessions.ts';
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
    expect((await readdir(run.dir)).toSorted()).toEqual(['events', 'out', 'transcripts']);
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
