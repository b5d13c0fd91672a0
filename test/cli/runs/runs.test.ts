/** Runs of the golden ones are listed and deleted, and one that an earlier version archived is named with its remedy. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { verifyCommand } from '../../../src/cli/run/control.ts';
import { statusCommand } from '../../../src/cli/run/status.ts';
import { pruneCommand } from '../../../src/cli/runs/order-many.ts';
import { openStore } from '../../../src/app/open-store.ts';
import { findHome } from '../../../src/config/home.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo, type FakeIo } from '../fake-io.ts';

let dir = '';
let runs = '';
let io: FakeIo;

beforeEach(async () => {
  dir = await scratch();
  runs = join(dir, 'scenarios/golden-desk/runs');
  await mkdir(runs, { recursive: true });
  await cp('templates/scenario', join(dir, 'scenarios/golden-desk'), { recursive: true });
  const yaml = join(dir, 'scenarios/golden-desk/scenario.yaml');
  await writeFile(
    yaml,
    (await readFile(yaml, 'utf8')).replaceAll('__NAME__', 'golden-desk').replaceAll('__TITLE__', 'x'),
  );
  const input = brotliDecompressSync(await readFile('test/golden-runs/november-22.tar.br'));
  execFileSync('tar', ['-xf', '-', './finished', './waiting-r1', './errored'], { cwd: runs, input });
  io = fakeIo(dir);
});

afterEach(() => {
  vi.useRealTimers();
});

const names = async () => (await readdir(runs)).filter((name) => !name.startsWith('.')).toSorted();
/** The golden runs are of the day before. */
const OLD = { olderThan: '1s' };

test('a list of more than fifty runs says how many there are besides, to people and to scripts', async () => {
  for (let index = 0; index < 50; index += 1) await mkdir(join(runs, `begun-${index}`));
  const more = '3 older runs are not listed.';
  expect(await output(() => statusCommand(undefined, {}, io))).toMatch(new RegExp(`\n${more}$`));
  const list = JSON.parse(await output(() => statusCommand(undefined, { json: true }, io))) as unknown[];
  expect(list).toHaveLength(50);
  expect(io.errors).toEqual([more]);
});

test('the empty folder of a fork that was killed is listed, hurts no command, and goes with prune', async () => {
  await mkdir(join(runs, 'killed'));
  expect(await output(() => statusCommand(undefined, {}, io))).toMatch(
    /killed +golden-desk +not begun .*\n +It has no first event: .* --continue begins it there.* tandem runs prune removes what is empty\./,
  );
  expect(await output(() => statusCommand('killed', {}, io))).toMatch(/^killed  golden-desk  not begun: It has no/);
  expect(await verifyCommand('finished', {}, io)).toBe(0);
  const prune = () => output(() => pruneCommand({ ...OLD, state: ['failed'] }, io));
  // Within the hour somebody may still be at work on it.
  expect(await prune()).not.toContain('killed');
  vi.setSystemTime(Date.now() + 2 * 60 * 60_000);
  expect(await prune()).toMatch(/killed is empty, left by a process that was killed\n.*--yes/);
  expect(await names()).toContain('killed');
  expect(await output(() => pruneCommand({ ...OLD, state: ['failed'], yes: true }, io))).toContain('and is removed');
  expect(await names()).not.toContain('killed');
});

test('prune says what it would delete, and deletes neither what waits, nor what can go on, nor what is blessed', async () => {
  await cp(join(runs, 'finished'), join(runs, 'second'), { recursive: true });
  expect(await names()).toHaveLength(4);
  const blessed = {
    version: 1,
    run: 'second',
    iteration: 2,
    designDigest: '',
    componentsDigest: '',
    blessedBy: 'ada',
    blessedAt: '',
    samples: {},
  };
  await writeFile(join(dir, 'scenarios/golden-desk/baseline.json'), JSON.stringify(blessed));
  expect(await output(() => pruneCommand(OLD, io))).toMatch(
    /Would delete 1 run:\nRUN +SCENARIO +STATUS +ENDED\nfinished .*\nsecond stays: it is blessed.*\nNothing is deleted yet/,
  );
  expect(await names()).toHaveLength(4);
  await pruneCommand({ ...OLD, state: ['failed'], yes: true }, io);
  expect(await names()).toHaveLength(4);
  await pruneCommand({ ...OLD, yes: true }, io);
  expect(await names()).toEqual(['errored', 'second', 'waiting-r1']);
  await expect(pruneCommand({ ...OLD, state: ['errored'] }, io)).rejects.toThrow(
    /Runs that can go on are never chosen/,
  );
});

test('how old is said by the flag, or by retention in config; a key that was removed is named with its line', async () => {
  await expect(pruneCommand({}, io)).rejects.toThrow(/retention: \{ prune_after_days: 365 \}/);
  await mkdir(join(dir, 'config'), { recursive: true });
  await writeFile(join(dir, 'config/default.yaml'), 'version: 1\nretention: { prune_after_days: 9999 }\n');
  expect(await pruneCommand({ json: true }, io)).toBe(0);
  expect(io.json()).toMatchObject({ runs: [] });
  await writeFile(join(dir, 'config/default.yaml'), 'version: 1\nretention:\n  archive_after_days: 30\n');
  await expect(pruneCommand({}, io)).rejects.toThrow(
    /config\/default\.yaml:3: retention\.archive_after_days: it was removed .* pack ended runs with tar/,
  );
  await writeFile(join(dir, 'config/default.yaml'), 'version: 1\neconomy: { on: true }\n');
  await expect(pruneCommand({}, io)).rejects.toThrow(/config\/default\.yaml:2: economy: it was removed with --economy/);
});

test('a run that an earlier version archived is unpacked by the command that its refusal prints', async () => {
  execFileSync('tar', ['-czf', 'finished.tar.gz', 'finished'], { cwd: runs });
  await rm(join(runs, 'finished'), { recursive: true });
  const opening = verifyCommand('finished', {}, io);
  const error = (await opening.catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('finished.tar.gz') });
  const { store } = openStore(findHome(dir));
  const taken = store.create(join(dir, 'scenarios/golden-desk'), 'finished');
  await expect(taken).rejects.toMatchObject({ code: 'usage' });
  execFileSync('sh', ['-c', /tar -xzf .*/.exec(error.message)?.[0] ?? '']);
  expect(await verifyCommand('finished', {}, io)).toBe(0);
});

async function output(command: () => Promise<number>): Promise<string> {
  io.lines.length = 0;
  expect(await command()).toBe(0);
  return io.lines.join('\n');
}
