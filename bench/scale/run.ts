/** `node bench/scale/run.ts`: the simulation against measured runs of three workers, and what it says of larger fleets (docs/internals/scale.md). */
import { sharedBy, type Shared } from '../queue/samples.ts';
import { median, row, table, type Row } from '../queue/measure.ts';
import { simulate, type Fleet } from './simulate.ts';
import { unitsOf } from './units.ts';

const TIMES = 3;
/** The simulation knows nothing of others: how long a run took says something only where they had less than this of the cores. */
const QUIET_CORES = 0.2;
/** Two cores carry the workers, Redis and the offline model; the costs are those of docs/internals/scale.md. */
const HERE = { runs: 1, places: 10, calls: 3, trialMs: 38, joinMs: 300, queueMs: 2, modelMs: 2, cores: 2 };

/**
 * Two things that the simulation takes for granted. What a trial costs does not depend on how many workers share the run: in
 * processor time, so that it can be judged on a busy machine, too. And how long three workers take: against the median of the
 * runs in which the machine was quiet.
 */
async function check(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { trials, latencyMs } of [
    { trials: 120, latencyMs: 1000 },
    { trials: 240, latencyMs: 400 },
  ]) {
    const size = { samples: trials, latencyMs };
    const pairs: { one: Shared; three: Shared }[] = [];
    // In turn, so that what others do hits both.
    const name = `${trials} trials of 3 × ${latencyMs} ms, three workers`;
    for (let time = 0; time < TIMES; time += 1) {
      const pair = { one: await sharedBy({ ...size, workers: 1 }), three: await sharedBy({ ...size, workers: 3 }) };
      pairs.push(pair);
      const [one, three] = [pair.one, pair.three].map(({ ms }) => `${(ms / 1000).toFixed(1)} s`);
      console.error(`${name}, ${time + 1} of ${TIMES}: ${three}; one worker: ${one}`);
    }
    const cost = ({ workersMs, redisMs }: Shared): number => (workersMs + redisMs) / trials;
    const [one, three] = [median(pairs.map((pair) => cost(pair.one))), median(pairs.map((pair) => cost(pair.three)))];
    // Each worker opens the components once.
    const expected = one + (2 * HERE.joinMs) / trials;
    rows.push(row(`${name}: processor time of a trial`, ...within(three, expected, (ms) => `${ms.toFixed(1)} ms`)));
    const others = pairs.map((pair) => pair.three.othersMs / pair.three.ms);
    const took = pairs.filter((_, index) => (others[index] ?? 0) < QUIET_CORES).map((pair) => pair.three.ms);
    const said = simulate({ ...HERE, workers: 3, trials, latencyMs }).ms;
    const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
    const busy = `not judged: others had ${Math.min(...others).toFixed(1)} cores at least; simulated ${seconds(said)}`;
    rows.push(took.length === 0 ? row(name, busy) : row(name, ...within(median(took), said, seconds)));
  }
  return rows;
}

function within(measured: number, said: number, shown: (ms: number) => string): [string, string, boolean] {
  const off = said / measured - 1;
  const text = `${shown(measured)}, simulated ${shown(said)} (${(100 * off).toFixed(0)} %)`;
  return [text, 'within 15 %', Math.abs(off) <= 0.15];
}

const MILLION = 1_000_000;
/** 5,000 runs of 200 trials: three calls of 5 s each. Every worker has a core of its own. */
const NIGHT: Omit<Fleet, 'workers'> = {
  ...{ runs: MILLION / 200, trials: 200, places: 4, calls: 3, latencyMs: 5000 },
  ...{ trialMs: HERE.trialMs, joinMs: HERE.joinMs, queueMs: HERE.queueMs, modelMs: 0 },
};

function plan(): Row[] {
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const limits: Record<number, (number | undefined)[]> = {
    100: [undefined],
    1000: [undefined, 4000, 20_000],
    10_000: [undefined],
  };
  return Object.entries(limits).flatMap(([name, of]) =>
    of.map((requestsPerMinute) => {
      const workers = Number(name);
      const fleet = { ...NIGHT, workers, ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }) };
      const { ms, busy } = simulate(fleet);
      const limit =
        requestsPerMinute === undefined ? 'no limit of the model' : `${requestsPerMinute} requests a minute`;
      const shown = `${(ms / 3_600_000).toFixed(2)} h; queue ${percent(busy.queue)}, model's limit ${percent(busy.provider)}, workers ${percent(busy.workers)}`;
      return row(`a million trials, ${workers} workers, ${limit}`, shown);
    }),
  );
}

async function units(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kind of ['redis', 'postgres'] as const) {
    const { connections, wakeMs, waitingBytes } = await unitsOf(kind);
    rows.push(row(`${kind}: connections of a worker`, String(connections)));
    rows.push(row(`${kind}: a wake-up that changes nothing`, `${wakeMs.toFixed(3)} ms of processor time`));
    rows.push(row(`${kind}: a run that waits`, `${Math.round(waitingBytes)} bytes`));
  }
  return rows;
}

const PARTS: Readonly<Record<string, () => Promise<Row[]>>> = { units, check, plan: async () => plan() };
const asked = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, part] of Object.entries(PARTS))
  if (asked.length === 0 || asked.includes(name)) rows.push(...(await part()));
console.log(table(rows));
process.exit(rows.some(({ met }) => met === false) ? 1 : 0);
