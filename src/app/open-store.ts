/** The runs of a project: all that commands need that only look or decide, and quick to open. */
import { join } from 'node:path';
import { openFileRunStore } from '../adapters/files/file-run-store.ts';
import { openFileSpending } from '../adapters/files/file-spending.ts';
import type { Home } from '../config/home.ts';
import { batchDir } from '../batch/batch.ts';
import { withBatchBudgets } from '../batch/spending.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import type { Progress } from '../ports/progress.ts';

/** The reasons why a folder cannot hold runs; empty when it can. */
export async function probeStore(dir: string): Promise<string[]> {
  return (await import('../adapters/files/probe-store.ts')).probeStore(dir);
}

export function openStore(home: Home, progress: Progress = () => undefined): ReadDeps {
  const clock = { now: () => new Date() };
  const store = openFileRunStore({ roots: [join(home.project, 'scenarios')], clock, worker: `worker-${process.pid}` });
  return {
    store: withBatchBudgets(store, (batch) => openFileSpending(batchDir(home.project, batch)), home.project),
    clock,
    progress,
  };
}
