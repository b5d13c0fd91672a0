/** Checks before a step or trial whether this machine has what the run needs, as far as that costs nothing. */
import { readdir, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsMore } from '../../adapters/quickjs/quickjs-or-process.ts';
import { findPython } from '../../adapters/sandbox/python/find-python.ts';
import { findScenarioDir } from '../../config/load-scenario.ts';
import { valueOnErrno } from '../../disk/disk-fault.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import type { Lane } from '../../ports/job-queue.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Sandbox } from '../../ports/sandbox.ts';

/** With less free space in MB, a step may fail in the middle, after paid calls. */
const LEAST_FREE_MB = 200;
const MODULE = /\.(?:mjs|mts|ts|py)$/;
/** Deep enough for `simulation/files/tools`, and for the outputs of an attempt. */
const DEEPEST = 5;

export type FitnessDeps = { sandbox: () => Promise<Sandbox>; freeMb?: (dir: string) => Promise<number> };

/** Returns what is missing with its remedy, as the end of "gave the run back: …"; undefined when nothing is known. */
export async function missingFor(
  run: RunFolder,
  lane: Lane,
  { sandbox, freeMb = readFreeMb }: FitnessDeps,
): Promise<string | undefined> {
  for (const dir of [run.dir, tmpdir()]) {
    const free = await freeMb(dir);
    if (free < LEAST_FREE_MB)
      return `only ${Math.floor(free)} MB are free on the disk of ${dir}, and a step needs ${LEAST_FREE_MB}: make room there.`;
  }
  return lane === 'init' ? undefined : sandboxLack(run, sandbox);
}

async function readFreeMb(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return (bavail * bsize) / 2 ** 20;
}

async function sandboxLack(run: RunFolder, sandbox: FitnessDeps['sandbox']): Promise<string | undefined> {
  try {
    const isPureOnly = (await sandbox()).kind === 'quickjs';
    const found = await componentBeyondQuickjs(run, isPureOnly);
    if (found === undefined) return undefined;
    if (!isPureOnly) return void (await findPython());
    return `${found}, and this worker has no sandbox for that: install bubblewrap (package "bubblewrap") on it.`;
  } catch (error) {
    if (!isHarnessError(error, 'sandbox_unavailable')) throw error;
    return describeError(error);
  }
}

/** Finds a component, given or built by Execute, that QuickJS cannot run; where all can run, looks only for Python. */
async function componentBeyondQuickjs(run: RunFolder, isPureOnly: boolean): Promise<string | undefined> {
  const folders = [findScenarioDir(run), join(run.dir, 'execution_outputs'), join(run.dir, 'wip')];
  for (const dir of folders.filter((one) => one !== undefined))
    for await (const path of modulesIn(dir)) {
      if (path.endsWith('.py')) return `${path.slice(dir.length + 1)} is Python`;
      const more = isPureOnly && isComponent(path) ? needsMore(await readFile(path, 'utf8')) : undefined;
      if (more !== undefined) return `${path.slice(dir.length + 1)}:${more} needs more than QuickJS has`;
    }
  return undefined;
}

/** The subject's own program, or a test, is no component. */
const isComponent = (path: string): boolean => /\/(?:tools|checkers)\/[^/]+$/.test(path);

async function* modulesIn(dir: string, depth = 0): AsyncGenerator<string> {
  const entries = await valueOnErrno('ENOENT', [], readdir(dir, { withFileTypes: true }));
  for (const entry of entries) {
    const path = join(dir, entry.name);
    if (entry.isFile() && MODULE.test(entry.name)) yield path;
    const isInside = entry.isDirectory() && depth < DEEPEST && !(depth === 0 && entry.name === 'runs');
    if (isInside && !entry.name.startsWith('.') && entry.name !== 'node_modules') yield* modulesIn(path, depth + 1);
  }
}
