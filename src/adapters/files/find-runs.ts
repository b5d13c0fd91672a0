/** Finds runs in every `<root>/<scenario>/runs/<id>`. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { Slug } from '../../scenario/brief.ts';
import { getErrno, valueOnErrno } from '../../disk/disk-fault.ts';
import { toNumberedName } from '../../disk/numbered-files.ts';

/** An id must be a valid folder name on every system, because it is also part of a job's id. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export function isRunId(id: string): boolean {
  return RUN_ID.test(id);
}

export type FoundRun = { id: string; scenario: string; dir: string };

/** Lists every run folder of these scenario folders, in no order. */
export async function findRuns(scenarioDirs: readonly string[]): Promise<FoundRun[]> {
  const found = await Promise.all(
    [...new Set(scenarioDirs)].map(async (scenarioDir) => {
      const names = await foldersIn(join(scenarioDir, 'runs'));
      return names
        .filter(isRunId)
        .map((id) => ({ id, scenario: basename(scenarioDir), dir: join(scenarioDir, 'runs', id) }));
    }),
  );
  return found.flat();
}

export async function findScenarioDirs(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(roots.map(async (root) => (await foldersIn(root)).map((name) => join(root, name))));
  return found.flat();
}

/** Lists folders only, because a link may lead anywhere, even back to this folder. */
async function foldersIn(path: string): Promise<string[]> {
  const items = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(getErrno(error) ?? '')) return [];
    throw error;
  });
  return items.filter((item) => item.isDirectory()).map((item) => item.name);
}

const FirstEvent = z.object({ ts: z.string(), body: z.object({ scenario: Slug }) });

/** Reads when a run was created and for which scenario; undefined when its first event is missing or unreadable. */
export async function readCreation(dir: string): Promise<{ ts: string; scenario: string } | undefined> {
  const text = await valueOnErrno('ENOENT', undefined, readFile(join(dir, 'events', toNumberedName(0)), 'utf8'));
  if (text === undefined) return undefined;
  try {
    const { ts, body } = FirstEvent.parse(JSON.parse(text));
    return { ts, scenario: body.scenario };
  } catch (error) {
    // Reading the journal reports the fault; a list of runs must not fail because of one run.
    if (error instanceof z.ZodError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The scenario according to a folder's place: `<scenario>/runs/<id>`. */
export function scenarioByPlace(dir: string): string | undefined {
  const scenario = basename(dirname(dirname(dir)));
  return basename(dirname(dir)) === 'runs' && Slug.safeParse(scenario).success ? scenario : undefined;
}
