/** A run that is stopped while a summary is being asked for, and again right after one was accepted. */
import { rm } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import type { ProgressEvent } from '../../src/ports/progress.ts';
import { makeProject } from '../support/cli.ts';
import { approveAll, openOn } from '../support/project.ts';

const dir = await makeProject('refund-desk');
afterAll(() => rm(dir, { recursive: true, force: true }));

const open = (onEvent?: (event: ProgressEvent) => void) =>
  openOn(dir, 'refund-desk', { profile: 'demo', flags: { simulator: { latency_ms: 0 } } }, onEvent);

/** Stops at the n-th compaction event of the given outcome. */
async function stoppedAt(run: string, outcome: 'started' | 'accepted', nth: number): Promise<void> {
  const stop = new AbortController();
  let seen = 0;
  const { app } = await open((event) => {
    if (event.type === 'compaction' && event.outcome === outcome && (seen += 1) === nth)
      stop.abort(new Error('killed'));
  });
  try {
    await expect(approveAll(app, run, stop.signal)).rejects.toThrow('killed');
  } finally {
    await app.close();
  }
}

test('ends as if nothing had happened: each compaction once, the old one folded in, no message lost (T31)', async () => {
  const first = await open();
  const [calm, shaken] = [await first.begin('calm'), await first.begin('shaken')];
  expect(await approveAll(first.app, calm.id)).toMatchObject({ status: 'succeeded' });

  await stoppedAt(shaken.id, 'started', 1);
  await stoppedAt(shaken.id, 'accepted', 1);
  await stoppedAt(shaken.id, 'started', 3);
  expect(await approveAll(first.app, shaken.id)).toMatchObject({ status: 'succeeded', round: 2, iteration: 3 });
  await first.app.close();

  for (const agent of ['init', 'execute']) {
    const [quiet, after] = [await calm.transcripts.read(agent), await shaken.transcripts.read(agent)];
    expect(after.map((entry) => entry.type)).toEqual(quiet.map((entry) => entry.type));
    expect(after.map((entry) => entry.id)).toEqual(after.map((_, index) => `e${index + 1}`));
    const compactions = after.filter((entry) => entry.type === 'compaction');
    expect(compactions.length).toBeGreaterThan(0);
    expect(new Set(compactions.map((entry) => entry.coversThrough)).size).toBe(compactions.length);
  }
});
