/** While the page is served: reminders, expiry and notices, looked after every few seconds. */
import { openChannels } from '../adapters/notices/open-channels.ts';
import type { Reviewers } from '../config/reviewers.ts';
import { messageOf } from '../errors.ts';
import type { ReadDeps } from '../pipeline/deps.ts';
import { createNotifier } from '../pipeline/send-notices.ts';
import { tendGates } from '../pipeline/tend-gates.ts';
import { linksOf } from './notice-links.ts';

export type KeepOptions = {
  read: ReadDeps;
  reviewers: Reviewers;
  env: Readonly<Record<string, string | undefined>>;
  /** Signs the links; the same as the page's. */
  secret: string;
  /** `http://127.0.0.1:7420`, without a slash at its end. */
  base: string;
  log: (line: string) => void;
};

const LOOK_EVERY_MS = 15_000;

export type Keeping = { look: (signal: AbortSignal) => Promise<void>; start: (signal: AbortSignal) => void };

/** Contract: `config_invalid` at once when a channel cannot be used; afterwards nothing is thrown, only logged. */
export function keepGates(options: KeepOptions): Keeping {
  const { read, reviewers, env, log } = options;
  const channels = openChannels(reviewers.notices, { env, clock: read.clock });
  const notifier = createNotifier({ ...read, channels, linksOf: linksOf({ ...options, clock: read.clock }), log });
  const times = { remindAfterHours: reviewers.remind_after_hours, expireAfterHours: reviewers.expire_after_hours };
  const look = async (signal: AbortSignal): Promise<void> => {
    for (const line of await tendGates(read, times)) log(line);
    await notifier.send(signal);
  };
  return {
    look,
    start: (signal) => {
      const again = (): void => {
        void look(signal)
          .catch((error: unknown) => (signal.aborted ? undefined : log(`gates: ${messageOf(error)}`)))
          .finally(() => {
            if (!signal.aborted) setTimeout(again, LOOK_EVERY_MS).unref();
          });
      };
      again();
    },
  };
}
