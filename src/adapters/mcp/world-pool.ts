/** The processes of one server: each conversation has one to itself from its first call to its end, and begins with a reset. */
import { sameJson } from '../../scenario/json/json-value.ts';
import { openWorldServer, outage, type WorldServer, type WorldSetup } from './world-server.ts';

/** Processes of one server at a time. Beyond that a conversation that waits gives its own away, and goes on from its state. */
const MOST = 8;

type Slot = { server: WorldServer; lane: AbortSignal | undefined; isBusy: boolean; usedAt: number };

export type WorldPool = {
  /** Contract: `work` has the server to itself, in that state. A sentence: why the server does not have that state. */
  use: <T>(request: PoolRequest, work: (server: WorldServer) => Promise<T>, signal: AbortSignal) => Promise<T | string>;
  close: () => Promise<void>;
};

/** `lane`: absent for a call that belongs to no conversation. */
type PoolRequest = { lane: AbortSignal | undefined; state: unknown };

export function openWorldPool(setup: WorldSetup): WorldPool {
  // An address is one state for all, if it has one.
  const isShared = 'url' in setup && setup.state !== 'none';
  const most = isShared ? 1 : MOST;
  const slots: Slot[] = [];
  let waiting: (() => void)[] = [];
  let uses = 0;
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    all.forEach((resume) => resume());
  };
  const take = async ({ lane, state }: PoolRequest, signal: AbortSignal): Promise<{ slot: Slot; isNew: boolean }> => {
    for (;;) {
      signal.throwIfAborted();
      const own = lane && slots.find((slot) => slot.lane === lane);
      const slot = own === undefined ? freeSlot(slots, state, most) : own.isBusy ? undefined : own;
      if (slot !== undefined) {
        if (!slots.includes(slot)) slots.push(Object.assign(slot, { server: openWorldServer(setup) }));
        const isNew = lane !== undefined && slot.lane !== lane;
        if (isNew) bind(slot, lane, wake);
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

/** An address can be used by others: a conversation that they have disturbed is not judged. */
async function refuseForeignChange(server: WorldServer, name: string, signal: AbortSignal): Promise<void> {
  const last = server.state;
  if (last === undefined || sameJson(last, await server.read(signal))) return;
  server.state = undefined;
  throw outage(name, 'somebody else changed its state during a conversation');
}

/** One that nobody has, best in that state already; else a new one; else that of the conversation that waits longest. */
function freeSlot(slots: readonly Slot[], state: unknown, most: number): Slot | undefined {
  const idle = slots.filter((slot) => !slot.isBusy);
  const free = idle.filter((slot) => slot.lane === undefined);
  const fit = free.find(({ server }) => server.state !== undefined && sameJson(server.state, state)) ?? free[0];
  if (fit !== undefined) return fit;
  if (slots.length < most) return { server: undefined as never, lane: undefined, isBusy: false, usedAt: 0 };
  return idle.toSorted((one, other) => one.usedAt - other.usedAt)[0];
}

function bind(slot: Slot, lane: AbortSignal, wake: () => void): void {
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
