/** A process whose step another one took over: it follows, ends when the run rests, and does not follow the dead. */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import type { ReadDeps, RunFolder } from '../../../src/ports/run-store.ts';
import { advance } from '../../../src/pipeline/drive/advance.ts';
import { driveToRest, followOtherProcess } from '../../../src/pipeline/drive/drive.ts';
import { begin, live, makeProject } from '../../support/project.ts';
import { created, designDone, started } from '../../support/run-events.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

let run: RunFolder;
let deps: ReadDeps;
let notices: string[];

beforeEach(async () => {
  const dir = await scratch();
  const clock = tickingClock();
  notices = [];
  const progress: ReadDeps['progress'] = (event) => void (event.type === 'state' && notices.push(event.detail));
  await mkdir(join(dir, 'desk'));
  deps = { store: openFileRunStore({ roots: [dir], clock, worker: 'test' }), clock, progress };
  run = await deps.store.create(join(dir, 'desk'), 'a');
  for (const [length, { body, actor }] of [created(), started()].entries())
    await run.journal.append(body, actor, length);
});

test('ends with the state in which the other brought the run to rest, and says from the start whom it follows', async () => {
  const following = followOtherProcess('a', { deps, silenceMs: 20_000 }, live);
  const { body, actor } = designDone(1);
  await run.journal.append(body, actor, 2);
  expect(await following).toMatchObject({ status: 'awaiting_approval' });
  expect(notices).toEqual([expect.stringMatching(/Another process carries run a on.*ends when it rests/)]);
});

test('ends when the other shows no sign of life, says how to go on, and a later try may help (exit code 6)', async () => {
  const following = followOtherProcess('a', { deps, silenceMs: 50 }, live);
  await expect(following).rejects.toMatchObject({
    code: 'attempt_lost',
    retryable: true,
    message: expect.stringContaining('tandem resume a'),
  });
});

test('a paid call is a sign of life', async () => {
  const turns = join(run.dir, 'wip/design.r1@other/turns');
  await mkdir(turns, { recursive: true });
  const stop = new AbortController();
  const following = followOtherProcess('a', { deps, silenceMs: 300 }, stop.signal);
  const ended = following.then(
    () => 'rested',
    (error: unknown) => (stop.signal.aborted ? 'stopped' : String(error)),
  );
  for (let call = 0; call < 8; call += 1) {
    await delay(100);
    await writeFile(join(turns, `${call}.json`), '{}');
  }
  stop.abort(new Error('Ctrl-C'));
  expect(await ended).toBe('stopped');
});

test('a command whose step is taken over ends as the run does, not with an error', async () => {
  const project = await makeProject();
  const others = await project.open();
  let onStep: () => void | Promise<void> = () => undefined;
  const mine = await project.open((event) => {
    if (event.type === 'step') void onStep();
  });
  try {
    const { id, dir } = await begin(project, mine, 'both');
    onStep = async () => {
      onStep = () => undefined;
      const wip = join(dir, 'wip');
      const [attempt = ''] = await readdir(wip);
      await rename(join(wip, attempt), join(wip, 'design.r1@somebody-else'));
      await advance(id, others.deps, live);
    };
    expect(await driveToRest(id, mine.deps, live)).toMatchObject({ status: 'awaiting_approval' });
  } finally {
    await Promise.all([mine.close(), others.close()]);
    await project.remove();
  }
});
