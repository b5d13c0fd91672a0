/** Files that a user names for output: created, replaced when they are of the same kind, and otherwise left alone. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findFolderFault,
  findOutputFault,
  JUNIT_FILE,
  PORT_FILE,
  refuseOutput,
  writeNewFile,
  writeOutput,
  type NamedOutput,
  type OutputKind,
} from '../../src/disk/named-output.ts';
import { scratch } from '../support/scratch.ts';

const KINDS: readonly OutputKind[] = [JUNIT_FILE, PORT_FILE, { called: 'new file' }];
const REPORT = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="run-1">\n</testsuites>\n';

async function outputIn(kind: OutputKind, path = 'out/file'): Promise<NamedOutput> {
  const project = await scratch();
  return { flag: '--out', path: join(project, path), project, kind };
}

test('whatever a user wrote stays as it is, for every kind of output', async () => {
  const dir = await scratch();
  const texts = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('version: 1\n', '# A brief\n', '{"version":1}', '<html></html>', '80 81', '123456', 'port: 80'),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(...KINDS), async (text, kind) => {
      const output = { flag: '--out', path: join(dir, 'file'), project: dir, kind };
      await writeFile(output.path, text);
      fc.pre(kind.isOwn?.(text) !== true);
      expect(() => refuseOutput(output)).toThrow(/Nothing was written: name another place/);
      await expect(writeOutput(output, 'x')).rejects.toMatchObject({ code: 'infrastructure' });
      expect(await readFile(output.path, 'utf8')).toBe(text);
    }),
  );
});

test.each([
  [JUNIT_FILE, REPORT],
  [PORT_FILE, '8080\n'],
])('a new file, an empty one and one of its own kind are written: $called', async (kind, text) => {
  const output = await outputIn(kind);
  for (const before of [undefined, text, '']) {
    if (before !== undefined) await writeFile(output.path, before);
    refuseOutput(output);
    await writeOutput(output, text);
    expect(await readFile(output.path, 'utf8')).toBe(text);
  }
});

test('a file that must be new replaces nothing, not even an empty one', async () => {
  const output = await outputIn({ called: 'new file' });
  expect(await writeNewFile(output, 'one')).toBe(output.path);
  await expect(writeNewFile(output, 'two')).rejects.toMatchObject({ code: 'usage' });
  await writeFile(output.path, '');
  await expect(writeNewFile(output, 'two')).rejects.toThrow('is there already');
});

test('no link leads out of the project, whether it is the file or a folder above it', async () => {
  const output = await outputIn(JUNIT_FILE, 'report.xml');
  const outside = join(await scratch(), 'own.xml');
  await writeFile(outside, REPORT);
  await symlink(outside, output.path);
  expect(findOutputFault(output)).toContain('leads out of its place');
  await symlink(join(outside, '..'), join(output.project, 'reports'));
  const below = { ...output, path: join(output.project, 'reports/own.xml') };
  expect(findOutputFault(below)).toContain('leads out of its place');
  expect(findFolderFault(join(output.project, 'reports/new'), output.project)).toContain('leads out of its place');
  await symlink(join(output.project, 'nowhere'), join(output.project, 'dangling'));
  expect(findOutputFault({ ...output, path: join(output.project, 'dangling') })).toContain('leads out of its place');
  await expect(writeOutput(output, REPORT.replace('run-1', 'run-2'))).rejects.toThrow('leads out of its place');
  expect(await readFile(outside, 'utf8')).toBe(REPORT);
});

test('a link inside the project stays a link, and a place outside that is named without one is written', async () => {
  const output = await outputIn(PORT_FILE, 'port');
  await mkdir(join(output.project, 'state'));
  await symlink(join(output.project, 'state/port'), output.path);
  expect(findOutputFault(output)).toContain('leads out of its place');
  await writeFile(join(output.project, 'state/port'), '1\n');
  await writeOutput(output, '2\n');
  expect(await readFile(join(output.project, 'state/port'), 'utf8')).toBe('2\n');
  await rename(output.path, join(output.project, 'still-a-link'));
  const elsewhere = { ...output, path: join(await scratch(), 'a/b/port') };
  await writeOutput(elsewhere, '3\n');
  expect(await readFile(elsewhere.path, 'utf8')).toBe('3\n');
});

test('a stream takes the text; a folder, a file above and what the kernel makes are no places', async () => {
  const output = await outputIn(JUNIT_FILE, 'report.xml');
  await writeOutput({ ...output, path: '/dev/null' }, REPORT);
  expect(findOutputFault({ ...output, path: output.project })).toContain('is a folder');
  await writeFile(output.path, REPORT);
  expect(findOutputFault({ ...output, path: join(output.path, 'x') })).toContain('is no folder');
  expect(findOutputFault({ ...output, path: '/proc/nowhere/x' })).toBe('/proc is no place for files.');
  const pipe = join(output.project, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(findOutputFault({ ...output, path: pipe })).toBeUndefined();
});
