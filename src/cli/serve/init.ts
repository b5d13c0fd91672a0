/** `tandem init <name>`: creates a scenario folder that runs offline at once. */
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findFile, findHome, MARKER, type Home } from '../../config/home.ts';
import { isDeviceName } from '../../disk/confine.ts';
import { getErrno } from '../../disk/disk-fault.ts';
import { usageError, type HarnessError } from '../../errors.ts';
import { Slug } from '../../scenario/brief.ts';
import { EXIT } from '../exit-code.ts';
import type { Io } from '../io.ts';

export async function initCommand(name: string, options: { title?: string | undefined }, io: Io): Promise<number> {
  if (!Slug.safeParse(name).success) {
    throw usageError(
      `"${name}" cannot be the name of a scenario: use small letters, digits and dashes, such as refund-desk.`,
    );
  }
  if (isDeviceName(name))
    throw usageError(`"${name}" cannot be the name of a scenario: it is a device on Windows. Choose another one.`);
  const home = findHome(io.cwd);
  const target = join(home.project, 'scenarios', name);
  if (existsSync(target)) throw isThere(target);
  const template = findFile(home, 'templates/scenario');
  // The folder is filled under a temporary name and then renamed, so that an interrupted init leaves no half scenario.
  const draft = `${target}.new-${randomInt(2 ** 40)}`;
  await mkdir(join(home.project, 'scenarios'), { recursive: true });
  try {
    await cp(template, draft, { recursive: true });
    await fillPlaceholders(draft, { __NAME__: name, __TITLE__: options.title ?? name.replaceAll('-', ' ') });
    await rename(draft, target).catch((error: unknown) => {
      // Another process has created it meanwhile.
      throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(getErrno(error) ?? '') ? isThere(target) : error;
    });
    await markProject(home);
    await addIgnoreFile(home);
    await addSchemas(home);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  io.out(`Made ${target}`);
  io.out(`  brief.md and scenario.yaml say what is evaluated; simulation/ answers in place of a model.`);
  io.out(`  Commit everything; .gitignore leaves out runs, batches and what Tandem keeps for itself.`);
  io.out(`Run it offline:   tandem run ${name} --profile demo`);
  io.out(`Run it for real:  ANTHROPIC_API_KEY=… tandem run ${name}`);
  return EXIT.met;
}

function isThere(target: string): HarnessError {
  return usageError(`${target} is there already; nothing was written. Choose another name.`);
}

/** Keeps a marker file that a person wrote. */
async function markProject(home: Home): Promise<void> {
  const template = await readFile(findFile(home, `templates/${MARKER}`), 'utf8');
  const name = JSON.stringify(basename(home.project));
  await writeIfMissing(
    join(home.project, MARKER),
    template.replace('__NAME__', () => name),
  );
}

/** Keeps runs and keys out of git; an ignore file that a person wrote stays as it is. */
async function addIgnoreFile(home: Home): Promise<void> {
  // The template has no dot, because npm leaves files of that name out of a package.
  const lines = await readFile(findFile(home, 'templates/gitignore'), 'utf8');
  await writeIfMissing(join(home.project, '.gitignore'), lines);
}

async function writeIfMissing(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Copies the schemas that the templates name in their first lines, for editors; a person's own files stay. */
async function addSchemas(home: Home): Promise<void> {
  const target = join(home.project, 'schemas');
  if (!existsSync(target)) await cp(findFile(home, 'schemas'), target, { recursive: true });
}

async function fillPlaceholders(dir: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'utf8');
    const filled = Object.entries(values).reduce((sofar, [key, value]) => sofar.replaceAll(key, () => value), text);
    if (filled !== text) await writeFile(path, filled);
  }
}
