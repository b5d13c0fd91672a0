/** The numbers that a subject has read, and whether an amount follows from them: what follows is not invented. */
import { parseJson } from '../../parse-json.ts';
import { foldText, separateScripts } from '../../scenario/language/fold-text.ts';

/** With so many numbers nearly every amount follows from some of them, and nothing can be said. */
const MOST_NUMBERS = 150;
/** With fewer, sums of three are tried as well. */
const MOST_FOR_THREE = 60;

/** Of more values under one key no sum is computed: any amount may be one. */
const MOST_SUMMED = 12;

/** `sums`: of values under one key, such as the prices of some items; undefined where there are too many to tell. */
export type KnownNumbers = {
  values: readonly number[];
  /** Numbers that can be counted with: those of names and days cannot. */
  terms: readonly number[];
  sums: readonly number[] | undefined;
};

/** Reads all numbers of texts and JSON; a whole number may be cents. */
export function readKnownNumbers(texts: readonly string[], outputs: readonly unknown[] = []): KnownNumbers {
  const found = new Set<number>([0, 1, 2]);
  for (const text of texts) {
    for (const [written] of foldText(text).matchAll(/\d+(?:[.,'’ ]\d{3})*(?:[.,]\d+)?/g)) {
      for (const value of readSpellings(written)) found.add(value);
    }
  }
  const byKey = new Map<string, number[]>();
  for (const output of outputs) collectNumbers(output, '', byKey);
  const terms = new Set([0, 1, 2, ...[...byKey.values()].flat()]);
  for (const text of texts.filter((one) => !/^[[{]/.test(one)))
    for (const [written] of separateScripts(text).matchAll(
      /(?<![\p{L}\p{N}.,:#-])\d+(?:[.,]\d{1,2})?(?![\d.,:-]*[\d\p{L}-])/gu,
    ))
      terms.add(Number(written.replace(',', '.')));
  return { values: withCents(found), terms: withCents(terms), sums: sumByKey(byKey) };
}

function withCents(numbers: ReadonlySet<number>): number[] {
  const values = [...numbers].flatMap((value) =>
    Number.isInteger(value) && value > 99 ? [value, value / 100] : [value],
  );
  return [...new Set(values)];
}

function sumByKey(byKey: ReadonlyMap<string, readonly number[]>): number[] | undefined {
  const all = [...byKey.values()].filter(({ length }) => length > 2);
  if (all.some(({ length }) => length > MOST_SUMMED)) return undefined;
  return all.flatMap((values) =>
    values.reduce<number[]>((sums, value) => [...sums, ...sums.map((sum) => sum + value)], [0]),
  );
}

/** Tools often answer JSON as a text. */
function collectNumbers(value: unknown, key: string, byKey: Map<string, number[]>): void {
  const read = typeof value === 'string' && /^[[{]/.test(value) ? parseJson(value) : value;
  if (typeof read === 'number') byKey.set(key, [...(byKey.get(key) ?? []), read]);
  else if (Array.isArray(read)) for (const one of read) collectNumbers(one, key, byKey);
  else if (typeof read === 'object' && read !== null)
    for (const [name, one] of Object.entries(read)) collectNumbers(one, name, byKey);
}

/** `1.234` is a thousand in one country and one and a bit in another: both are known. */
function readSpellings(written: string): number[] {
  const plain = written.replaceAll(/['’ ]/g, '');
  const parts = plain.split(/[.,]/);
  const last = parts.at(-1) ?? '';
  const whole = Number(plain.replaceAll(/[.,]/g, ''));
  const decimal = Number(`${parts.slice(0, -1).join('')}.${last}`);
  return parts.length === 1 ? [whole] : [whole, decimal, ...parts.map(Number)];
}

/** True when the amount was read, or is a sum, a difference, a product or a share of what was read. */
export function followsFrom(amount: number, { values, terms, sums }: KnownNumbers): boolean {
  if (terms.length > MOST_NUMBERS * 2 || sums === undefined) return true;
  const cents = Math.round(amount * 100);
  const isIt = (value: number): boolean => Math.abs(Math.round(value * 100) - cents) <= 1;
  if (values.some(isIt) || sums.some((sum) => isIt(sum) || isIt(sum / 100))) return true;
  for (const one of terms)
    for (const other of terms) {
      if (isIt(one + other) || isIt(one - other) || isIt(one * other) || isIt((one * other) / 100)) return true;
      if (isIt(one - (one * other) / 100) || isIt(one + (one * other) / 100)) return true;
      if (other !== 0 && isIt(one / other)) return true;
      // A price of a month is told for a year, and the difference of two as well.
      if (isIt(one * 12) || isIt((one - other) * 12)) return true;
    }
  return terms.length <= MOST_FOR_THREE * 2 && isSumOfThree(terms, isIt);
}

function isSumOfThree(values: readonly number[], isIt: (value: number) => boolean): boolean {
  return values.some((one) =>
    values.some((two) =>
      values.some((three) => isIt(one + two + three) || isIt(one + two - three) || isIt(one - two - three)),
    ),
  );
}
