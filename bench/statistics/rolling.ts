/** A branch of many merges against its rolling baseline: false red, and how soon a drop of ten points is found. */
import { addToRolling, compareWithRolling, type Rolling } from '../../src/scenario/statistics/rolling-baseline.ts';
import type { SampleResult } from '../../src/scenario/result.ts';

const SAMPLES = 40;
const MOST = 20;
const DIGESTS = { designDigest: 'd', componentsDigest: 'c' };

/** A generator with a seed, so that everybody sees the same figures. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Most samples are nearly certain, some are not, and a few are coins. */
function chanceOf(index: number): number {
  if (index >= SAMPLES - 3) return 0.6;
  return index >= SAMPLES - 9 ? 0.92 : 0.99;
}

function play(random: () => number, { trials, drop }: { trials: number; drop: number }) {
  const samples = Array.from({ length: SAMPLES }, (_, index) => ({
    id: `s${index}`,
    trials: Array.from({ length: trials }, () => ({
      outcome: random() < chanceOf(index) - drop ? 'pass' : 'fail',
      verdicts: [],
    })),
  }));
  return { ...DIGESTS, samples: samples as unknown as SampleResult[] };
}

const tallies = ({ samples }: ReturnType<typeof play>) =>
  Object.fromEntries(
    samples.map(({ id, trials }) => [
      id,
      { passed: trials.filter(({ outcome }) => outcome === 'pass').length, total: trials.length },
    ]),
  );

export type RollingFigures = { merges: number; falseRed: number; drops: number; found: number };

export function simulateRolling({
  merges,
  drops,
  trials,
  seed,
}: {
  merges: number;
  drops: number;
  trials: number;
  seed: number;
}): RollingFigures {
  const random = createRandom(seed);
  let rolling: Rolling | undefined;
  const merge = (drop: number, own = rolling): { isRed: boolean; rolling: Rolling } => {
    const played = play(random, { trials, drop });
    const isRed =
      own !== undefined && compareWithRolling({ ...DIGESTS, samples: {}, rolling: own }, played).label === 'regression';
    const entry = { run: 'r', at: '2026-01-01', samples: tallies(played) };
    return { isRed, rolling: addToRolling(own, entry, { most: MOST, owner: 'user:ada' }) };
  };
  let falseRed = 0;
  let found = 0;
  for (let count = 0; count < merges; count += 1) {
    const merged = merge(0);
    if (merged.isRed) falseRed += 1;
    ({ rolling } = merged);
    // A drop is tried on a copy of the branch, so that the branch itself never changes.
    if (count < MOST || (count - MOST) % Math.max(1, Math.floor((merges - MOST) / drops)) !== 0) continue;
    let branch: Rolling | undefined = rolling;
    for (let after = 0; after < 3; after += 1) {
      const dropped = merge(0.1, branch);
      branch = dropped.rolling;
      if (!dropped.isRed) continue;
      found += 1;
      break;
    }
  }
  const tried = Math.ceil((merges - MOST) / Math.max(1, Math.floor((merges - MOST) / drops)));
  return { merges, falseRed, drops: tried, found };
}

if (process.argv[1]?.endsWith('rolling.ts'))
  for (const trials of [1, 2, 3])
    console.log(
      JSON.stringify({
        trials,
        ...simulateRolling({ merges: 1000, drops: 200, trials, seed: Number(process.argv[2] ?? 1) }),
      }),
    );
