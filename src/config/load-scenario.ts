/** Loads a scenario folder: found by name or path, `scenario.yaml` parsed, its sources checked, all of it hashed. */
import { cp, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { createConfigError, HarnessError, usageError } from '../errors.ts';
import { decodeText } from '../disk/decode-text.ts';
import { readNamedText } from '../disk/read-named-file.ts';
import { detectImageType, findImageFault } from '../transcript/image-facts.ts';
import { Brief } from '../scenario/brief.ts';
import { listNames, type Home } from './home.ts';
import { findLine, parseYaml } from './yaml-file.ts';

export type Scenario = {
  brief: Brief;
  /** Absolute path. */
  dir: string;
  /** The text of `scenario.yaml`; with `files` it is what `digest` covers and what a run copies. */
  text: string;
  /** The files that Init may read, in the order of `reads`. */
  files: readonly { path: string; bytes: Buffer }[];
  /** sha256 over scenario.yaml, every file that Init may read, and the law. */
  digest: string;
  /** Absolute path, set when the scenario has scripts for the offline model. */
  simulationDir: string | undefined;
  /** Number of bytes of all that Init may read. */
  sources: number;
  /** `CODE_LAW.md` of the scenario's folder, else of the project; agents get the copy in the run (S1.2). */
  law: { file: string; bytes: Buffer } | undefined;
  /** True when a shipped scenario was just copied into the project. */
  copied: boolean;
};

/** Without `copy` a shipped scenario is read in place, and nothing is written. */
export async function loadScenario(home: Home, nameOrPath: string, { copy = true } = {}): Promise<Scenario> {
  return loadScenarioAt(home, await locateScenario(home, nameOrPath, copy));
}

/** Finds the scenario of a run: the folder around the run, or for a copied run one of that name. Writes nothing. */
export async function findRunScenario(home: Home, run: { dir: string; scenario: string }): Promise<Scenario> {
  const named = [home.project, home.shipped].map((at) => join(at, 'scenarios', run.scenario));
  const dir = findScenarioDir(run) ?? named.find((place) => existsSync(join(place, 'scenario.yaml')));
  if (dir !== undefined) return loadScenarioAt(home, { dir: await realpath(dir), copied: false });
  throw new HarnessError(
    'not_found',
    `Run ${run.dir} is of scenario ${run.scenario}, which is not here: copy that folder to ${join(home.project, 'scenarios', run.scenario)}, or go to the project that has it.`,
  );
}

/** Undefined for a run that does not lie in the `runs/` of a scenario. */
export function findScenarioDir(run: { dir: string }): string | undefined {
  const around = resolve(run.dir, '../..');
  return existsSync(join(around, 'scenario.yaml')) ? around : undefined;
}

async function loadScenarioAt(home: Home, { dir, copied }: { dir: string; copied: boolean }): Promise<Scenario> {
  const shown = join('scenarios', basename(dir), 'scenario.yaml');
  const text = await readNamedText(join(dir, 'scenario.yaml'), shown);
  const brief = parseYaml(text, Brief, shown);
  if (brief.name !== basename(dir)) {
    throw createConfigError(
      `${shown}:${findLine(text, ['name'])}: name: is "${brief.name}", but the folder is named "${basename(dir)}". Make them the same.`,
    );
  }
  const hash = createHash('sha256').update(text);
  const files = await readSources(dir, brief.reads, { text, shown });
  for (const { path, bytes } of files) hash.update(`\0${path}\0`).update(bytes);
  const law = await findLaw([dir, home.project]);
  if (law !== undefined && !brief.reads.includes(law.file)) hash.update(`\0${law.file}\0`).update(law.bytes);
  const simulation = join(dir, 'simulation');
  return {
    brief,
    ...{ dir, copied, text, files, law },
    sources: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    digest: hash.digest('hex'),
    simulationDir: existsSync(simulation) ? simulation : undefined,
  };
}

async function locateScenario(
  home: Home,
  nameOrPath: string,
  copy: boolean,
): Promise<{ dir: string; copied: boolean }> {
  const asPath = resolve(nameOrPath);
  if (/[/\\.]/.test(nameOrPath) && existsSync(join(asPath, 'scenario.yaml')))
    return { dir: await realpath(asPath), copied: false };
  const own = join(home.project, 'scenarios', nameOrPath);
  const plainName = isPlainName(nameOrPath);
  if (plainName && existsSync(join(own, 'scenario.yaml'))) return { dir: await realpath(own), copied: false };
  const shipped = join(home.shipped, 'scenarios', nameOrPath);
  if (plainName && existsSync(join(shipped, 'scenario.yaml'))) {
    // An existing folder belongs to a person and is never written over.
    if (existsSync(own)) throw createIncompleteError(own, nameOrPath);
    if (!copy) return { dir: await realpath(shipped), copied: false };
    // Runs are written into the scenario's folder, which must not be one inside node_modules.
    await cp(shipped, own, {
      recursive: true,
      force: false,
      errorOnExist: true,
      filter: (source) => !source.startsWith(join(shipped, 'runs')),
    });
    return { dir: await realpath(own), copied: true };
  }
  if (plainName && existsSync(own)) throw createIncompleteError(own, nameOrPath);
  const known = listNames(home, 'scenarios').filter(isPlainName).join(', ') || 'none yet';
  throw usageError(`No scenario is named "${nameOrPath}". There are: ${known}. A new one: tandem init <name>.`);
}

const isPlainName = (name: string): boolean => /^[a-z0-9][a-z0-9-]*$/.test(name);

function createIncompleteError(own: string, name: string): HarnessError {
  return usageError(
    `${own} has no scenario.yaml, and nothing in it is written over. Write one there (tandem init makes an example), or move that folder away: a scenario named ${name} may be shipped, too.`,
  );
}

/** Contract: `config_invalid` names every file that is not a file inside the scenario's folder. */
async function readSources(
  dir: string,
  paths: readonly string[],
  { text, shown }: { text: string; shown: string },
): Promise<Scenario['files']> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const full = await realpath(join(dir, path)).catch(() => undefined);
      const inside = full?.startsWith(dir + sep) === true && (await stat(full)).isFile();
      return full === undefined || !inside ? [] : [{ path, bytes: await readFile(full) }];
    }),
  );
  const complaints = paths.flatMap((path, index) =>
    found[index]?.length === 0
      ? [
          `${shown}:${findLine(text, ['reads', String(index)])}: reads: "${path}" is not a file inside the scenario's folder. Name each file by itself, as in policies/returns.md.`,
        ]
      : [],
  );
  if (complaints.length > 0) throw createConfigError(complaints.join('\n'));
  return found.flat();
}

