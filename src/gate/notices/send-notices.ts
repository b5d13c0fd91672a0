/** Sends notices: each through each channel to each recipient once; a channel that is away holds up nothing but itself. */
import pLimit from 'p-limit';
import { isHarnessError, messageOf } from '../../errors.ts';
import { serially } from '../../disk/serially.ts';
import { readChannels, writeChannels, type ChannelStates } from './channel-book.ts';
import { collectNotices, type NoticeSubject, type Pending } from './collect-notices.ts';
import { isSame } from './notice-book.ts';
import { sendOnce, type NoticeDeps, type Sending } from './send-one.ts';

export type NoticeCount = { channel: string; state: 'waiting' | 'sent' | 'refused'; value: number };

export type Notifier = {
  /** Finds what is due of those to which something has happened, and writes it down. */
  collect: (subjects: readonly NoticeSubject[]) => Promise<void>;
  /** Sends what was found; resolves when every channel has nothing more to send now. */
  deliver: (signal: AbortSignal) => Promise<void>;
  /** Of this process: what waits now, and what was sent and given up. */
  counts: () => NoticeCount[];
  /** Channels that take nothing now. */
  failing: () => string[];
};

/** Of one channel at the same time; those of one run go one after the other. */
const AT_ONCE = 4;

export function createNotifier(deps: NoticeDeps): Notifier {
  const state: Sending = { deps, isHolder: false, pending: [], states: {}, tally: new Map(), lock: serially() };
  const announced = new Map<string, string | number>();
  const unreadable = new Set<string>();
  const draining = new Map<string, Promise<void>>();

  const takeOver = async (): Promise<boolean> => {
    if (deps.channels.length === 0 || !(await deps.isMine())) {
      state.isHolder = false;
      return false;
    }
    if (state.isHolder) return true;
    // Another process may have sent meanwhile.
    announced.clear();
    state.pending = [];
    state.states = await sinceNow(await readChannels(deps.shared), deps);
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
            ...merged(found, state.pending),
          ];
          announced.set(subject.key, subject.mark);
        } catch (error) {
          if (!isHarnessError(error)) throw error;
          // One that cannot be read holds up no other; it is looked at again, and said once.
          if (!unreadable.has(subject.key)) deps.log(`notices: ${messageOf(error)}`);
          unreadable.add(subject.key);
        }
      }
    },
    deliver: async (signal) => {
      for (const { name } of deps.channels) {
        if (draining.has(name)) continue;
        draining.set(
          name,
          drain(name, state, signal).finally(() => draining.delete(name)),
        );
      }
      await Promise.all(draining.values());
    },
    counts: () => [...waitingOf(state), ...talliesOf(state)],
    failing: () => Object.keys(state.states).filter((name) => state.states[name]?.fault !== undefined),
  };
}

/** A look while a message is on its way must not forget when it may be tried again. */
function merged(found: readonly Pending[], before: readonly Pending[]): Pending[] {
  const same = (one: Pending, other: Pending) =>
    isSame({ ...one, id: one.notice.id }, { ...other, id: other.notice.id }) && one.subject === other.subject;
  return found.map((one) => before.find((other) => same(one, other)) ?? one);
}

async function sinceNow(known: ChannelStates, { channels, clock, shared }: NoticeDeps): Promise<ChannelStates> {
  const since = clock.now().toISOString();
  const fresh = channels.filter(({ name }) => known[name] === undefined).map(({ name }) => [name, { since }] as const);
  const states = { ...known, ...Object.fromEntries(fresh) };
  if (fresh.length > 0) await writeChannels(shared, states);
  return states;
}

async function drain(name: string, sending: Sending, signal: AbortSignal): Promise<void> {
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
    // After a fault one message finds out whether it has passed.
    const chosen = fault === undefined ? groups : groups.slice(0, 1).map((group) => group.slice(0, 1));
    const limit = pLimit(AT_ONCE);
    const going = await Promise.all(chosen.map((group) => limit(() => sendInOrder(group, sending, signal))));
    if (going.includes(false)) return;
  }
}

/** False when the channel takes nothing now, or another process sends. */
async function sendInOrder(group: readonly Pending[], sending: Sending, signal: AbortSignal): Promise<boolean> {
  for (const one of group) {
    const fault = sending.states[one.channel]?.fault;
    if (fault !== undefined && sending.deps.clock.now().getTime() < Date.parse(fault.until)) return false;
    if (!(await sendOnce(one, sending, signal))) return false;
  }
  return true;
}

function waitingOf({ deps, pending }: Sending): NoticeCount[] {
  return deps.channels.map(({ name: channel }) => ({
    ...{ channel, state: 'waiting' as const },
    value: pending.filter((one) => one.channel === channel).length,
  }));
}

function talliesOf({ tally }: Sending): NoticeCount[] {
  return [...tally].flatMap(([channel, { sent, refused }]) => [
    { channel, state: 'sent' as const, value: sent },
    { channel, state: 'refused' as const, value: refused },
  ]);
}
