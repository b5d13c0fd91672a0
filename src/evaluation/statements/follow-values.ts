/** Tells whether a value follows from what a subject has read, or whether something else was read of the same thing. */
import { listWords } from '../../scenario/language/split-text.ts';
import { areWordForms } from '../../scenario/language/word-forms.ts';
import { MOST_SUMMED, type ReadTrial } from './read-trial.ts';
import { DAY, DAY_MS, HALF_DAY, WEEK, type Value, type ValueKind } from './read-values.ts';

/** With so many numbers nearly every value follows from some of them, and nothing can be said. */
const MOST_NUMBERS = 300;
/** With fewer, sums of three are tried as well. */
const MOST_FOR_THREE = 120;

const listRead = ({ rules, values }: ReadTrial, kind: ValueKind | 'number'): number[] => [
  ...new Set([...(rules.values.get(kind) ?? []), ...(values.get(kind) ?? [])]),
];

/** True when the value was read, or follows by simple arithmetic, or where nothing of its kind was read. */
export function followsFrom({ kind, value }: Value, trial: ReadTrial): boolean {
  const [read, days] = [listRead(trial, kind), findDays(listRead(trial, 'day'), trial)];
  // "The day before", and "two weeks" in a language whose numbers are not read.
  const units = [...(trial.rules.values.get('unit') ?? [])].flatMap((unit) =>
    unit === WEEK ? [unit, 2 * unit] : unit,
  );
  const spans = [0, ...listRead(trial, 'span'), ...(kind === 'day' ? units : [])];
  if (Math.max(read.length, days.length, spans.length) > MOST_NUMBERS) return true;
  if (kind === 'amount') return followsAmount(value, trial);
  if (kind === 'weekday') return days.length === 0 || read.includes(value) || days.map(findWeekday).includes(value);
  const isApart = (one: number, other: number): boolean =>
    spans.some((span) =>
      kind === 'clock'
        ? [span, -span].some((moved) => (one - other + moved) % HALF_DAY === 0)
        : // A month has 28 to 31 days.
          Math.abs(Math.abs(one - other) * DAY - span) <= (span < 28 * DAY ? 0 : span / 15),
    );
  // Rules name some spans and numbers only.
  if ((kind !== 'clock' && kind !== 'day') || read.length === 0) return true;
  const [said, others] = kind === 'day' ? [findDays([value], trial), days] : [[value], read];
  return said.some((one) => others.some((other) => isApart(one, other)));
}

/** Day 0, in 1970, was a Thursday. */
export const findWeekday = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** A day without a year, which was read in 2000, may lie in each that was read. */
export function findDays(days: readonly number[], trial: ReadTrial): number[] {
  const findYear = (day: number): number => new Date(day * DAY_MS).getUTCFullYear();
  const years = [...new Set(listRead(trial, 'day').map(findYear))].filter((year) => year !== 2000);
  return days.flatMap((day) => {
    const date = new Date(day * DAY_MS);
    if (findYear(day) !== 2000 || years.length === 0) return day;
    return years.map((year) => Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) / DAY_MS);
  });
}

/** True for a reference that nobody gave. */
export function isInvented(name: string, trial: ReadTrial): boolean {
  const plain = listWords(name).join('');
  const parts = [plain, /\d{4,}/.exec(plain)?.[0] ?? plain];
  return !parts.some((one) => trial.letters.includes(one) || trial.rules.letters.includes(one));
}

/** An amount, or a sum, a difference, a multiple, a part or a share of what was read. */
function followsAmount(amount: number, trial: ReadTrial): boolean {
  const numbers = listRead(trial, 'number');
  const listed = [...trial.numbers.values()].filter(({ length }) => length > 2);
  const cents = numbers.filter((one) => Number.isInteger(one) && one > 99).map((one) => one / 100);
  const money = [...new Set([0, ...listRead(trial, 'amount'), ...numbers, ...cents])];
  const counts = listRead(trial, 'count');
  // A price of a month is told for a year or a quarter, and the other way round.
  const factors = [...new Set([1, 2, 3, 4, 12, 52, ...counts, ...numbers])];
  if (money.length + factors.length > MOST_NUMBERS || listed.some(({ length }) => length > MOST_SUMMED)) return true;
  const sums = listed.flatMap((all) =>
    all.reduce<number[]>((made, one) => [...made, ...made.map((sum) => sum + one)], [0]),
  );
  const said = Math.round(amount * 100);
  const isIt = (value: number): boolean => [1, 100].some((by) => Math.abs(Math.round((value * 100) / by) - said) <= 1);
  const isMade = (one: number): boolean =>
    factors.some((by) => [one * by, one / by, one * (1 - by / 100), one * (1 + by / 100)].some(isIt));
  if ([...counts, ...sums].some(isIt) || money.some(isMade)) return true;
  const thirds = money.length <= MOST_FOR_THREE ? money : [0];
  return money.some((one) =>
    money.some((two) =>
      [(one - two) * 12, (one - two) / 12, ...thirds.flatMap((three) => [one + two + three, one - two + three])].some(
        isIt,
      ),
    ),
  );
}

/** Finds the value that a sentence given about the same thing has instead, where the case holds no such value. */
export function findOtherValue(said: Value, words: readonly string[], trial: ReadTrial): string | undefined {
  const { kind, value, noun } = said;
  if (words.length < 2 || !/amount|span|count|clock/.test(kind)) return undefined;
  const findUnit = (one: Value): number => (kind === 'span' ? one.value / Number.parseFloat(one.text) : 1);
  const others = trial.rules.sentences.flatMap((one) => {
    const missing = words.filter((word) => !one.words.some((other) => areWordForms(word, other))).length;
    return one.values.filter(
      (other) =>
        other.kind === kind &&
        areWordForms(other.noun, noun) &&
        // A value in another unit has to be told in nearly the same words.
        missing <= words.length / (findUnit(other) === findUnit(said) ? 3 : 4),
    );
  });
  const own = [...(trial.values.get('number') ?? []), ...(trial.values.get(kind) ?? [])];
  const known = [...own, ...others.map((other) => other.value)];
  const follows = (other: number): boolean => {
    // The rest of a number is less than it was.
    if (kind === 'count') return value <= other;
    if (kind !== 'amount') return value === other;
    // An amount may be one for several, a part, or a sum.
    const isMultiple = [value / other, other / value].some((one) => Math.abs(one - Math.round(one)) < 0.01);
    return isMultiple || known.some((one) => Math.abs(Math.abs(value - other) - one) < 0.01);
  };
  // Tools count in cents what is said in whole units.
  const isOwn = own.some((one) => one === value || (kind === 'amount' && Math.abs(one - value * 100) < 0.5));
  return isOwn || others.some((other) => follows(other.value)) ? undefined : others[0]?.text;
}