/** Matches the file's name in any case. */
const LAW = /^code_law\.md$/i;

/** Reads the law from the first folder that has one; of names that differ in case only, the first by name counts. */
async function findLaw(folders: readonly string[]): Promise<Scenario['law']> {
  for (const folder of folders) {
    const [file] = (await readdir(folder)).filter((name) => LAW.test(name)).toSorted();
    if (file !== undefined && (await stat(join(folder, file))).isFile())
      return { file, bytes: await readFile(join(folder, file)) };
  }
  return undefined;
}

/** Checks the sources before a run starts. Contract: `config_invalid` for a file whose content no agent could read. */
export function checkSources({ dir, text, files, law }: Scenario): void {
  const shown = join('scenarios', basename(dir), 'scenario.yaml');
  const encodings = 'UTF-8, UTF-16 with a byte order mark, or GB18030. Save it as UTF-8';
  const what = 'is neither an image (PNG, JPEG, GIF, WebP) nor text in';
  const complaints = files.flatMap(({ path, bytes }, index) => {
    const line = findLine(text, ['reads', String(index)]);
    if (detectImageType(bytes) !== undefined) {
      const fault = findImageFault(bytes);
      const remedy = 'No model takes it: mend it or leave it out.';
      return fault === undefined ? [] : [`${shown}:${line}: reads: "${path}" ${fault}. ${remedy}`];
    }
    if (decodeText(bytes) !== undefined) return [];
    return [`${shown}:${line}: reads: "${path}" ${what} ${encodings}, or leave it out.`];
  });
  if (complaints.length > 0) throw createConfigError(complaints.join('\n'));
  if (law !== undefined && decodeText(law.bytes) === undefined)
    throw createConfigError(`${law.file} is no text in ${encodings}.`);
}
