/** Reminders, expiry and notices: `tandem serve` and every worker check them every few seconds. */
import { join } from 'node:path';
import { openLease, type Lease } from '../disk/lease.ts';
import { openChannels } from '../adapters/notices/open-channels.ts';
import type { Home } from '../config/home.ts';
import type { Reviewers } from '../config/reviewers.ts';
import { messageOf } from '../errors.ts';
import type { ReadDeps } from '../ports/read-deps.ts';
import { createNotifier, type Notifier } from '../gate/send-notices.ts';
import { applyGateDeadlines } from '../gate/deadlines.ts';
import { openRunIndex } from '../run-folder/run-index.ts';
import { linksOf } from './notice-links.ts';

export type GateSchedulerOptions = {
  read: ReadDeps;
  reviewers: Reviewers;
  env: Readonly<Record<string, string | undefined>>;
  /** Signs the links; the same as the page's. Absent: links lead to the gate, where the reviewer signs in. */
  secret?: string | undefined;
  /** `http://127.0.0.1:7420`, without a slash at its end. Absent: notices would have no link, so none are sent. */
  base: string | undefined;
  /** Held while notices are sent; absent: no other process sends any. */
  lease?: Lease | undefined;
  log: (line: string) => void;
};

const LOOK_EVERY_MS = 15_000;

export type GateScheduler = {
  look: (signal: AbortSignal) => Promise<void>;
  start: (signal: AbortSignal) => void;
  /** Gates that waited at the last look; undefined before it. */
  waiting: () => number | undefined;
  /** After the signal: the last look ends, and others may go on at once. */
  close: () => Promise<void>;
};

/** Contract: `config_invalid` at once when a channel cannot be used; afterwards nothing is thrown, only logged. */
export function startGateScheduler(options: GateSchedulerOptions): GateScheduler {
  const { read, reviewers, base, log } = options;
  const index = openRunIndex(read.store);
  const notifier = base === undefined ? undefined : openNotifier({ ...options, base });
  const times = { remindAfterHours: reviewers.remind_after_hours, expireAfterHours: reviewers.expire_after_hours };
  let current: Promise<void> | undefined;
  let waiting: number | undefined;
  const look = async (signal: AbortSignal): Promise<void> => {
    const { runs } = await index.look();
    waiting = runs.filter(({ gate }) => gate !== undefined).length;
    const done = await applyGateDeadlines(runs, times, read);
    for (const line of done) log(line);
    await notifier?.send(done.length === 0 ? runs : (await index.look()).runs, signal);
  };
  const lookOnce = (signal: AbortSignal): Promise<void> =>
    look(signal).catch((error: unknown) => (signal.aborted ? undefined : log(`gates: ${messageOf(error)}`)));
  return {
    look,
    start: (signal) => {
      const again = (): void => {
        current = lookOnce(signal).finally(() => {
          if (!signal.aborted) setTimeout(again, LOOK_EVERY_MS).unref();
        });
      };
      again();
    },
    waiting: () => waiting,
    close: async () => {
      await current;
      await options.lease?.release().catch((error: unknown) => log(`gates: ${messageOf(error)}`));
    },
  };
}

/** Far above the difference of the machines' clocks; after a holder dies no notices are sent for this long. */
const LEASE_MS = 180_000;

/** Of all processes of a project, `serve` or worker, that could send a notice, the one that holds it does. */
export function gateSchedulerLease({ project }: Home, { clock }: ReadDeps): Lease {
  return openLease(join(project, 'scenarios/.keeper.json'), clock, { lastsMs: LEASE_MS });
}

function openNotifier({
  read,
  reviewers,
  env,
  secret,
  base,
  lease,
  log,
}: GateSchedulerOptions & { base: string }): Notifier {
  const channels = openChannels(reviewers.notices, { env, clock: read.clock });
  const isMine = lease === undefined ? () => Promise.resolve(true) : lease.mine;
  return createNotifier({
    ...read,
    channels,
    isMine,
    linksOf: linksOf({ base, reviewers, secret, clock: read.clock }),
    log,
  });
}
