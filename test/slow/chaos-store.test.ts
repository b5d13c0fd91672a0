/** A batch whose runs live in PostgreSQL, while workers and who submits are killed and the server restarts. TANDEM_STORMS=full: ten seeds. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chance, faultsFor, makeGround, postgresWeather, rage, startFleet } from '../support/chaos.ts';
import { lastJson, tandem } from '../support/cli.ts';
import { expectWhole } from '../support/expect-whole.ts';
import { startPostgres, type PostgresServer } from '../support/servers.ts';
import { startSubmitter } from '../support/submitter.ts';

const isFull = process.env['TANDEM_STORMS'] === 'full';
const FIRST = Number(process.env['TANDEM_CHAOS_SEED'] ?? 20_261_123);
const SEEDS = Array.from({ length: isFull ? 10 : 1 }, (_, index) => FIRST + index);
const SIZE = isFull ? { rounds: 1, iterations: 4, samples: 16 } : { rounds: 1, iterations: 2, samples: 4 };
const RUNS = isFull ? 3 : 2;
const EVERY_MS = isFull ? 1_000 : 700;
const AWAY_MS = isFull ? 3_000 : 300;
const MOST_MS = isFull ? 20 * 60_000 : 200_000;
/** Calls in flight at most: samples fan out to three workers with four places each, and each run has an agent. */
const IN_FLIGHT = 3 * 4 + RUNS;
/** What takes 15 s until anybody notices. */
const FULL_ONLY = ['sessions hang'];

test.each(SEEDS)(
  'runs in a store end as on disk, in a storm (seed %i)',
  { timeout: MOST_MS + 60_000, ...(isFull ? { retry: 0 } : {}) },
  async (seed) => {
    const random = chance(seed);
    const [calm, rough, server, cache] = await Promise.all([
      makeGround(SIZE, []),
      makeGround(SIZE, faultsFor(random, RUNS * 4000, 0.05)),
      startPostgres(),
      mkdtemp(join(tmpdir(), 'tandem-storm-cache-')),
    ]);
    const home = { TANDEM_STORE: server.url, TANDEM_QUEUE: server.url, XDG_CACHE_HOME: cache };
    const env = { ...rough.simulator.env, ...home };
    const over = new AbortController();
    let storm: ReturnType<typeof rage> | undefined;
    const gate = ['--on-gate', 'auto:demo'];
    const submitting = ['batch', 'chaos-desk', '--id', 'storm', '--continue', '--runs', String(RUNS), ...gate];
    const fleet = startFleet(rough.project, env);
    const submitter = startSubmitter(rough.project, [...submitting, '--profile', 'chaos', '--json'], env);
    const killSubmitter = async (): Promise<boolean> => {
      submitter.kill();
      return false;
    };
    try {
      const ofServer = Object.entries(postgresWeather(server, AWAY_MS));
      const fitting = ofServer.filter(([name]) => isFull || !FULL_ONLY.includes(name));
      const weather = { ...Object.fromEntries(fitting), 'submitter killed': killSubmitter };
      const most = isFull ? 24 : Object.keys(weather).length + 3;
      await begun(server, AbortSignal.timeout(MOST_MS));
      storm = rage({ random, weather, fleet, everyMs: EVERY_MS, most, signal: over.signal });
      const reference = lastJson(
        await tandem(calm.project, ['run', 'chaos-desk', ...gate, '--id', 'calm', '--json'], calm.simulator.env),
      );
      expect(reference['status']).toBe('succeeded');
      AbortSignal.timeout(MOST_MS).addEventListener('abort', () => submitter.end());
      const finished = await submitter.done;
      over.abort();
      const { server: ofWeather, seen } = await storm;
      const disturbances = fleet.disturbances() + ofWeather;
      const last = await fleet.end();
      expect(finished.code, `${finished.stderr.slice(-3000)}\n${last}`).toBe(0);
      expect(lastJson(finished)).toMatchObject({ runs: RUNS, met: RUNS });
      // Verified, copied to a folder, and compared there with the undisturbed run.
      const copied = await tandem(rough.project, ['copy', 'storm-*', '--to', join(cache, 'out')], home);
      expect(copied, copied.stderr).toMatchObject({ code: 0 });
      for (let number = 1; number <= RUNS; number += 1)
        await expectWhole(join(cache, 'out'), `storm-00${number}`, calm.project);
      const extra = rough.simulator.answered() - RUNS * Number(reference['modelCalls']);
      console.log(`seed ${seed}: ${disturbances} disturbances (${[...seen].join(', ')}), ${extra} calls paid twice`);
      expect(fleet.crashes(), 'workers that ended by themselves').toEqual([]);
      expect(submitter.crashes(), 'submitters that ended by themselves').toEqual([]);
      expect(extra).toBeGreaterThanOrEqual(0);
      expect(extra).toBeLessThanOrEqual(disturbances * IN_FLIGHT);
    } finally {
      over.abort();
      submitter.end();
      await Promise.allSettled([submitter.done, storm]);
      await fleet.end();
      await Promise.all([calm.simulator.stop(), rough.simulator.stop(), server.stop()]);
      await rm(cache, { recursive: true, force: true });
    }
  },
);

/** The storm begins when there is a run that it can hit. */
async function begun(server: PostgresServer, signal: AbortSignal): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const rows = await server.query('SELECT 1 FROM tandem_runs.run WHERE born IS NOT NULL').catch(() => []);
    return rows.length > 0;
  };
  while (!(await isThere())) await delay(100, undefined, { signal });
}
