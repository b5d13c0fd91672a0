/** Does the interval of a rate that a grader gave hold the truth? By simulation; `--quick` takes a tenth of the draws. */
import { correctedRate } from '../../src/scenario/statistics/calibrate.ts';

const draws = process.argv.includes('--quick') ? 200 : 2000;
let state = 20_261_123;
/** Mulberry32: sums of neighbours of the plain xorshift in bench/statistics are not independent enough for tails. */
function random(): number {
  state = (state + 0x6d_2b_79_f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

const hits = (n: number, p: number): number => {
  let count = 0;
  for (let index = 0; index < n; index += 1) if (random() < p) count += 1;
  return count;
};

type Setting = {
  kind: 'balanced' | 'as they come';
  trials: number;
  labels: number;
  rate: number;
  q1: number;
  q0: number;
};

/** One evaluation and its labels: does the interval hold the rate, and how wide is it? */
function draw({ kind, trials, labels, rate, q1, q0 }: Setting): { holds: boolean; width: number } {
  const right = hits(trials, rate);
  const passed = hits(right, q1) + hits(trials - right, 1 - q0);
  const passes = kind === 'balanced' ? Math.round(labels / 2) : hits(labels, rate);
  const [truePass, trueFail] = [hits(passes, q1), hits(labels - passes, q0)];
  const table = { truePass, falseFail: passes - truePass, trueFail, falsePass: labels - passes - trueFail };
  const [low, high] = correctedRate({ passed, n: trials }, table)?.interval ?? [0, 1];
  return { holds: low <= rate && rate <= high, width: high - low };
}

const settings: Setting[] = (['balanced', 'as they come'] as const).flatMap((kind) =>
  [100, 300, 1000].flatMap((trials) =>
    [20, 50, 100, 200].flatMap((labels) =>
      [0.5, 0.7, 0.85, 0.95].flatMap((rate) =>
        [0.7, 0.85, 0.9, 0.98].flatMap((q1) =>
          [0.7, 0.85, 0.9, 0.98].map((q0) => ({ kind, trials, labels, rate, q1, q0 })),
        ),
      ),
    ),
  ),
);
const measured = settings
  .map((setting) => {
    const all = Array.from({ length: draws }, () => draw(setting));
    const width = all.reduce((sum, one) => sum + one.width, 0) / draws;
    return { setting, covered: all.filter(({ holds }) => holds).length / draws, width };
  })
  .toSorted((a, b) => a.covered - b.covered);

const under = measured.filter(({ covered }) => covered < 0.93);
const mean = measured.reduce((sum, { covered }) => sum + covered, 0) / measured.length;
console.log(
  `${measured.length} settings, ${draws} draws each: mean coverage ${(100 * mean).toFixed(1)} %, ${under.length} under 93 %`,
);
console.log(
  '| coverage | width | labels | trials | rate | sensitivity | specificity | labels drawn |\n|---|---|---|---|---|---|---|---|',
);
for (const { setting, covered, width } of measured.slice(0, 10)) {
  const { labels, trials, rate, q1, q0, kind } = setting;
  console.log(
    `| ${(100 * covered).toFixed(1)} % | ${width.toFixed(2)} | ${labels} | ${trials} | ${rate} | ${q1} | ${q0} | ${kind} |`,
  );
}
process.exitCode = under.length > 0 && draws > 1000 ? 1 : 0;
