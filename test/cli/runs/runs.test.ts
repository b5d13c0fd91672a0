/** A run of the golden ones is archived, read in place, unpacked and deleted, through the commands. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forkCommand, verifyCommand } from '../../../src/cli/run/control.ts';
import { reportCommand } from '../../../src/cli/run/report.ts';
import { statusCommand } from '../../../src/cli/run/status.ts';
import { archiveCommand, pruneCommand, unpackCommand } from '../../../src/cli/runs/runs.ts';
import { openStore } from '../../../src/app/open-store.ts';
import { findHome } from '../../../src/config/home.ts';
import { summarise } from '../../../src/pipeline/summarise.ts';
import { findRun } from '../../../src/web/read/find-run.ts';
import { runRows } from '../../../src/web/read/run-rows.ts';
import { scratch } from '../../support/scratch.ts';
import { fakeIo, type FakeIo } from '../fake-io.ts';

let dir = '';
let runs = '';
let io: FakeIo;

beforeEach(async () => {
  dir = await scratch();
  process.env['XDG_CACHE_HOME'] = join(dir, 'cache');
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
  const more = '3 older runs are not listed, 0 are archived.';
  expect(await output(() => statusCommand(undefined, {}, io))).toMatch(new RegExp(`\n${more}$`));
  const list = JSON.parse(await output(() => statusCommand(undefined, { json: true }, io))) as unknown[];
  expect(list).toHaveLength(50);
  expect(io.errors).toEqual([more]);
});

test('an archived run is listed, shown and verified in place, and forked', async () => {
  const before = await output(() => reportCommand('finished', { format: 'md' }, io));
  expect(await archiveCommand(OLD, io)).toBe(0);
  expect(await names()).toEqual(['errored', 'finished.tar.gz', 'waiting-r1']);
  expect(await output(() => statusCommand(undefined, {}, io))).toMatch(/finished .* succeeded .* 100 % +archived/);
  const place = /scenarios\/golden-desk\/runs\/finished/;
  const report = await output(() => reportCommand('finished', { format: 'md' }, io));
  expect(report.split('\n').filter((line) => !place.test(line))).toEqual(
    before.split('\n').filter((line) => !place.test(line)),
  );
  for (const name of ['finished', 'fini', join(runs, 'finished'), join(runs, 'finished.tar.gz')])
    expect(await verifyCommand(name, {}, io)).toBe(0);
  expect(await forkCommand('finished', { id: 'again' }, io)).toBe(0);
  expect(await names()).toContain('finished.tar.gz');
  await expect(
    openStore(findHome(dir)).store.create(join(dir, 'scenarios/golden-desk'), 'finished'),
  ).rejects.toMatchObject({
    code: 'usage',
  });
});

test('a list needs no more of an archive than its first kilobytes', async () => {
  await archiveCommand(OLD, io);
  await truncate(join(runs, 'finished.tar.gz'), 4096);
  expect(await output(() => statusCommand(undefined, {}, io))).toMatch(/finished .* succeeded .* 100 % +archived/);
});

test('the empty folder of a fork that was killed is listed, hurts no command, and goes with prune', async () => {
  await mkdir(join(runs, 'killed'));
  expect(await output(() => statusCommand(undefined, {}, io))).toMatch(
    /killed +golden-desk +not begun .*\n +It has no first event: .* --continue begins it there.* tandem runs prune removes what is empty\./,
  );
  expect(await output(() => statusCommand('killed', {}, io))).toMatch(/^killed  golden-desk  not begun: It has no/);
  expect(await verifyCommand('finished', {}, io)).toBe(0);
  expect(await archiveCommand(OLD, io)).toBe(0);
  const prune = () => output(() => pruneCommand({ ...OLD, state: ['failed'] }, io));
  // Within the hour somebody may still be at work on it.
  expect(await prune()).not.toContain('killed');
  vi.setSystemTime(Date.now() + 2 * 60 * 60_000);
  expect(await prune()).toMatch(/killed is empty, left by a process that was killed\n.*--yes/);
  expect(await names()).toContain('killed');
  expect(await output(() => pruneCommand({ ...OLD, state: ['failed'], yes: true }, io))).toContain('and is removed');
  expect(await names()).not.toContain('killed');
});

test('the page lists it and opens it', async () => {
  await archiveCommand(OLD, io);
  const { store } = openStore(findHome(dir));
  const rows = await runRows({ store, evaluations: { list: () => Promise.resolve([]) } });
  expect(rows.find(({ key }) => key === 'finished')).toMatchObject({ status: 'succeeded', iteration: 2, rate: 1 });
  expect((await summarise(await findRun(store, 'finished'))).status).toBe('succeeded');
  await expect(findRun(store, 'none')).rejects.toMatchObject({ code: 'not_found' });
});

test('nothing is written to it; unpacked it is the folder that it was, byte for byte', async () => {
  const before = digestsOf('finished');
  await archiveCommand(OLD, io);
  const run = await openStore(findHome(dir)).store.open('finished');
  await expect(run.journal.append({ type: 'run.cancelled', detail: '' }, 'user:ada', 99)).rejects.toThrow(
    /is archived/,
  );
  await expect(run.write('out/a.md', 'x')).rejects.toThrow(/tandem runs unpack finished/);
  expect(await unpackCommand('finished', io)).toBe(0);
  expect(await names()).toEqual(['errored', 'finished', 'waiting-r1']);
  const after = digestsOf('finished').filter((line) => !/\/spend\//.test(line));
  expect(after).toEqual(before.filter((line) => !/\/spend\//.test(line)));
  expect(await verifyCommand('finished', {}, io)).toBe(0);
});

test('a damaged archive is named, and its run is never half there', async () => {
  await archiveCommand(OLD, io);
  const file = join(runs, 'finished.tar.gz');
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0, bytes.length - 3000, bytes.length - 2000));
  await expect(verifyCommand('finished', {}, io)).rejects.toMatchObject({
    code: 'data_corrupt',
    message: expect.stringContaining(file),
  });
  await expect(unpackCommand('finished', io)).rejects.toMatchObject({ code: 'data_corrupt' });
  expect(await names()).toEqual(['errored', 'finished.tar.gz', 'waiting-r1']);
});

test('a run that is written to meanwhile stays a folder', async () => {
  const { store } = openStore(findHome(dir));
  const path = join(runs, 'finished/out/late.md');
  const about = {
    createdAt: '',
    get endedAt() {
      // Asked for after the files were read, before they are compared.
      execFileSync('sh', ['-c', `echo late > '${path}'`]);
      return '2026-11-23T00:00:00.000Z';
    },
    status: 'succeeded',
    round: 1,
    iteration: 1,
  };
  await expect(
    store.archive({ id: 'finished', scenario: 'golden-desk', dir: join(runs, 'finished') }, about),
  ).rejects.toThrow(/stays as it is/);
  expect(await names()).toEqual(['errored', 'finished', 'waiting-r1']);
  expect(await readFile(path, 'utf8')).toBe('late\n');
});

test('prune says what it would delete, and deletes neither what waits, nor what can go on, nor what is blessed', async () => {
  await cp(join(runs, 'finished'), join(runs, 'second'), { recursive: true });
  await archiveCommand({ ...OLD, scenario: ['other'] }, io);
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
  await archiveCommand(OLD, io);
  await pruneCommand({ ...OLD, state: ['failed'], yes: true }, io);
  expect(await names()).toHaveLength(4);
  await pruneCommand({ ...OLD, yes: true }, io);
  expect(await names()).toEqual(['errored', 'second.tar.gz', 'waiting-r1']);
  await expect(pruneCommand({ ...OLD, state: ['errored'] }, io)).rejects.toThrow(
    /Runs that can go on are never chosen/,
  );
});

test('how old is said by the flag, or by retention in config', async () => {
  await expect(archiveCommand({}, io)).rejects.toThrow(/retention: \{ archive_after_days: 30 \}/);
  await mkdir(join(dir, 'config'), { recursive: true });
  await writeFile(join(dir, 'config/default.yaml'), 'version: 1\nretention: { archive_after_days: 9999 }\n');
  expect(await archiveCommand({ json: true }, io)).toBe(0);
  expect(io.json()).toMatchObject({ runs: [] });
});

async function output(command: () => Promise<number>): Promise<string> {
  io.lines.length = 0;
  expect(await command()).toBe(0);
  return io.lines.join('\n');
}

function digestsOf(run: string): string[] {
  return execFileSync('sh', ['-c', `find '${join(runs, run)}' -type f -exec sha256sum {} + | sort`], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n');
}
