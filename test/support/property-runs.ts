/** How many random cases a property is tried on: all of them in CI, a part of them every day. */

/** `CI` and `TANDEM_PROPERTIES=full` ask for all. */
const isFull = process.env['CI'] !== undefined || process.env['TANDEM_PROPERTIES'] === 'full';

/** `part` is the share of the cases that are tried every day, less where each of them is slow. */
export function propertyRuns(all: number, part = 1 / 3): { numRuns: number } {
  return { numRuns: isFull ? all : Math.ceil(all * part) };
}
