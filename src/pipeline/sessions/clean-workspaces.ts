/** Frees the workspaces of ended runs: attempts that nothing will ever resume (S3.7). */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isHarnessError } from '../../errors.ts';
import { sessionStatus } from '../../run/fold-session.ts';
import type { ReadDeps, RunFolder } from '../../ports/run-store.ts';
import { openSnapshot } from '../../run-folder/snapshot.ts';

export const CLEANED_AFTER_MS = 7 * 86_400_000;

export type CleanedAttempt = {
  run: string;
  scenario: string;
  path: string;
  bytes: number;
  files: number;
  /** Number of entries that existed nowhere else and are now in the run's transcripts; absent when there were none. */
  published?: number;
};
export type CleanReport = {
  cleaned: CleanedAttempt[];
  /** Runs that keep what is left, and the reasons. */
  kept: { run: string; why: string }[];
};

export type CleanOptions = { olderThanMs: number; dryRun: boolean };

/**
 * Removes `wip/` of a run whose state is final and whose journal has not grown for long enough; conversations in it are
 * published first. Reports, verifications and forks use other parts of the folder. A live, gated, paused or errored run
 * keeps its attempts, which hold paid calls. A journal is read only where something is left.
 */
export async function cleanWorkspaces(options: CleanOptions, { store, clock }: ReadDeps): Promise<CleanReport> {
  const report: CleanReport = { cleaned: [], kept: [] };
  for (const found of (await store.atWork?.()) ?? (await store.folders())) {
    const { id, scenario, dir } = found;
    const wip = join(dir, 'wip');
    if (store.atWork === undefined && (await listAttemptNames(wip)).length === 0) continue;
    const why = await findReasonToKeep(dir, options.olderThanMs, { store, clock });
    const run = store.at(found);
    const attempts = why === undefined && store.atWork !== undefined ? await run.artifacts.live() : [];
    const published = why ?? (await publishOrReason(run, options.dryRun));
    if (typeof published === 'string') {
      report.kept.push({ run: id, why: published });
      continue;
    }
    const size = await measureFolder(wip);
    if (!options.dryRun) {
      for (const name of attempts) await run.artifacts.discard(name.split('@')[0] ?? name);
      await rm(wip, { recursive: true, force: true });
    }
    report.cleaned.push({ run: id, scenario, path: wip, ...size, ...(published === 0 ? {} : { published }) });
  }
  return report;
}

/** Publishes the conversation of a run that was cancelled within a step; returns a sentence when its workspace must stay. */
async function publishOrReason(run: RunFolder, dryRun: boolean): Promise<number | string> {
  try {
    const { publishUnfinishedSteps } = await import('./publish-unfinished.ts');
    return await publishUnfinishedSteps(run, dryRun);
  } catch (error) {
    if (isHarnessError(error)) return `what was said in it cannot be published: ${error.message}`;
    throw error;
  }
}

/** A `wip` that is a link leads elsewhere, and is not a workspace. */
async function listAttemptNames(wip: string): Promise<string[]> {
  const found = await lstat(wip).catch(() => undefined);
  return found?.isDirectory() === true ? readdir(wip) : [];
}

async function findReasonToKeep(
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

/** Counts links by their own size, because their targets are not freed. */
async function measureFolder(folder: string): Promise<{ bytes: number; files: number }> {
  const total = { bytes: 0, files: 0 };
  for (const item of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (item.isDirectory()) continue;
    const found = await lstat(join(item.parentPath, item.name)).catch(() => undefined);
    total.bytes += found?.size ?? 0;
    total.files += 1;
  }
  return total;
}
