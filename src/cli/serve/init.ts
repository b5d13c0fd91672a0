/** `tandem init <name>`: creates a scenario folder that runs offline at once, or one that evaluates an agent that is there. */
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { findFile, findHome, MARKER, type Home } from '../../config/home.ts';
import { isDeviceName } from '../../disk/confine.ts';
import { getErrno } from '../../disk/disk-fault.ts';
import { usageError, type HarnessError } from '../../errors.ts';
import { Slug } from '../../scenario/brief.ts';
import { EXIT, type Io } from '../command-context.ts';

type InitOptions = { title?: string | undefined; agent?: string | undefined };

export async function initCommand(name: string, { title, agent }: InitOptions, io: Io): Promise<number> {
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
  const template = findFile(home, agent === undefined ? 'templates/scenario' : 'templates/agent');
  const subject = describeSubject(agent ?? '', (word) =>
    existsSync(join(io.cwd, word)) ? relative(target, join(io.cwd, word)) : word,
  );
  // The folder is filled under a temporary name and then renamed, so that an interrupted init leaves no half scenario.
  const draft = `${target}.new-${randomInt(2 ** 40)}`;
  await mkdir(join(home.project, 'scenarios'), { recursive: true });
  try {
    await cp(template, draft, { recursive: true });
    const words = { __NAME__: name, __TITLE__: title ?? name.replaceAll('-', ' '), __SUBJECT__: subject };
    await fillPlaceholders(draft, words);
    await rename(draft, target).catch((error: unknown) => {
      // Another process has created it meanwhile.
      throw ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(getErrno(error) ?? '') ? isThere(target) : error;
    });
    await addProjectFiles(home);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  io.out(`Made ${target}`);
  io.out('  Commit everything; .gitignore leaves out runs, evaluations, batches and what Tandem keeps for itself.');
  if (agent === undefined) {
    io.out('  brief.md and scenario.yaml say what is evaluated; simulation/ answers in place of a model.');
    io.out(`Run it offline:   tandem run ${name} --profile demo`);
  } else {
    io.out('  samples/answers.json passes for every agent that answers; the other sample fails until you edit it.');
    io.out(`Evaluate it now:  tandem evaluate ${name}`);
  }
  io.out(`Run it for real:  ANTHROPIC_API_KEY=… tandem run ${name}`);
  return EXIT.met;
}

/** An address is asked turn by turn; of a command, files of the current folder are named as the scenario's folder sees them. */
function describeSubject(agent: string, locate: (word: string) => string): string {
  if (/^https?:\/\//.test(agent)) return `{ kind: http, url: ${JSON.stringify(agent)} }`;
  const words = (agent.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^["']|["']$/g, ''));
  return `{ kind: command, command: ${JSON.stringify(words.map(locate))} }`;
}

function isThere(target: string): HarnessError {
  return usageError(`${target} is there already; nothing was written. Choose another name.`);
}

/** Marks the project, keeps runs and keys out of git, and gives editors the schemas; what a person wrote stays. */
async function addProjectFiles(home: Home): Promise<void> {
  // The template has no dot, because npm leaves files of that name out of a package.
  for (const [from, to] of [[MARKER, MARKER] as const, ['gitignore', '.gitignore'] as const]) {
    const text = await readFile(findFile(home, `templates/${from}`), 'utf8');
    const filled = text.replace('__NAME__', () => JSON.stringify(basename(home.project)));
    await writeFile(join(home.project, to), filled, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  const schemas = join(home.project, 'schemas');
  if (!existsSync(schemas)) await cp(findFile(home, 'schemas'), schemas, { recursive: true });
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
