/** pass^k: the chance that k trials of a sample, drawn from those that were made, all pass; averaged over the samples. */

export type Tally = { passed: number; total: number };

/** C(passed, k) / C(total, k) of one sample; undefined with fewer than k trials. */
export function passHatK({ passed, total }: Tally, k: number): number | undefined {
  if (k < 1 || total < k) return undefined;
  let product = 1;
  // The quotient of the two counts, factor by factor: neither of them is ever computed, so nothing overflows.
  for (let drawn = 0; drawn < k; drawn += 1) product *= Math.max(0, passed - drawn) / (total - drawn);
  return product;
}

/** pass^1, pass^2, … up to the smallest number of trials that any sample has. Samples without trials do not count. */
export function passTable(tallies: readonly Tally[]): number[] {
  const tried = tallies.filter(({ total }) => total > 0);
  if (tried.length === 0) return [];
  const most = Math.min(...tried.map(({ total }) => total));
  return Array.from({ length: most }, (_, index) => {
    const chances = tried.map((tally) => passHatK(tally, index + 1) ?? 0);
    return chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
  });
}
