/** Memory while an evaluation runs: V8 collects early, and its young part does not grow. */
import { setFlagsFromString } from 'node:v8';

/** The old part is collected when it has grown by half of what lives in it. */
const LEAN = ['--heap-growing-percent=50', '--incremental-marking-hard-trigger=30'];
const NO_GROWTH = '--semi-space-growth-factor=1';
/** V8's own defaults. */
const USUAL = ['--semi-space-growth-factor=2', '--heap-growing-percent=0', '--incremental-marking-hard-trigger=0'];

/**
 * Stops the growth of the young generation, in the threads of sandboxes too. It never shrinks, so call this before the
 * modules of an evaluation are loaded; `withLeanHeap` ends it.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString(NO_GROWTH);
}

/**
 * Runs the work with early garbage collection: by default long answers pile up to many times the memory in use. When
 * two evaluations run at once, the first to end resets the flags, which V8 reads at every collection.
 */
export async function withLeanHeap<T>(work: () => Promise<T>): Promise<T> {
  [NO_GROWTH, ...LEAN].forEach((flag) => setFlagsFromString(flag));
  try {
    return await work();
  } finally {
    USUAL.forEach((flag) => setFlagsFromString(flag));
  }
}
