/** The identity of a subject: digests of everything known here that decides its answers, each by its name. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { sha256 } from '../../disk/sha256.ts';
import type { SubjectIdentity } from '../../pipeline/evaluation/evaluation-folder.ts';
import type { SubjectBrief } from '../../scenario/subject.ts';

export type SubjectToIdentify = {
  subject: 'gold' | SubjectBrief;
  /** The folder in which a command is started. */
  scenarioDir: string;
  /** A file, a folder or any text that changes with the subject, such as the version of an endpoint. */
  version: string | undefined;
};

/** Files of a scenario that are not its agent's. */
const NOT_OF_THE_AGENT = new Set(['scenario.yaml', 'brief.md', 'baseline.json', 'runs', 'evaluations', 'simulation']);
const DERIVED = new Set(['node_modules', '__pycache__']);
/** Larger programs are known by their size and their time of change: interpreters have a hundred megabytes. */
const MOST_HASHED_BYTES = 16 * 1024 * 1024;

/**
 * Digests the settings, every file that a command names, and what lies beside such a file within the scenario's folder.
 * What the program imports from elsewhere, or what is behind an endpoint, only `version` can tell.
 */
export async function identifySubject({ subject, scenarioDir, version }: SubjectToIdentify): Promise<SubjectIdentity> {
  const identity: SubjectIdentity = { settings: sha256(JSON.stringify(subject)) };
  const words = subject === 'gold' ? [] : (subject.command ?? []);
  for (const word of words) {
    const path = resolve(scenarioDir, word);
    if ((await stat(path).catch(() => undefined))?.isFile() !== true) continue;
    const inside = !relative(scenarioDir, path).startsWith('..');
    for (const file of inside ? await listFiles(dirname(path), scenarioDir) : [path])
      identity[relative(scenarioDir, file).split(sep).join('/')] = await digestFile(file);
  }
  if (version !== undefined) identity['version'] = await digestVersion(version);
  return identity;
}

async function digestVersion(version: string): Promise<string> {
  const found = await stat(version).catch(() => undefined);
  if (found === undefined) return sha256(version);
  const files = found.isDirectory() ? await listFiles(version, version) : [version];
  const digests = await Promise.all(files.map(async (file) => [relative(version, file), await digestFile(file)]));
  return sha256(JSON.stringify(digests));
}

async function listFiles(dir: string, scenarioDir: string): Promise<string[]> {
  const entries = (await readdir(dir, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const own = entries.filter(
    ({ name }) => !name.startsWith('.') && !DERIVED.has(name) && !(dir === scenarioDir && NOT_OF_THE_AGENT.has(name)),
  );
  const found: string[] = [];
  for (const entry of own) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) found.push(...(await listFiles(path, scenarioDir)));
    else if (entry.isFile()) found.push(path);
  }
  return found;
}

async function digestFile(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return size > MOST_HASHED_BYTES ? sha256(`${size} ${mtimeMs}`) : sha256(await readFile(path));
}
