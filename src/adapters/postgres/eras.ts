/** Which server answers: after a failover it may lack what was written last, so whoever remembers more begins anew. */
import type { PoolClient } from 'pg';
import { HarnessError } from '../../errors.ts';
import { isOutage } from './store-errors.ts';

/** A session of an earlier server is left behind. What belongs to an earlier era ends: nobody knows what of it is left. */
export function refuseLater(mine: number, theirs: number, shown: string): void {
  if (theirs === mine) return;
  if (theirs < mine) throw Object.assign(new Error('the session is of an earlier server'), { code: '57P01' });
  const message = `Another server has taken the store ${shown} over, and it may lack what was written last. What was under way ends; it goes on from what the store has.`;
  throw new HarnessError('infrastructure', message, { retryable: true });
}

type Eras = {
  now: () => number;
  /** A new connection is checked first, by its borrower: one that the pool checks itself (`verify`) is lost to it when the borrower has given up meanwhile. */
  of: (client: PoolClient) => Promise<number>;
};

/** A promoted standby has a timeline of its own, and a server that was restored elsewhere an identity of its own. */
export function openEras(
  shown: string,
  check: (client: PoolClient) => Promise<void>,
  onNotice: (detail: string) => void = () => undefined,
): Eras {
  const eras = new WeakMap<PoolClient, number>();
  let era = 0;
  let known: string | undefined;
  const enter = async (client: PoolClient): Promise<number> => {
    await check(client);
    const found = await timelineOf(client);
    // Who only reads may do so from a standby.
    if (found === 'standby' && known !== undefined)
      throw Object.assign(new Error('the server is a standby that is not promoted yet'), { code: '25006' });
    if (found !== undefined && found !== 'standby') {
      if (known !== undefined && found !== known) {
        era += 1;
        onNotice(`another server has taken the store ${shown} over: every run is read again from there.`);
      }
      known = found;
    }
    eras.set(client, era);
    return era;
  };
  return { now: () => era, of: async (client) => eras.get(client) ?? enter(client) };
}

/** Undefined where the server does not say it. */
async function timelineOf(client: PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
  if (rows[0]?.standby === true) return 'standby';
  const text = `SELECT system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) AS it FROM pg_control_system()`;
  return client.query<{ it: string }>(text).then(
    (found) => found.rows[0]?.it,
    (error: unknown) => {
      if (isOutage(error)) throw error;
      return undefined;
    },
  );
}
