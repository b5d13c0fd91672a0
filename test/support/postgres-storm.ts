/** A batch in a storm on PostgreSQL, with its runs in folders or in a store on the same server. TANDEM_STORMS=full: ten seeds. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chance, faultsFor, makeGround, rage, startFleet } from './chaos.ts';
import { lastJson, tandem } from './cli.ts';
import { expectWhole } from './expect-whole.ts';
import { startCluster, type PostgresCluster } from './postgres-weather.ts';
import { startSubmitter } from './submitter.ts';

const IS_FULL = process.env['TANDEM_STORMS'] === 'full';
const FIRST = Number(process.env['TANDEM_CHAOS_SEED'] ?? 20_261_123);
const TIMES = Number(process.env['TANDEM_CHAOS_TIMES'] ?? (IS_FULL ? 10 : 1));
const SEEDS = Array.from({ length: TIMES }, (_, index) => FIRST + index);
const RUNS = IS_FULL ? 3 : 2;
const EVERY_MS = IS_FULL ? 1_000 : 500;
const AWAY_MS = IS_FULL ? 5_000 : 1_000;
const MOST_MS = IS_FULL ? 20 * 60_000 : 200_000;
const FAULT_RATE = 0.05;
/** Calls in flight at most: samples fan out to three workers with four places each, and each run has an agent. */
const IN_FLIGHT = 3 * 4 + RUNS;
const GATE = ['--on-gate', 'auto:demo'];

export type PostgresStorm = {
  title: string;
  /** Where the runs live; the queue is on the server in both. */
  home: 'folders' | 'store';
  /** At the small size: what other tests have, or takes 15 s until anybody notices, is left out. */
  samples: number;
  leftOut: readonly string[];
};

export function postgresStorm({ title, home, samples, leftOut }: PostgresStorm): void {
  const size = IS_FULL ? { rounds: 1, iterations: 4, samples: 16 } : { rounds: 1, iterations: 2, samples };
  test.each(SEEDS)(title, { timeout: MOST_MS + 60_000, ...(IS_FULL ? { retry: 0 } : {}) }, async (seed) => {
    const random = chance(seed);
    const [calm, rough, cluster, cache] = await Promise.all([
      makeGround(size, []),
      makeGround(size, faultsFor(random, RUNS * 4000, FAULT_RATE)),
      startCluster(AWAY_MS, home),
      mkdtemp(join(tmpdir(), 'tandem-storm-cache-')),
    ]);
    const { url } = cluster;
    const where = { TANDEM_QUEUE: url, ...(home === 'store' && { TANDEM_STORE: url, XDG_CACHE_HOME: cache }) };
    const env = { ...rough.simulator.env, ...where };
    const over = new AbortController();
    let storm: ReturnType<typeof rage> | undefined;
    const submitting = ['batch', 'chaos-desk', '--id', 'storm', '--continue', '--runs', String(RUNS), ...GATE];
    const fleet = startFleet(rough.project, env, [60_000, -60_000, 0]);
    const submitter = startSubmitter(rough.project, [...submitting, '--profile', 'chaos', '--json'], env);
    const killSubmitter = async (): Promise<boolean> => {
      submitter.kill();
      return false;
    };
    try {
      const ofServer = Object.entries(cluster.weather).filter(([name]) => IS_FULL || !leftOut.includes(name));
      const weather = { ...Object.fromEntries(ofServer), 'submitter killed': killSubmitter };
      const most = IS_FULL ? 24 : Object.keys(weather).length + 2;
      await begun(home === 'store' ? cluster : rough.project, AbortSignal.timeout(MOST_MS));
      storm = rage({ random, weather, fleet, everyMs: EVERY_MS, most, signal: over.signal });
      const reference = lastJson(
        await tandem(calm.project, ['run', 'chaos-desk', ...GATE, '--id', 'calm', '--json'], calm.simulator.env),
      );
      expect(reference['status']).toBe('succeeded');
      const late = AbortSignal.timeout(MOST_MS);
      late.addEventListener('abort', () => submitter.end());
      const finished = await submitter.done;
      over.abort();
      const { server, forgotten, seen } = await storm;
      const disturbances = fleet.disturbances() + server;
      const deadlocks = await cluster.deadlocks();
      const last = await fleet.end();
      expect(finished.code, `${finished.stderr.slice(-3000)}\n${last}`).toBe(0);
      expect(lastJson(finished)).toMatchObject({ runs: RUNS, met: RUNS });
      // Verified, copied to a folder, and compared there with the undisturbed run.
      const out = home === 'store' ? join(cache, 'out') : rough.project;
      if (home === 'store') {
        const copied = await tandem(rough.project, ['copy', 'storm-*', '--to', out], where);
        expect(copied, copied.stderr).toMatchObject({ code: 0 });
      }
      for (let number = 1; number <= RUNS; number += 1) await expectWhole(out, `storm-00${number}`, calm.project);
      const extra = rough.simulator.answered() - RUNS * Number(reference['modelCalls']);
      console.log(
        `seed ${seed}: ${disturbances} disturbances (${[...seen].join(', ')}; ${forgotten} failovers, ${deadlocks} deadlocks), ${extra} calls paid twice`,
      );
      expect(fleet.crashes(), 'workers that ended by themselves').toEqual([]);
      expect(submitter.crashes(), 'submitters that ended by themselves').toEqual([]);
      expect(extra).toBeGreaterThanOrEqual(0);
      expect(extra).toBeLessThanOrEqual(disturbances * IN_FLIGHT);
    } finally {
      over.abort();
      submitter.end();
      await Promise.allSettled([submitter.done, storm]);
      await fleet.end();
      await Promise.all([calm.simulator.stop(), rough.simulator.stop(), cluster.stop()]);
      await rm(cache, { recursive: true, force: true });
    }
  });
}

/** The storm begins when there is a run that it can hit. */
async function begun(where: string | PostgresCluster, signal: AbortSignal): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    if (typeof where === 'string') return existsSync(join(where, 'scenarios/chaos-desk/runs/storm-001/events'));
    const rows = await where.query('SELECT 1 FROM tandem_runs.run WHERE born IS NOT NULL').catch(() => []);
    return rows.length > 0;
  };
  while (!(await isThere())) await delay(100, undefined, { signal });
}
