/** Notices which server answers: after a failover it may lack the last writes, so processes that know more restart. */
import type { PoolClient } from 'pg';
import { HarnessError } from '../../errors.ts';
import { isOutage } from './store-errors.ts';

/** Drops a session of an earlier server, and ends work of an earlier era, because the new server may lack parts of it. */
export function assertSameEra(mine: number, theirs: number, shown: string): void {
  if (theirs === mine) return;
  if (theirs < mine) throw Object.assign(new Error('the session is of an earlier server'), { code: '57P01' });
  const message = `Another server has taken the store ${shown} over, and it may lack what was written last. What was under way ends; it goes on from what the store has.`;
  throw new HarnessError('infrastructure', message, { retryable: true });
}

type Eras = {
  now: () => number;
  /** A borrower checks a new connection first. The pool's own check (`verify`) would lose the connection when the borrower has given up meanwhile. */
  of: (client: PoolClient) => Promise<number>;
};

/** A promoted standby has its own timeline, and a server restored elsewhere has its own identity. */
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
    const found = await readTimeline(client);
    // A process that only reads may do so from a standby.
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

/** Undefined when the server does not report it. */
async function readTimeline(client: PoolClient): Promise<string | undefined> {
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
