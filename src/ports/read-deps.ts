/** The ports for code that only looks at runs or decides at their gates. */
import type { Clock } from './clock.ts';
import type { Progress } from './progress.ts';
import type { RunStore } from './run-store.ts';

/** Enough to look at runs and to decide at gates; nothing here can call a model. */
export type ReadDeps = {
  store: RunStore;
  clock: Clock;
  progress: Progress;
};
