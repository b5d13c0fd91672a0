/** Collects early while an evaluation runs: V8 alone lets long answers lie until they fill many times what is in use. */
import { setFlagsFromString } from 'node:v8';

/** The young part stays as small as it begins; the old part may grow by half of what lives in it before it is looked through. */
const LEAN = ['--semi-space-growth-factor=1', '--heap-growing-percent=50', '--incremental-marking-hard-trigger=30'];
/** As V8 has them by itself. */
const USUAL = ['--semi-space-growth-factor=2', '--heap-growing-percent=0', '--incremental-marking-hard-trigger=0'];

/** Both flags are read at every collection and can be changed at any time; of two evaluations at once the first to end sets them back. */
export async function withLeanHeap<T>(work: () => Promise<T>): Promise<T> {
  LEAN.forEach((flag) => setFlagsFromString(flag));
  try {
    return await work();
  } finally {
    USUAL.forEach((flag) => setFlagsFromString(flag));
  }
}
