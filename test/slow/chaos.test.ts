/** Whatever happens to workers, queue and model, a run ends as it would have ended undisturbed. TANDEM_CHAOS=full: the real size. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  chance,
  copyRun,
  DISTURBANCES,
  faultsFor,
  makeGround,
  operate,
  postgresWeather,
  rage,
  redisWeather,
  startFleet,
  stateOfRun,
  type Weather,
} from '../support/chaos.ts';
import { lastJson, tandem } from '../support/cli.ts';
import { expectWhole } from '../support/expect-whole.ts';
import { startPostgres, startRedis, type Server } from '../support/servers.ts';

/** `TANDEM_CHAOS_TIMES=10`: so many storms, each by another seed, and none is tried twice. */
const TIMES = Number(process.env['TANDEM_CHAOS_TIMES'] ?? 1);
const FIRST = Number(process.env['TANDEM_CHAOS_SEED'] ?? 20_261_120);
const SEEDS = Array.from({ length: TIMES }, (_, index) => FIRST + index);
const FULL = process.env['TANDEM_CHAOS'] === 'full';
const SIZE = FULL ? { rounds: 3, iterations: 4, samples: 40 } : { rounds: 2, iterations: 2, samples: 8 };
const RUNS = FULL ? 4 : 1;
const EVERY_MS = FULL ? 1_000 : 1_500;
/** Three of five kinds of PostgreSQL's weather last so long: with 20 s each it would be away most of the time, and no run would end. */
const AWAY_MS = FULL ? { redis: 20_000, postgres: 5_000 } : { redis: 2_000, postgres: 2_000 };
const MOST = FULL ? 400 : 12;
const FAULT_RATE = FULL ? 0.2 : 0.05;
const MOST_MS = FULL ? 45 * 60_000 : 240_000;
/** Calls in flight at most: the samples of all runs fan out to three workers with four places each, and each run has an agent. */
const IN_FLIGHT = 3 * 4 + RUNS;

type Climate = { server: Pick<Server, 'url'> & { stop: () => Promise<void> }; weather: Weather };

const CLIMATES: Record<string, () => Promise<Climate>> = {
  redis: async () => {
    const server = await startRedis();
    return { server, weather: redisWeather(server, AWAY_MS.redis) };
  },
  postgres: async () => {
    const server = await startPostgres();
    return { server, weather: postgresWeather(server, AWAY_MS.postgres) };
  },
};

describe.each(['redis', 'postgres'])('%s', (kind) => {
  test.each(SEEDS)(
    `${RUNS} runs in a storm (seed %i) end as the undisturbed one, each gate decided once, each iteration done once`,
    { timeout: MOST_MS + 120_000, ...(TIMES > 1 ? { retry: 0 } : {}) },
    async (seed) => {
      const random = chance(seed);
      const { server, weather } = await (CLIMATES[kind] as () => Promise<Climate>)();
      const calm = await makeGround(SIZE, []);
      const rough = await makeGround(SIZE, faultsFor(random, RUNS * 4000, FAULT_RATE));
      const env = { ...rough.simulator.env, TANDEM_QUEUE: server.url };
      const over = new AbortController();
      const late = AbortSignal.timeout(MOST_MS);
      const ids = Array.from({ length: RUNS }, (_, index) => `storm-${index}`);
      try {
        const reference = lastJson(
          await tandem(
            calm.project,
            ['run', 'chaos-desk', '--on-gate', 'auto:demo', '--id', 'calm', '--json'],
            calm.simulator.env,
          ),
        );
        expect(reference['status']).toBe('succeeded');
        for (const id of ids) {
          const started = await tandem(
            rough.project,
            ['run', 'chaos-desk', '--detach', '--id', id, '--profile', 'chaos'],
            env,
          );
          expect(started.code, started.stderr).toBe(0);
        }

        const fleet = startFleet(rough.project, env);
        const storm = rage({
          random,
          weather,
          fleet,
          everyMs: EVERY_MS,
          most: MOST,
          signal: over.signal,
        });
        const elsewhere = copyInTheMiddle(rough.project, calm.project, late);
        const ended = await Promise.all(ids.map((id) => operate(rough.project, id, env, late))).catch(
          async (error: unknown) => {
            throw new Error(`${String(error)}\n${await fleet.end()}`, { cause: error });
          },
        );
        over.abort();
        const { server: ofServer, forgotten, seen } = await storm;
        const disturbances = fleet.disturbances() + ofServer;
        const last = await fleet.end();
        // Samples were played by more workers than the one that held the iteration.
        expect(fleet.players(), last).toBeGreaterThan(1);

        for (const { state, wins } of ended) {
          expect(state).toMatchObject({
            status: 'succeeded',
            round: reference['rounds'],
            iteration: reference['iterations'],
          });
          expect(wins, 'one of two operators at each gate').toEqual(wins.map(() => 1));
        }
        for (const id of ids) await expectWhole(rough.project, id, calm.project);
        // Only what was in flight when something happened is paid for twice.
        const extra = rough.simulator.answered() - RUNS * Number(reference['modelCalls']);
        console.log(
          `${kind}, seed ${seed}: ${disturbances} disturbances (${forgotten} times the queue forgot all), ${extra} calls paid twice`,
        );
        expect(disturbances).toBeGreaterThanOrEqual(FULL ? 30 : 5);
        expect([...seen].toSorted(), 'every kind of weather').toEqual(
          [...DISTURBANCES, ...Object.keys(weather)].toSorted(),
        );
        expect(fleet.crashes(), 'workers that ended by themselves').toEqual([]);
        expect(extra).toBeGreaterThanOrEqual(0);
        expect(extra).toBeLessThanOrEqual(disturbances * IN_FLIGHT);

        // The copy that was taken in the middle goes on by itself, in another project, without any queue.
        await elsewhere;
        const copied = await tandem(
          calm.project,
          ['resume', 'storm-0', '--on-gate', 'auto:demo', '--json'],
          calm.simulator.env,
        );
        expect(lastJson(copied)).toMatchObject({ status: 'succeeded', iterations: reference['iterations'] });
        await expectWhole(calm.project, 'storm-0', calm.project);
      } finally {
        over.abort();
        await Promise.all([calm.simulator.stop(), rough.simulator.stop(), server.stop()]);
      }
    },
  );
});

/** As soon as the first run has an iteration behind it, its folder is copied into another project, while it lives. */
async function copyInTheMiddle(from: string, to: string, signal: AbortSignal): Promise<void> {
  while ((await stateOfRun(from, 'storm-0')).iterations.length === 0) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const place = 'scenarios/chaos-desk/runs/storm-0';
  await copyRun(join(from, place), join(to, place));
}
