/** A run folder that was copied goes on where it lies: the run of the same id in the project is left alone. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastJson, makeProject, tandem } from '../support/cli.ts';

let project: string;
let elsewhere: string;
const RUN = 'scenarios/refund-desk/runs/desk-1';

beforeAll(async () => {
  project = await makeProject('refund-desk');
  elsewhere = await mkdtemp(join(tmpdir(), 'tandem-copies-'));
  const begun = await tandem(project, [
    'run',
    'refund-desk',
    '--profile',
    'demo',
    '--on-gate',
    'exit',
    '--id',
    'desk-1',
  ]);
  expect(begun.code).toBe(4);
});
afterAll(async () => {
  await rm(project, { recursive: true });
  await rm(elsewhere, { recursive: true });
});

const filesOf = async (dir: string) => (await readdir(dir, { recursive: true })).toSorted();
const copyOf = async (name: string): Promise<string> => {
  const dir = join(elsewhere, name, 'desk-1');
  await cp(join(project, RUN), dir, { recursive: true });
  return dir;
};
const resume = (path: string) =>
  tandem(project, ['resume', path, '--profile', 'demo', '--on-gate', 'auto:demo', '--json']);

test('named by its path it is the copy that is decided, continued and shown', async () => {
  const before = await filesOf(join(project, RUN));
  const copy = await copyOf('whole');
  const shown = await tandem(project, ['status', copy]);
  expect(shown.stdout).toMatch(/go on {4}tandem resume \S*whole\/desk-1/);
  const resumed = await resume(copy);
  expect(lastJson(resumed)).toMatchObject({ folder: copy, status: 'succeeded' });
  expect(resumed.code).toBe(0);
  expect(await filesOf(join(project, RUN))).toEqual(before);
  expect(lastJson(await tandem(project, ['status', 'desk-1', '--json']))).toMatchObject({
    status: 'awaiting_approval',
  });
});

test('with a damaged conversation it is refused before anything is paid or written, with the way to restore it', async () => {
  const copy = await copyOf('damaged');
  const transcript = join(copy, 'transcripts/init.jsonl');
  const lines = (await readFile(transcript, 'utf8')).split('\n');
  await writeFile(transcript, `${lines.slice(0, -4).join('\n')}\n`);
  const before = await filesOf(copy);
  const resumed = await resume(copy);
  expect(resumed.stderr).toContain('transcripts/init.jsonl is not as it was written');
  expect(resumed.stderr).toContain(`tandem fork ${copy} --at`);
  expect(resumed.code).toBe(8);
  expect(await filesOf(copy)).toEqual(before);
  const verified = await tandem(project, ['verify', copy]);
  expect(verified.stdout).toMatch(/BROKEN transcripts\/init/);
  expect(verified.code).toBe(1);
});
