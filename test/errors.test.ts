/** What people read of a fault of the system: words and the place, no code and no name of a temporary file. */
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeError } from '../src/errors.ts';

const faultOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'no fault', describeError);

test('faults of the disk name the place in words', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-errors-'));
  const file = join(folder, 'file');
  await writeFile(file, '');
  expect(await faultOf(readFile(join(folder, 'none')))).toBe(`${folder}/none: not there, or its folder is not`);
  expect(await faultOf(readFile(folder))).toBe('a folder, not a file');
  expect(await faultOf(readFile(join(file, 'x')))).toBe(`${file}/x: below something that is no folder`);
  expect(await faultOf(writeFile(file, '', { flag: 'wx' }))).toBe(`${file}: there already`);
  expect(await faultOf(rename(join(folder, '.tmp-4f'), join(folder, 'no/report.md')))).toBe(
    `${folder}/no/report.md: not there, or its folder is not`,
  );
  expect(await faultOf(writeFile(join(folder, 'no/.tmp-81f2'), ''))).toBe(
    `${folder}/no: not there, or its folder is not`,
  );
  await rm(folder, { recursive: true });
});

test('faults of connections and programs too, also within a longer text', async () => {
  const [refused] = (await once(connect(1, '127.0.0.1'), 'error').catch((error: unknown) => [error])) as [unknown];
  expect(describeError(refused)).toBe('127.0.0.1:1 refuses connections: nothing listens there');
  const [missing] = (await once(spawn('/nowhere/agent'), 'error').catch((error: unknown) => [error])) as [unknown];
  expect(describeError(missing)).toBe('/nowhere/agent cannot be started: no such program, or no right to it');
  expect(describeError(new Error('listen EADDRINUSE: address already in use 127.0.0.1:7420'))).toBe(
    '127.0.0.1:7420 is taken by another program',
  );
  expect(describeError(new Error("Reading it failed: EIO: i/o error, read '/a/b'. Look."))).toBe(
    'Reading it failed: /a/b: i/o error. Look.',
  );
  expect(describeError('R4: EUR: 30 days, not 14')).toBe('R4: EUR: 30 days, not 14');
});
