/** Tandem in another version than this checkout: an older one out of the history, and a newer one made of this one. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';

const run = promisify(execFile);

/** The first whose workers share a store. */
const OLDER = 'e6f30614aec0976473f770e020c3112b79549de3';
const PARTS = ['bin', 'src', 'agents', 'prompts', 'config', 'templates', 'schemas', 'package.json'];

/** Of a program in a folder, for `start`. */
const binIn = (dir: string): string => join(dir, 'bin/tandem.js');

const made: string[] = [];
afterAll(async () => {
  for (const dir of made) await rm(dir, { recursive: true, force: true });
});

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tandem-program-'));
  made.push(dir);
  await symlink(resolve('node_modules'), join(dir, 'node_modules'));
  return dir;
}

async function copyOfThis(): Promise<string> {
  const dir = await folder();
  for (const part of PARTS) await cp(resolve(part), join(dir, part), { recursive: true });
  await mkdir(join(dir, 'scenarios'));
  return dir;
}

/** A checkout without its history has none: there it is a copy of this version. */
export async function olderProgram(): Promise<string> {
  const isThere = await run('git', ['cat-file', '-e', `${OLDER}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!isThere) return binIn(await copyOfThis());
  const dir = await folder();
  const tar = join(dir, 'older.tar');
  await run('git', ['archive', '--output', tar, OLDER, ...PARTS]);
  await run('tar', ['xf', tar, '-C', dir]);
  return binIn(dir);
}

/** Of tomorrow: its store has one table more, and events of its runs may mean something else. */
export async function newerProgram(): Promise<string> {
  const dir = await copyOfThis();
  const [schema, about] = [join(dir, 'src/adapters/postgres/database.ts'), join(dir, 'package.json')];
  await replaceIn(schema, /(?<=schema-1\.sql', import\.meta\.url\))/, ", 'CREATE TABLE $S.tomorrow (it int)'");
  await replaceIn(join(dir, 'src/run/event.ts'), /MACHINE_VERSION = \d+/, 'MACHINE_VERSION = 1000');
  await replaceIn(about, /"version": "[^"]*"/, '"version": "99.0.0"');
  return binIn(dir);
}

async function replaceIn(path: string, what: RegExp, by: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  if (!what.test(text)) throw new Error(`${path} has no ${what.source}`);
  await writeFile(
    path,
    text.replace(what, () => by),
  );
}
