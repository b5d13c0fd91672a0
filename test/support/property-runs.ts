/** How many random cases a property is tried on: all of them in CI, a part of them every day. */

/** `CI` and `TANDEM_PROPERTIES=full` ask for all. */
const isFull = process.env['CI'] !== undefined || process.env['TANDEM_PROPERTIES'] === 'full';

export function propertyRuns(all: number): { numRuns: number } {
  return { numRuns: isFull ? all : Math.ceil(all / 3) };
}
