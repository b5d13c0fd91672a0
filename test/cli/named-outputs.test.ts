/** Every option that names a place to write: each command keeps what a user has there and ends before anything is paid. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { batchCommand } from '../../src/cli/batch/batch.ts';
import { evaluateCommand } from '../../src/cli/evaluate/evaluate.ts';
import { blessCommand } from '../../src/cli/evaluate/compare.ts';
import { exportCommand } from '../../src/cli/interop/export.ts';
import { runCommand } from '../../src/cli/run/run.ts';
import { simulateCommand } from '../../src/cli/serve/simulate.ts';
import { workerCommand } from '../../src/cli/serve/worker.ts';
import { importedResults } from '../../src/interop/imported-results.ts';
import { sampleOf } from '../scenario/results-of.ts';
import { makeProject, quietIo } from '../support/project.ts';
import { scratch } from '../support/scratch.ts';
import { wholeProgram } from './whole-program.ts';

const signal = AbortSignal.timeout(60_000);
const MANUSCRIPT = 'a night of work\n';

/** All options that name a place to write. A new one belongs here, and opens its place by `src/disk/named-output.ts`. */
const WRITING = [
  'batch --junit',
  'batch --record',
  'bless --out',
  'compare --junit',
  'compare --sarif',
  'evaluate --junit',
  'evaluate --out',
  'evaluate --sarif',
  'export --out',
  'import --out',
  'label --export',
  'resume --junit',
  'resume --record',
  'run --junit',
  'run --record',
  'serve --token-file',
  'sessions export --out',
  'simulate --port-file',
  'worker --metrics-token-file',
  'worker --port-file',
  'worker --token-file',
];

function listPlaceOptions(command: Pick<Command, 'commands' | 'options'>, name: string): string[] {
  const own = command.options.filter(({ flags }) => /<(?:file|dir|path|folder)>/.test(flags));
  return [
    ...own.map(({ long }) => `${name} ${long}`.trim()),
    ...command.commands.flatMap((one) => listPlaceOptions(one, `${name} ${one.name()}`.trim())),
  ];
}

test('an option that takes a place is known to write or to read', async () => {
  const reading = /--(?:baseline|components|design|scenario|tasks|replay|store|take)$/;
  const places = listPlaceOptions(await wholeProgram(), '');
  expect(places.filter((place) => !reading.test(place)).toSorted()).toEqual(WRITING);
});

test('run and batch refuse to report over a file of the user, by whatever way, before a run begins', async () => {
  const project = await makeProject();
  const io = quietIo(project.dir);
  const outside = join(await scratch(), 'notes.xml');
  await writeFile(outside, '<testsuites name="mine"/>');
  await writeFile(join(project.dir, 'tandem.yaml'), 'version: 1\n');
  await symlink(outside, join(project.dir, 'link.xml'));
  try {
    for (const junit of ['scenarios/small-desk/brief.md', 'tandem.yaml', 'link.xml', 'scenarios']) {
      const refused = { message: expect.stringContaining('--junit') };
      await expect(runCommand('small-desk', { junit, yes: true }, { io, signal })).rejects.toMatchObject(refused);
      await expect(batchCommand(['small-desk'], { junit }, { io, signal })).rejects.toMatchObject(refused);
    }
    expect(await readFile(join(project.dir, 'tandem.yaml'), 'utf8')).toBe('version: 1\n');
    expect(await readFile(outside, 'utf8')).toBe('<testsuites name="mine"/>');
    await symlink(join(outside, '..'), join(project.dir, 'away'));
    const recording = runCommand('small-desk', { record: 'away/rec', yes: true }, { io, signal });
    await expect(recording).rejects.toThrow('--record');
    for (const sarif of ['tandem.yaml', 'link.xml', 'scenarios'])
      await expect(evaluateCommand('small-desk', { sarif }, { io, signal })).rejects.toThrow('--sarif');
    await expect(evaluateCommand('small-desk', { out: 'away/rec' }, { io, signal })).rejects.toThrow('--out');
    await expect(readFile(join(project.dir, 'scenarios/small-desk/runs'))).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    await project.remove();
  }
});

test('a server writes its port over no file of the user, and does not start', async () => {
  const dir = await scratch();
  await writeFile(join(dir, 'tandem.yaml'), 'version: 1\n');
  const io = quietIo(dir);
  const refused = { code: 'usage', message: expect.stringContaining('is no file with a port') };
  const portFile = 'tandem.yaml';
  const simulating = simulateCommand('refund-desk', { listen: '127.0.0.1:0', portFile }, { io, signal });
  await expect(simulating).rejects.toMatchObject(refused);
  const options = { concurrency: '4', grace: '30', listen: '127.0.0.1:0', portFile };
  await expect(workerCommand(options, { io, signal })).rejects.toMatchObject(refused);
  expect(await readFile(join(dir, 'tandem.yaml'), 'utf8')).toBe('version: 1\n');
});

test('bless replaces only a baseline, also where it lies by default; an export replaces nothing', async () => {
  const io = quietIo(await scratch());
  const { trials } = sampleOf('a', 'pp');
  const rows = trials.map((result) => ({ sample: 'a', title: 'a', category: 'c', result, why: [] }));
  const dir = join(io.cwd, 'scenarios/desk/runs/one/execution_outputs/iteration_1');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'results.json'), JSON.stringify(importedResults(rows, 'one design')));
  const file = join(io.cwd, 'scenarios/desk/baseline.json');
  await writeFile(file, MANUSCRIPT);
  const refused = { code: 'usage', message: expect.stringContaining('there already') };
  for (const options of [{}, { out: file }])
    await expect(blessCommand(dir, options, io)).rejects.toMatchObject(refused);
  const exported = exportCommand({ format: 'jsonl', run: dir }, { out: file }, io);
  await expect(exported).rejects.toMatchObject(refused);
  expect(await readFile(file, 'utf8')).toBe(MANUSCRIPT);
  const own = join(io.cwd, 'own.json');
  for (const comment of ['first', 'second']) expect(await blessCommand(dir, { out: own, comment }, io)).toBe(0);
  expect(await readFile(own, 'utf8')).toContain('second');
});
