/** Sends each notice once per channel and recipient; a channel that fails holds up no other channel. */
import pLimit from 'p-limit';
import { isHarnessError, describeError } from '../../errors.ts';
import { createSerialQueue } from '../../disk/serial-queue.ts';
import { readChannels, writeChannels, type ChannelStates } from './channel-book.ts';
import { collectNotices, type NoticeSubject, type PendingMessage } from './collect-notices.ts';
import { isSameDelivery } from './notice-book.ts';
import { sendOnce, type NoticeDeps, type NotifierState } from './send-one.ts';

export type NoticeCount = { channel: string; state: 'waiting' | 'sent' | 'refused'; value: number };

export type Notifier = {
  /** Finds the due notices of subjects that have changed, and writes them down. */
  collect: (subjects: readonly NoticeSubject[]) => Promise<void>;
  /** Sends the collected messages; resolves when no channel has more to send now. */
  deliver: (signal: AbortSignal) => Promise<void>;
  /** Counts this process's messages: waiting now, sent so far, and given up. */
  counts: () => NoticeCount[];
  /** Names the channels that accept nothing now. */
  failing: () => string[];
};

/** The most parallel messages of one channel; messages of one run are sent one after the other. */
const AT_ONCE = 4;

export function createNotifier(deps: NoticeDeps): Notifier {
  const state: NotifierState = {
    deps,
    isHolder: false,
    pending: [],
    states: {},
    tally: new Map(),
    lock: createSerialQueue(),
  };
  const announced = new Map<string, string | number>();
  const unreadable = new Set<string>();
  const draining = new Map<string, Promise<void>>();

  const takeOver = async (): Promise<boolean> => {
    if (deps.channels.length === 0 || !(await deps.isMine())) {
      state.isHolder = false;
      return false;
    }
    if (state.isHolder) return true;
    // Another process may have sent in the meantime.
    announced.clear();
    state.pending = [];
    state.states = await registerChannels(await readChannels(deps.shared), deps);
    state.isHolder = true;
    return true;
  };

  return {
    collect: async (subjects) => {
      if (!(await takeOver())) return;
      const { channels, linksOf } = deps;
      const nowMs = deps.clock.now().getTime();
      for (const subject of subjects) {
        if (announced.get(subject.key) === subject.mark) continue;
        try {
          const found = await collectNotices(subject, { channels, states: state.states, linksOf, nowMs });
          state.pending = [
            ...state.pending.filter((one) => one.subject !== subject.key),
            ...mergePending(found, state.pending),
          ];
          announced.set(subject.key, subject.mark);
        } catch (error) {
          if (!isHarnessError(error)) throw error;
          // A subject that cannot be read is logged once and tried again; it holds up no other subject.
          if (!unreadable.has(subject.key)) deps.log(`notices: ${describeError(error)}`);
          unreadable.add(subject.key);
        }
      }
    },
    deliver: async (signal) => {
      for (const { name } of deps.channels) {
        if (draining.has(name)) continue;
        draining.set(
          name,
          drainChannel(name, state, signal).finally(() => draining.delete(name)),
        );
      }
      await Promise.all(draining.values());
    },
    counts: () => [...countWaiting(state), ...countSettled(state)],
    failing: () => Object.keys(state.states).filter((name) => state.states[name]?.fault !== undefined),
  };
}

/** Keeps the retry time of a message that is being sent while its subject is collected again. */
function mergePending(found: readonly PendingMessage[], before: readonly PendingMessage[]): PendingMessage[] {
  const same = (one: PendingMessage, other: PendingMessage) =>
    isSameDelivery({ ...one, id: one.notice.id }, { ...other, id: other.notice.id }) && one.subject === other.subject;
  return found.map((one) => before.find((other) => same(one, other)) ?? one);
}

async function registerChannels(known: ChannelStates, { channels, clock, shared }: NoticeDeps): Promise<ChannelStates> {
  const since = clock.now().toISOString();
  const fresh = channels.filter(({ name }) => known[name] === undefined).map(({ name }) => [name, { since }] as const);
  const states = { ...known, ...Object.fromEntries(fresh) };
  if (fresh.length > 0) await writeChannels(shared, states);
  return states;
}

async function drainChannel(name: string, sending: NotifierState, signal: AbortSignal): Promise<void> {
  const { clock } = sending.deps;
  for (;;) {
    signal.throwIfAborted();
    const nowMs = clock.now().getTime();
    const fault = sending.states[name]?.fault;
    if (fault !== undefined && nowMs < Date.parse(fault.until)) return;
    const ready = sending.pending.filter(({ channel, afterMs }) => channel === name && afterMs <= nowMs);
    if (ready.length === 0) return;
    const groups = [...Map.groupBy(ready, ({ subject, to }) => `${subject} ${to ?? ''}`).values()];
    groups.sort(([one], [other]) => (one?.tries ?? 0) - (other?.tries ?? 0));
    // After a fault a single message tests whether the channel works again.
    const chosen = fault === undefined ? groups : groups.slice(0, 1).map((group) => group.slice(0, 1));
    const limit = pLimit(AT_ONCE);
    const going = await Promise.all(chosen.map((group) => limit(() => sendInOrder(group, sending, signal))));
    if (going.includes(false)) return;
  }
}

/** Resolves with false when the channel accepts nothing now, or when another process has taken over the sending. */
async function sendInOrder(
  group: readonly PendingMessage[],
  sending: NotifierState,
  signal: AbortSignal,
): Promise<boolean> {
  for (const one of group) {
    const fault = sending.states[one.channel]?.fault;
    if (fault !== undefined && sending.deps.clock.now().getTime() < Date.parse(fault.until)) return false;
    if (!(await sendOnce(one, sending, signal))) return false;
  }
  return true;
}

function countWaiting({ deps, pending }: NotifierState): NoticeCount[] {
  return deps.channels.map(({ name: channel }) => ({
    ...{ channel, state: 'waiting' as const },
    value: pending.filter((one) => one.channel === channel).length,
  }));
}

function countSettled({ tally }: NotifierState): NoticeCount[] {
  return [...tally].flatMap(([channel, { sent, refused }]) => [
    { channel, state: 'sent' as const, value: sent },
    { channel, state: 'refused' as const, value: refused },
  ]);
}
