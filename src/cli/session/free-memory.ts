/** Between two messages a session gives back what its answers needed: nobody else would, and after hours it would hold several times as much. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (how: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** Worth the few dozen milliseconds of a collection, while a person reads. */
const GROWN_BYTES = 16_000_000;

/** Collects where the heap has grown by so much since the last time. */
export function memoryKeeper(): () => void {
  let collect: Collect | undefined;
  let before = process.memoryUsage().heapUsed;
  return () => {
    if (process.memoryUsage().heapUsed - before < GROWN_BYTES) return;
    collect ??= exposed();
    collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    before = process.memoryUsage().heapUsed;
  };
}

/** Node gives it to programs that were started with a switch; a session is not. */
function exposed(): Collect | undefined {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  setFlagsFromString('--no-expose-gc');
  return collect as Collect | undefined;
}
