/** Any character of Unicode, as a unit for `fc.string`. */
import * as fc from 'fast-check';

const HALVES = { from: 0xd800, count: 0x800 };

/** What `unit: 'binary'` makes, without the table of 1.1 million characters that fast-check fills for it in every process. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - HALVES.count })
  .map((place) => String.fromCodePoint(place < HALVES.from ? place : place + HALVES.count), placeOf);

/** The way back, with which fast-check mixes texts of its own among the random ones. Contract: throws for all but one character. */
function placeOf(value: unknown): number {
  const [character, ...others] = typeof value === 'string' ? value : '';
  const code = others.length === 0 ? character?.codePointAt(0) : undefined;
  if (code === undefined || !String.fromCodePoint(code).isWellFormed()) throw new Error('not one character');
  return code < HALVES.from ? code : code - HALVES.count;
}
