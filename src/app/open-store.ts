/** The runs of a project: all that commands need that only look or decide, and quick to open. */
import { join } from 'node:path';
import { openFileRunStore } from '../adapters/files/file-run-store.ts';
import type { Home } from '../config/home.ts';
import { withBatchBudgets } from '../pipeline/batch-spending.ts';
import type { ReadDeps } from '../pipeline/deps.ts';
import type { Progress } from '../ports/progress.ts';

export function openStore(home: Home, progress: Progress = () => undefined): ReadDeps {
  const clock = { now: () => new Date() };
  const store = openFileRunStore({ roots: [join(home.project, 'scenarios')], clock, worker: `worker-${process.pid}` });
  return { store: withBatchBudgets(store, home.project), clock, progress };
}
