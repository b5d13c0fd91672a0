/** Do intervals hold the truth, and do comparisons cry wolf? By simulation; prints the tables of docs/internals/statistics.md. */
import { clusterInterval } from '../../src/scenario/statistics/cluster-interval.ts';
import { compareWithBaseline } from '../../src/scenario/statistics/compare-baseline.ts';
import type { SampleResult } from '../../src/scenario/result.ts';
import type { Tally } from '../../src/scenario/statistics/pass-k.ts';
import { createRandom, drawChances, drawPasses, type Population } from './simulate.ts';

const quick = process.argv.includes('--quick');
const random = createRandom(20_261_122);
const MEANS = [0.5, 0.75, 0.9, 0.95];
const LIKENESS = [0, 0.3, 0.6, 1];

const clustersOf = (tallies: readonly Tally[]) =>
  tallies.map(({ passed, total }) => ({ mean: passed / total, trials: total }));

/** The peer: percentiles of 500 draws of whole samples, which is what many harnesses print. */
function bootstrap(tallies: readonly Tally[]): [number, number] {
  const means = tallies.map(({ passed, total }) => passed / total);
  const draws = Array.from({ length: 500 }, () => {
    let sum = 0;
    for (let pick = 0; pick < means.length; pick += 1) sum += means[Math.floor(random() * means.length)] ?? 0;
    return sum / means.length;
  }).toSorted((one, other) => one - other);
  return [draws[12] ?? 0, draws[487] ?? 1];
}

function coverage(samples: number, trials: number): void {
  const rounds = quick ? 100 : 2000;
  const tables = { ours: [] as number[], bootstrap: [] as number[] };
  const widths = { ours: 0, bootstrap: 0 };
  for (const mean of MEANS)
    for (const likeness of LIKENESS) {
      const held = { ours: 0, bootstrap: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const tallies = drawPasses(drawChances({ samples, mean, likeness }, random), trials, random);
        for (const [name, [low, high]] of [
          ['ours', clusterInterval(clustersOf(tallies))],
          ['bootstrap', bootstrap(tallies)],
        ] as const) {
          if (low - 1e-12 <= mean && mean <= high + 1e-12) held[name] += 1;
          widths[name] += (high - low) / rounds / MEANS.length / LIKENESS.length;
        }
      }
      for (const name of ['ours', 'bootstrap'] as const) tables[name].push(held[name] / rounds);
    }
  const cell = (name: 'ours' | 'bootstrap') => {
    const all = tables[name];
    const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
    return `${share(Math.min(...all))} | ${share(mean)} | ${widths[name].toFixed(2)}`;
  };
  console.log(`| ${samples} × ${trials} | ${cell('ours')} | ${cell('bootstrap')} |`);
}

const asSamples = (tallies: readonly Tally[]) =>
  tallies.map(({ passed, total }, index) => {
    const trials = Array.from({ length: total }, (_, trial) => ({ outcome: trial < passed ? 'pass' : 'fail' }));
    return { id: `s${index}`, outcome: passed === total ? 'pass' : 'fail', trials } as unknown as SampleResult;
  });

function label(before: readonly Tally[], now: readonly Tally[], componentsDigest = 'c') {
  const samples = Object.fromEntries(before.map((tally, index) => [`s${index}`, tally]));
  const held = { designDigest: 'd', componentsDigest: 'c', samples };
  return compareWithBaseline(held, { designDigest: 'd', componentsDigest, samples: asSamples(now) });
}

/** What comparing "all trials passed" sample by sample does: McNemar's exact test. */
function mcnemar(before: readonly Tally[], now: readonly Tally[]): boolean {
  const all = (side: readonly Tally[]) =>
    side.map(({ passed, total }) => ({ passed: passed === total ? 1 : 0, total: 1 }));
  return label(all(before), all(now)).label === 'regression';
}

function alarms(before: number, now: number): void {
  const worst = { sample: 0, rate: 0, all: 0 };
  for (const samples of [8, 30])
    for (const mean of [0.5, 0.75, 0.95])
      for (const likeness of [0, 0.6]) {
        const rounds = quick ? 20 : 600;
        const found = { sample: 0, rate: 0, all: 0 };
        for (let round = 0; round < rounds; round += 1) {
          const chances = drawChances({ samples, mean, likeness }, random);
          const [was, is] = [drawPasses(chances, before, random), drawPasses(chances, now, random)];
          const others = drawPasses(drawChances({ samples, mean, likeness }, random), now, random);
          if (label(was, is).label === 'regression') found.sample += 1;
          if (label(was, others, 'other').label === 'regression') found.rate += 1;
          if (mcnemar(was, is)) found.all += 1;
        }
        for (const key of ['sample', 'rate', 'all'] as const) worst[key] = Math.max(worst[key], found[key] / rounds);
      }
  console.log(`| ${before} → ${now} | ${share(worst.sample)} | ${share(worst.rate)} | ${share(worst.all)} |`);
}

function power({ samples, mean, likeness }: Population, trials: number): void {
  const rounds = quick ? 20 : 300;
  let [found, foundAll, claimed, told] = [0, 0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const chances = drawChances({ samples, mean, likeness }, random);
    const was = drawPasses(chances, trials, random);
    const drop = label(was, was).detects;
    if (drop === undefined) continue;
    told += 1;
    claimed += drop;
    const is = drawPasses(
      chances.map((chance) => Math.max(0, chance - drop)),
      trials,
      random,
    );
    if (label(was, is).label === 'regression') found += 1;
    if (mcnemar(was, is)) foundAll += 1;
  }
  const cells =
    told === 0 ? 'none | – | –' : `${share(claimed / told)} | ${share(found / told)} | ${share(foundAll / told)}`;
  console.log(`| ${samples} × ${trials} | ${share(mean)} | ${cells} |`);
}

function share(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

console.log(
  '| samples × trials | ours: worst | mean | width | percentile bootstrap: worst | mean | width |\n|---|---|---|---|---|---|---|',
);
for (const samples of [8, 12, 16, 30, 50]) for (const trials of [2, 4, 8]) coverage(samples, trials);
console.log('\n| trials before → now | sample by sample | by rate | all trials passed (McNemar) |\n|---|---|---|---|');
for (const before of [1, 2, 4, 8]) for (const now of [1, 2, 4, 8]) alarms(before, now);
console.log(
  '\n| samples × trials | rate before | drop said to be found | found | found by McNemar |\n|---|---|---|---|---|',
);
for (const samples of [8, 16, 50])
  for (const trials of [1, 4]) for (const mean of [0.9, 0.75]) power({ samples, mean, likeness: 0.3 }, trials);
