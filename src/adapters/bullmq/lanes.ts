/** The queues of all requested lanes: one per kind of step and model, with names that every server accepts. */
import { sha256 } from '../../disk/sha256.ts';
import type { Lane } from '../../ports/job-queue.ts';
import type { Backend, LaneQueue } from './backend.ts';

const PREFIX = 'tandem-';
const LONGEST = 80;

/** Model names contain colons and slashes, which queue names must not; two models never share a queue name. */
export function laneName(lane: Lane, model?: string): string {
  if (model === undefined) return `${PREFIX}${lane}`;
  const safe = model.replaceAll(/[^A-Za-z0-9._-]/g, '-').slice(0, LONGEST);
  return `${PREFIX}${lane}-${safe}-${sha256(model).slice(0, 8)}`;
}

export type Lanes = {
  of(lane: Lane, model?: string): LaneQueue;
  /** The lanes that this process requested. */
  all(): readonly (readonly [Lane, LaneQueue])[];
};

export function openLanes(backend: Backend, onError: (error: Error) => void, always: readonly Lane[]): Lanes {
  const open = new Map<string, readonly [Lane, LaneQueue]>();
  const of = (lane: Lane, model?: string): LaneQueue => {
    const name = laneName(lane, model);
    const known = open.get(name);
    if (known !== undefined) return known[1];
    const queue = backend.queue(name);
    queue.on('error', onError);
    open.set(name, [lane, queue]);
    // A PostgreSQL queue whose first connection failed never connects again, so the next request opens another one.
    queue.waitUntilReady().catch(() => {
      open.delete(name);
      void queue.close().catch(() => undefined);
    });
    return queue;
  };
  for (const lane of always) of(lane);
  return { of, all: () => [...open.values()] };
}
