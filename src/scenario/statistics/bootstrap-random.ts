/** Random numbers from a seed: the same seed gives the same numbers on every machine. */

/** Uniform in [0, 1), by the generator "sfc32" of Chris Doty-Humphrey's PractRand, which is in the public domain. */
export function seededRandom(seed: number): () => number {
  let [a, b, c, count] = [seed >>> 0, 0x9e3779b9, 0x243f6a88, 1];
  const next = (): number => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first numbers still look like the seed.
  for (let warm = 0; warm < 12; warm += 1) next();
  return next;
}
