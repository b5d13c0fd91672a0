/** Grants slots at a provider: callers of one process wait in one line, and only the first of them asks the store. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { getOrCreate } from '../../get-or-create.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { LimitedLane, RateLimiter, SlotRequest } from '../../ports/limits.ts';
import { unlessAborted } from '../../ports/unless-aborted.ts';
import { createSerialQueue } from '../../disk/serial-queue.ts';
import {
  isLimited,
  SLOT_LEASE_MS,
  LONGEST_WAIT_MS,
  type RateLimitReply,
  type RateLimitRequest,
  type RateLimitStore,
  type RateLimitReason,
} from './rate-limit-state.ts';

const WORDS: Readonly<Record<RateLimitReason | 'away', string>> = {
  paused: 'the provider asked for a pause',
  turn: 'others were before it',
  concurrency: 'as many calls as allowed are running',
  requests: 'the requests of this minute are used up',
  tokens: 'the tokens of this minute are used up',
  pace: 'calls are spread over the minute',
  provider: 'little is left of what the provider allows',
  away: 'the queue that keeps the limits does not answer',
};

type CallerLine = {
  inTurn: ReturnType<typeof createSerialQueue>;
  running: Set<string>;
  nudge: PromiseWithResolvers<void>;
};

// oxlint-disable-next-line max-lines-per-function -- one line of callers per lane; its parts are named closures over them
export function openRateLimiter(store: RateLimitStore, options: { windowMs?: number } = {}): RateLimiter {
  const { windowMs = 60_000 } = options;
  const lines = new Map<string, CallerLine>();
  const lineOf = (lane: string): CallerLine =>
    getOrCreate(lines, lane, () => ({
      inTurn: createSerialQueue(),
      running: new Set(),
      nudge: Promise.withResolvers<void>(),
    }));
  // An unreachable store counts as a wait: callers see the reason, and no call is made until it answers.
  const send = (lane: string, ask: RateLimitRequest): Promise<RateLimitReply | { waitMs: number; why: 'away' }> =>
    store.ask(lane, ask).catch(() => ({ waitMs: LONGEST_WAIT_MS, why: 'away' as const }));

  const alive = setInterval(() => {
    for (const [lane, { running }] of lines)
      if (running.size > 0) void send(lane, { type: 'alive', ids: [...running] });
  }, SLOT_LEASE_MS / 3).unref();

  // Whoever still waits when the command is over would wait for ever, and keep its process alive.
  const closed = new AbortController();
  const untilEntered = async (
    { lane, limit }: LimitedLane,
    { signal: given, onWait, ...call }: SlotRequest & { id: string; again: boolean },
  ): Promise<void> => {
    const signal = AbortSignal.any([given, closed.signal]);
    for (;;) {
      signal.throwIfAborted();
      const line = lineOf(lane);
      line.nudge = Promise.withResolvers<void>();
      const { waitMs, why } = await send(lane, { type: 'enter', ...call, limit, windowMs });
      if (waitMs === 0) return;
      onWait({ lane, why: WORDS[why ?? 'turn'], waitMs });
      const woken = why === 'concurrency' || why === 'turn' ? line.nudge.promise : undefined;
      await waitUntilWoken(waitMs, woken, signal);
    }
  };

  const enter: RateLimiter['enter'] = async (of, { tokens, onWait, signal }) => {
    const { lane, limit } = of;
    const line = lineOf(lane);
    const id = randomUUID();
    const limited = isLimited(limit);
    const ask = () => untilEntered(of, { id, tokens, again: false, onWait, signal });
    const leave = (usedTokens?: number): void => {
      line.running.delete(id);
      line.nudge.resolve();
      if (!limited) return;
      void send(lane, { type: 'leave', id, limit, windowMs, ...omitUndefined({ tokens: usedTokens }) });
    };
    const entering = limited ? line.inTurn(ask) : ask();
    try {
      await unlessAborted(entering, signal);
      // The call may be aborted at the moment in which it gets its slot.
      signal.throwIfAborted();
    } catch (error) {
      void entering.catch(() => undefined).finally(() => leave());
      throw error;
    }
    if (limited) line.running.add(id);
    let isLeft = false;
    return {
      again: (until) => untilEntered(of, { id, tokens, again: true, onWait, signal: until }),
      leave: (usedTokens) => {
        if (isLeft) return;
        isLeft = true;
        leave(usedTokens);
      },
    };
  };

  return {
    enter,
    pause: async (lane, ms) => void (await send(lane, { type: 'pause', ms })),
    learn: async (lane, allowances) => void (await send(lane, { type: 'learn', allowances })),
    close: () => {
      clearInterval(alive);
      closed.abort();
    },
  };
}

async function waitUntilWoken(ms: number, woken: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const waiting = delay(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined);
  await (woken === undefined ? waiting : Promise.race([waiting, woken]));
  over.abort();
  signal.throwIfAborted();
}
