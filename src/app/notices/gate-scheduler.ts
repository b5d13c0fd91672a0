/** Reminders, expiry and notices: `tandem serve` and every worker check them every few seconds. */
import { openLease, type Lease } from '../../disk/lease.ts';
import { openChannels, type ChannelOptions } from '../../adapters/notices/open-channels.ts';
import type { Reviewers } from '../../config/reviewers.ts';
import { describeError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { createNotifier, type Notifier } from '../../gate/notices/send-notices.ts';
import { applyGateDeadlines } from '../../gate/apply-deadlines.ts';
import { getRunIndex, type IndexedRun } from '../../run-folder/run-index.ts';
import type { ProjectDeps } from '../open-store.ts';
import { createLinks, noticeSubjects } from './subjects.ts';

export type GateSchedulerOptions = {
  /** The folder that holds `scenarios/` and `batches/`. */
  project: string;
  read: ProjectDeps;
  reviewers: Reviewers;
  env: Readonly<Record<string, string | undefined>>;
  /** Signs the links, with the same secret as the page. Absent: links lead to the gate, where the reviewer signs in. */
  secret?: string | undefined;
  /** Such as `http://127.0.0.1:7420`, without a trailing slash. Absent: notices would lack a link, so none are sent. */
  base: string | undefined;
  /** The lease that is held while notices are sent; absent when no other process sends any. */
  lease?: Lease | undefined;
  log: (line: string) => void;
  /** A shorter interval in milliseconds, for tests. */
  lookEveryMs?: number;
  tries?: ChannelOptions['tries'];
};

const LOOK_EVERY_MS = 15_000;

export type GateScheduler = {
  /** Handles reminders, expiry, and every notice that can be sent now. */
  look: (signal: AbortSignal) => Promise<void>;
  /** Repeats `look`; a slow channel delays none of them. */
  start: (signal: AbortSignal) => void;
  /** Returns the runs as of the last look; undefined before the first. */
  runs: () => readonly IndexedRun[] | undefined;
  /** The time of the last successful look; at first, the time of opening. */
  lookedAt: () => number;
  /** Absent when this process sends no notices. */
  notices: Pick<Notifier, 'counts' | 'failing'> | undefined;
  /** To be called after the signal: the last look ends, and other processes may take over at once. */
  close: () => Promise<void>;
};

/** Contract: `config_invalid` at once when a channel cannot be used; afterwards nothing is thrown, only logged. */
export function startGateScheduler(options: GateSchedulerOptions): GateScheduler {
  const { read, reviewers, base, log } = options;
  const index = getRunIndex(read.store);
  const notifier = base === undefined ? undefined : openNotifier({ ...options, base });
  const times = { remindAfterHours: reviewers.remind_after_hours, expireAfterHours: reviewers.expire_after_hours };
  const going = new Set<Promise<void>>();
  let runs: readonly IndexedRun[] | undefined;
  let lookedAt = Date.now();
  const collect = async (): Promise<void> => {
    runs = (await index.look()).runs;
    const done = await applyGateDeadlines(runs, times, read);
    for (const line of done) log(line);
    if (done.length > 0) runs = (await index.look()).runs;
    if (reviewers.notices.length > 0) await notifier?.collect(await noticeSubjects(runs, read));
    lookedAt = Date.now();
  };
  /** Never rejects. */
  const go = (work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
    const one: Promise<void> = work()
      .catch((error: unknown) => (signal.aborted ? undefined : log(`gates: ${describeError(error)}`)))
      .finally(() => going.delete(one));
    going.add(one);
    return one;
  };
  return {
    look: async (signal) => {
      await collect();
      await notifier?.deliver(signal);
    },
    start: (signal) => {
      const again = (): void => {
        void go(collect, signal).then(() => {
          if (signal.aborted) return;
          if (notifier !== undefined) void go(() => notifier.deliver(signal), signal);
          setTimeout(again, options.lookEveryMs ?? LOOK_EVERY_MS).unref();
        });
      };
      again();
    },
    runs: () => runs,
    lookedAt: () => lookedAt,
    notices: notifier,
    close: async () => {
      while (going.size > 0) await Promise.all(going);
      await options.lease?.release().catch((error: unknown) => log(`gates: ${describeError(error)}`));
    },
  };
}

/** Far above the clock difference of machines, in ms. After a holder dies, no notices are sent for this long. */
const LEASE_MS = 180_000;

/** Lets one process of the project send notices, of all `serve` and worker processes that could. */
export function gateSchedulerLease({ shared, clock }: Pick<ProjectDeps, 'shared' | 'clock'>): Lease {
  return openLease({ files: shared, path: 'scenarios/.keeper.json' }, clock, { lastsMs: LEASE_MS });
}

function openNotifier(options: GateSchedulerOptions & { base: string }): Notifier {
  const { read, reviewers, env, secret, base, lease, log } = options;
  const { clock } = read;
  return createNotifier({
    clock,
    channels: openChannels(reviewers.notices, omitUndefined({ env, clock, tries: options.tries })),
    isMine: lease === undefined ? () => Promise.resolve(true) : lease.mine,
    linksOf: createLinks({ base, reviewers, secret, clock }),
    shared: read.shared,
    log,
  });
}
