/** `node bench/scale/run.ts`: the simulation against measured runs of three workers, and what it says of larger fleets (docs/scale.md). */
import { sharedBy } from '../queue/samples.ts';
import { median, row, table, type Row } from '../queue/measure.ts';
import { simulate, type Fleet } from './simulate.ts';
import { unitsOf } from './units.ts';

const TIMES = 3;
/** Two cores carry the workers, Redis and the offline model; the costs are those of docs/scale.md. */
const HERE = { runs: 1, places: 10, calls: 3, trialMs: 38, joinMs: 300, queueMs: 2, modelMs: 2, cores: 2 };

/** Against the medians of so many runs each. The wait for the model is most of them, so that a busy machine counts little. */
async function check(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { trials, latencyMs } of [
    { trials: 120, latencyMs: 2000 },
    { trials: 240, latencyMs: 1000 },
  ]) {
    const took: number[] = [];
    for (let time = 0; time < TIMES; time += 1)
      took.push((await sharedBy({ workers: 3, samples: trials, latencyMs })).ms);
    const [measured, said] = [median(took), simulate({ ...HERE, workers: 3, trials, latencyMs }).ms];
    const off = said / measured - 1;
    const shown = `${(measured / 1000).toFixed(1)} s, simulated ${(said / 1000).toFixed(1)} s (${(100 * off).toFixed(0)} %)`;
    rows.push(
      row(`${trials} trials of 3 × ${latencyMs} ms, three workers`, shown, 'within 15 %', Math.abs(off) <= 0.15),
    );
  }
  return rows;
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
