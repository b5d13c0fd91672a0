/** How many random cases a property is tried on: a part of them every day, all of them every night. */

/** `npm run test:nightly` asks for all. */
const isFull = process.env['TANDEM_PROPERTIES'] === 'full';

/** `part` is the share of the cases that are tried every day, less where each of them is slow. */
export function propertyRuns(all: number, part = 1 / 3): { numRuns: number } {
  return { numRuns: countRounds(all, part) };
}

/** The same for a loop of a test's own over generated cases. */
export function countRounds(all: number, part = 1 / 3): number {
  return isFull ? all : Math.ceil(all * part);
}
