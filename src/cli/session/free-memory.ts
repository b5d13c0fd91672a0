/** Collects garbage between two messages of a session, which otherwise grows to several times its size within hours. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type CollectGarbage = (how: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Growth that is worth a collection of a few dozen milliseconds while a person reads. */
const GROWN_BYTES = 16_000_000;

/** Returns a function that collects when the heap has grown by `GROWN_BYTES` since the last collection. */
export function createMemoryKeeper(): () => void {
  let collect: CollectGarbage | undefined;
  let before = process.memoryUsage().heapUsed;
  return () => {
    if (process.memoryUsage().heapUsed - before < GROWN_BYTES) return;
    collect ??= exposeGc();
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    before = process.memoryUsage().heapUsed;
  };
}

/** Node exposes its collector only to programs started with a flag, which a session is not. */
function exposeGc(): CollectGarbage | undefined {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  setFlagsFromString('--no-expose-gc');
  return collect as CollectGarbage | undefined;
}
