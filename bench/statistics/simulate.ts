/** Evaluations that never happened: samples with chances of their own, and trials that fall by them; seeded. */

/** Marsaglia's xorshift with 32 bits, three shifts: enough for tables of a few digits. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export type Population = {
  samples: number;
  /** Mean chance of a sample. */
  mean: number;
  /** Intra-class correlation: 0 when all samples have the same chance, 1 when each always passes or always fails. */
  likeness: number;
};

export function drawChances({ samples, mean, likeness }: Population, random: () => number): number[] {
  const one = (): number => {
    if (likeness === 0) return mean;
    if (likeness === 1) return random() < mean ? 1 : 0;
    const size = 1 / likeness - 1;
    return beta(mean * size, (1 - mean) * size, random);
  };
  return Array.from({ length: samples }, one);
}

export function drawPasses(chances: readonly number[], trials: number, random: () => number) {
  return chances.map((chance) => {
    let passed = 0;
    for (let trial = 0; trial < trials; trial += 1) if (random() < chance) passed += 1;
    return { passed, total: trials };
  });
}

function beta(a: number, b: number, random: () => number): number {
  const [left, right] = [gamma(a, random), gamma(b, random)];
  return left + right === 0 ? (random() < a / (a + b) ? 1 : 0) : left / (left + right);
}

/** Marsaglia and Tsang, 2000; shapes below one by the power of a uniform number. */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
