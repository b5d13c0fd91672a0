/** Tells whether a value follows from what a subject has read: what follows is not invented. */
import { parseJson } from '../../parse-json.ts';
import { DAY, DAY_MS, findTimeUnit, HALF_DAY, readValues, type Value } from './read-values.ts';

/** With so many numbers nearly every amount follows from some of them, and nothing can be said. */
const MOST_NUMBERS = 300;
/** With fewer, sums of three are tried as well. */
const MOST_FOR_THREE = 120;
/** Of more values under one key no sum is computed: any amount may be one. */
const MOST_SUMMED = 12;

/** `numbers`: those of calls and their answers, by key, which may be anything. */
export type KnownValues = { values: readonly Value[]; numbers: ReadonlyMap<string, readonly number[]> };

/** Reads the values of texts, and of what calls were given and answered. */
export function readKnownValues(
  given: readonly string[],
  told: readonly string[],
  outputs: readonly unknown[],
): KnownValues {
  const numbers = new Map<string, number[]>();
  const values = [...given.flatMap(readValues), ...told.flatMap(readWhole)];
  const collect = (value: unknown, key: string): void => {
    // Tools often answer JSON as a text.
    const read = typeof value === 'string' && /^[[{]/.test(value) ? parseJson(value) : value;
    if (typeof read === 'string') values.push(...readWhole(read));
    if (typeof read === 'object' && read !== null)
      for (const [name, one] of Object.entries(read)) collect(one, Array.isArray(read) ? key : name);
    if (typeof read !== 'number') return;
    numbers.set(key, [...(numbers.get(key) ?? []), read]);
    // A key may name a unit: `loan_days`.
    const unit = key.split(/[_\s]|(?=\p{Lu})/u).flatMap((word) => findTimeUnit(word) ?? [])[0];
    if (unit !== undefined) values.push({ kind: 'span', value: read * unit, unit });
  };
  for (const output of outputs) collect(output, '');
  return { values, numbers };
}

const readWhole = (text: string): Value[] => readValues(text).filter(({ isBare }) => isBare !== true);

const listOf = ({ values }: KnownValues, kind: Value['kind']): number[] =>
  values.flatMap((one) => (one.kind === kind ? one.value : []));

/** True when the value was read, or follows by simple arithmetic, or where nothing of its kind was read. */
export function followsFrom(said: Value, known: KnownValues): boolean {
  const days = known.values.flatMap((one) => (one.kind === 'day' ? listDays(one, known) : []));
  const spans = listOf(known, 'span');
  const clocks = listOf(known, 'clock');
  const isApart = (distance: number, span: number): boolean =>
    [1, -1].some((way) => (distance + way * span) % HALF_DAY === 0);
  switch (said.kind) {
    case 'amount':
      return followsAmount(said.value, known);
    case 'weekday':
      return days.length === 0 || [...days.map(findWeekday), ...listOf(known, 'weekday')].includes(said.value);
    case 'clock':
      return (
        clocks.length === 0 || clocks.some((time) => [0, ...spans].some((span) => isApart(said.value - time, span)))
      );
    case 'day':
      return (
        days.length === 0 || listDays(said, known).some((day) => days.some((other) => areStepsApart(day, other, spans)))
      );
    case 'span':
      return followsSpan(said, { days, clocks, known });
    default:
      return true;
  }
}

/** Day 0, in 1970, was a Thursday. */
export const findWeekday = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** A day without a year may lie in each that was read. */
export function listDays({ value, year }: Value, { values }: KnownValues): number[] {
  const date = new Date(value * DAY_MS);
  const years = year === undefined ? [2000, ...values.flatMap((one) => one.year ?? [])] : [year];
  return [...new Set(years)].map((one) => Date.UTC(one, date.getUTCMonth(), date.getUTCDate()) / DAY_MS);
}

/** As many days or months as were read. */
function areStepsApart(day: number, other: number, spans: readonly number[]): boolean {
  const [one, two] = [day, other].map((each) => new Date(each * DAY_MS)) as [Date, Date];
  const months = one.getUTCMonth() - two.getUTCMonth() + 12 * (one.getUTCFullYear() - two.getUTCFullYear());
  const isOfMonths = one.getUTCDate() === two.getUTCDate() && spans.includes(Math.abs(months) * 30 * DAY);
  return day === other || isOfMonths || spans.includes(Math.abs(day - other) * DAY);
}

/** A span that was read, a number that may be one, or the distance of two days or times that were read. */
function followsSpan(
  { value, unit = 1 }: Value,
  { days, clocks, known }: { days: readonly number[]; clocks: readonly number[]; known: KnownValues },
): boolean {
  const spans = known.values.flatMap((one) => (one.kind === 'span' && one.isBare !== true ? one.value : []));
  const isNear = (span: number, most: number): boolean => Math.abs(span - value) <= most;
  const areNear = (all: readonly number[], size: number, most: number): boolean =>
    all.some((one) => all.some((other) => isNear(Math.abs(one - other) * size, most)));
  // Nobody counts by one, or by parts of a unit.
  if (spans.length === 0 || value === unit || value % unit !== 0) return true;
  return (
    [...spans, ...[...known.numbers.values()].flat().map((number) => number * unit)].some((one) =>
      isNear(one, value / 50),
    ) ||
    areNear(days, DAY, unit > 20 * DAY ? unit : 0) ||
    areNear(clocks, 1, unit)
  );
}

/** An amount, or a sum, a difference, a multiple, a part or a share of what was read. */
function followsAmount(amount: number, { values, numbers: byKey }: KnownValues): boolean {
  const numbers = [...byKey.values()].flat();
  const listed = [...byKey.values()].filter(({ length }) => length > 2);
  const whole = numbers.flatMap((one) => (Number.isInteger(one) && one > 99 ? [one, one / 100] : [one]));
  const money = [...new Set([0, ...values.flatMap((one) => (one.kind === 'amount' ? one.value : [])), ...whole])];
  const counts = values.flatMap(({ kind, value, unit = 1 }) =>
    kind === 'count' || kind === 'span' ? value / unit : [],
  );
  // A price of a month is told for a year or a quarter, and the other way round.
  const factors = [...new Set([1, 2, 3, 4, 12, 52, ...counts, ...numbers])];
  if (money.length + factors.length > MOST_NUMBERS || listed.some(({ length }) => length > MOST_SUMMED)) return true;
  const sums = listed.flatMap((all) =>
    all.reduce<number[]>((made, one) => [...made, ...made.map((sum) => sum + one)], [0]),
  );
  const cents = Math.round(amount * 100);
  const isIt = (value: number): boolean => [1, 100].some((by) => Math.abs(Math.round((value * 100) / by) - cents) <= 1);
  if ([...money, ...counts, ...sums].some(isIt)) return true;
  const pairs = money.flatMap((one) => money.flatMap((two) => [one + two, one - two]));
  const isMade = (one: number): boolean =>
    factors.some((by) => [one * by, one / by, one * (1 - by / 100), one * (1 + by / 100)].some(isIt));
  const isThree = (pair: number): boolean => money.some((three) => isIt(pair + three) || isIt(pair - three));
  const isOfMonths = money.some((one) => money.some((two) => isIt((one - two) * 12) || isIt((one - two) / 12)));
  if (isOfMonths || money.some(isMade) || pairs.some(isIt)) return true;
  return money.length <= MOST_FOR_THREE && pairs.some(isThree);
}
