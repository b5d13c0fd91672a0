/** Freeing what ended runs left in their workspaces: attempts that nothing will ever go on from (S3.7). */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isHarnessError } from '../../errors.ts';
import { sessionStatus } from '../../run/fold-session.ts';
import type { ReadDeps } from '../../ports/read-deps.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export const CLEANED_AFTER_MS = 7 * 86_400_000;

export type CleanedAttempt = {
  run: string;
  scenario: string;
  path: string;
  bytes: number;
  files: number;
  /** Entries of conversations that were nowhere else, and are in the run's transcripts now; absent: there were none. */
  published?: number;
};
export type CleanReport = {
  cleaned: CleanedAttempt[];
  /** Runs that have something left and keep it, and why. */
  kept: { run: string; why: string }[];
};

export type CleanOptions = { olderThanMs: number; dryRun: boolean };

/**
 * `wip/` of a run whose state is final, when its journal has not grown for so long; what was said there is published
 * first. Everything else that a report, a verification,
 * a fork or a new look at the run needs is elsewhere in its folder. A live, gated, paused or errored run keeps its
 * attempts: they hold calls that are paid for. Cheap: a journal is read only where something is left.
 */
export async function cleanWorkspaces(options: CleanOptions, { store, clock }: ReadDeps): Promise<CleanReport> {
  const report: CleanReport = { cleaned: [], kept: [] };
  for (const found of (await store.atWork?.()) ?? (await store.folders())) {
    const { id, scenario, dir } = found;
    const wip = join(dir, 'wip');
    if (store.atWork === undefined && (await namesIn(wip)).length === 0) continue;
    const why = await reasonToKeep(dir, options.olderThanMs, { store, clock });
    const run = store.at(found);
    const attempts = why === undefined && store.atWork !== undefined ? await run.artifacts.live() : [];
    const published = why ?? (await publishOrReason(run, options.dryRun));
    if (typeof published === 'string') {
      report.kept.push({ run: id, why: published });
      continue;
    }
    const size = await sizeOf(wip);
    if (!options.dryRun) {
      for (const name of attempts) await run.artifacts.discard(name.split('@')[0] ?? name);
      await rm(wip, { recursive: true, force: true });
    }
    report.cleaned.push({ run: id, scenario, path: wip, ...size, ...(published === 0 ? {} : { published }) });
  }
  return report;
}

/** A run that was cancelled in the middle of a step has what was said in it nowhere else; a sentence when that must stay. */
async function publishOrReason(run: RunFolder, dryRun: boolean): Promise<number | string> {
  try {
    const { publishUnfinishedSteps } = await import('./publish-unfinished.ts');
    return await publishUnfinishedSteps(run, dryRun);
  } catch (error) {
    if (isHarnessError(error)) return `what was said in it cannot be published: ${error.message}`;
    throw error;
  }
}

/** A `wip` that is a link leads somewhere else, and is no workspace. */
async function namesIn(wip: string): Promise<string[]> {
  const found = await lstat(wip).catch(() => undefined);
  return found?.isDirectory() === true ? readdir(wip) : [];
}

async function reasonToKeep(
  dir: string,
  olderThanMs: number,
  { store, clock }: Pick<ReadDeps, 'store' | 'clock'>,
): Promise<string | undefined> {
  try {
    const { events, state } = await openSnapshot(await store.open(dir));
    if (sessionStatus(state) !== 'done') return `it is ${state.status}`;
    const lastMs = Date.parse(events.at(-1)?.ts ?? '');
    return clock.now().getTime() - lastMs >= olderThanMs ? undefined : 'it ended not long enough ago';
  } catch (error) {
    if (isHarnessError(error)) return `its journal cannot be read: ${error.message}`;
    throw error;
  }
}

/** Links count as themselves: what they point at is not freed. */
async function sizeOf(folder: string): Promise<{ bytes: number; files: number }> {
  const total = { bytes: 0, files: 0 };
  for (const item of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (item.isDirectory()) continue;
    const found = await lstat(join(item.parentPath, item.name)).catch(() => undefined);
    total.bytes += found?.size ?? 0;
    total.files += 1;
  }
  return total;
}
