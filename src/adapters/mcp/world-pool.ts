/** The processes of one server: each conversation has one to itself from its first call to its end, and begins with a reset. */
import { sameJson } from '../../scenario/json/json-value.ts';
import { openWorldServer, createOutageError, type RunningWorldServer, type WorldSetup } from './world-server.ts';

/** The most processes of one server. Beyond it a waiting conversation gives its process up and gets its state back later. */
const MAX_PROCESSES = 8;

type PoolSlot = { server: RunningWorldServer; lane: AbortSignal | undefined; isBusy: boolean; usedAt: number };

export type WorldPool = {
  /** Contract: `work` has the server to itself, in that state. A string says why the server lacks that state. */
  use: <T>(
    request: PoolRequest,
    work: (server: RunningWorldServer) => Promise<T>,
    signal: AbortSignal,
  ) => Promise<T | string>;
  close: () => Promise<void>;
};

/** `lane`: absent for a call outside of a conversation. */
type PoolRequest = { lane: AbortSignal | undefined; state: unknown };

export function openWorldPool(setup: WorldSetup): WorldPool {
  // A server at an address has one state for all conversations, if it has any.
  const isShared = 'url' in setup && setup.state !== 'none';
  const most = isShared ? 1 : MAX_PROCESSES;
  const slots: PoolSlot[] = [];
  let waiting: (() => void)[] = [];
  let uses = 0;
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    all.forEach((resume) => resume());
  };
  const take = async (
    { lane, state }: PoolRequest,
    signal: AbortSignal,
  ): Promise<{ slot: PoolSlot; isNew: boolean }> => {
    for (;;) {
      signal.throwIfAborted();
      const own = lane && slots.find((slot) => slot.lane === lane);
      const slot = own === undefined ? freeSlot(slots, state, most) : own.isBusy ? undefined : own;
      if (slot !== undefined) {
        if (!slots.includes(slot)) slots.push(Object.assign(slot, { server: openWorldServer(setup) }));
        const isNew = lane !== undefined && slot.lane !== lane;
        if (isNew) assignLane(slot, lane, wake);
        else slot.lane = lane;
        return { slot: Object.assign(slot, { isBusy: true, usedAt: (uses += 1) }), isNew };
      }
      await new Promise<void>((resume) => waiting.push(resume));
    }
  };
  return {
    async use(request, work, signal) {
      const { slot, isNew } = await take(request, signal);
      const { server } = slot;
      try {
        if (isShared && !isNew && request.lane !== undefined) await refuseForeignChange(server, setup.name, signal);
        const isThere = !isNew && server.state !== undefined && sameJson(server.state, request.state);
        return (isThere ? undefined : await server.reset(request.state, signal)) ?? (await work(server));
      } finally {
        slot.isBusy = false;
        wake();
      }
    },
    async close() {
      await Promise.all(slots.splice(0).map(({ server }) => server.close()));
    },
  };
}

/** Others can use a server at an address too, and a conversation that they have disturbed is not judged. */
async function refuseForeignChange(server: RunningWorldServer, name: string, signal: AbortSignal): Promise<void> {
  const last = server.state;
  if (last === undefined || sameJson(last, await server.read(signal))) return;
  server.state = undefined;
  throw createOutageError(name, 'somebody else changed its state during a conversation');
}

/** Prefers an unused process, best in that state; then a new one; then that of the longest waiting conversation. */
function freeSlot(slots: readonly PoolSlot[], state: unknown, most: number): PoolSlot | undefined {
  const idle = slots.filter((slot) => !slot.isBusy);
  const free = idle.filter((slot) => slot.lane === undefined);
  const fit = free.find(({ server }) => server.state !== undefined && sameJson(server.state, state)) ?? free[0];
  if (fit !== undefined) return fit;
  if (slots.length < most) return { server: undefined as never, lane: undefined, isBusy: false, usedAt: 0 };
  return idle.toSorted((one, other) => one.usedAt - other.usedAt)[0];
}

function assignLane(slot: PoolSlot, lane: AbortSignal, wake: () => void): void {
  slot.lane = lane;
  lane.addEventListener(
    'abort',
    () => {
      if (slot.lane === lane) slot.lane = undefined;
      wake();
    },
    { once: true },
  );
}
