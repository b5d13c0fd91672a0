/** Tells whether a value follows from what a subject has read, or whether something else was read of the same thing. */
import { foldText } from '../../scenario/language/fold-text.ts';
import { listWords } from '../../scenario/language/split-text.ts';
import { areWordForms, shareStem } from '../../scenario/language/word-forms.ts';
import { MOST_SUMMED, type ReadTrial } from './read-trial.ts';
import { DAY, DAY_MS, HALF_DAY, WEEK, type ReadText, type Value, type ValueKind } from './read-values.ts';

/** With so many numbers nearly every value follows from some of them, and nothing can be said. */
const MOST_NUMBERS = 300;

const listRead = ({ rules, values }: ReadTrial, kind: ValueKind | 'number'): number[] => [
  ...new Set([...(rules.values.get(kind) ?? []), ...(values.get(kind) ?? [])]),
];

/** True when the value was read, or follows by simple arithmetic, or where nothing of its kind was read. */
export function followsFrom(said: Value, sentence: ReadText, trial: ReadTrial): boolean {
  const { kind, value } = said;
  const [read, days] = [listRead(trial, kind), findDays(listRead(trial, 'day'), trial)];
  const sizes = (['day', 'clock', 'span', kind] as const).map((one) => listRead(trial, one).length);
  if (Math.max(...sizes) > MOST_NUMBERS) return true;
  if (kind === 'amount') return followsAmount(value, trial);
  if (kind === 'count') return followsCount(value, trial);
  if (kind === 'weekday') return days.length === 0 || read.includes(value) || days.map(findWeekday).includes(value);
  if (!/day|clock|span/.test(kind) || read.length === 0 || read.includes(value)) return true;
  // A span of something else is no doubt, because rules name some of them only.
  const isAbout = (word: string): boolean => sentence.words.some((other) => shareStem(word, other));
  const hasSpanOf = ({ values, words }: ReadText): boolean =>
    values.some((one) => one.kind === 'span') && words.some(isAbout);
  if (kind === 'span') return !trial.rules.sentences.some(hasSpanOf) || followsSpan(said, days, trial);
  // "The day before", and "two weeks" in a language whose numbers are not read.
  const units = kind === 'day' ? [...(trial.rules.values.get('unit') ?? [])] : [];
  const spans = [0, ...listRead(trial, 'span'), ...units, ...units.map((unit) => (unit === WEEK ? 2 * unit : 0))];
  // "After four nights, on 20 April".
  for (const one of sentence.values) if (one.kind === 'count') spans.push(one.value * DAY);
  const [own, others] = kind === 'day' ? [findDays([value], trial), days] : [[value], read];
  const gaps = own.flatMap((one) => others.map((other) => one - other));
  if (kind === 'day') return gaps.some((gap) => spans.some((span) => isAsLong(Math.abs(gap) * DAY, span)));
  return gaps.some((gap) => spans.some((span) => [gap - span, gap + span].some((one) => one % HALF_DAY === 0)));
}

/** A month has 28 to 31 days. */
const isAsLong = (one: number, span: number): boolean => Math.abs(one - span) <= (span < 28 * DAY ? 0 : span / 15);

/** A talk has minutes of its own, and what is longer than a life is a year. */
const [SHORTEST_SPAN, LONGEST_SPAN] = [60, 36_525 * DAY];

/** A span that lies between two days, times or other spans, or whose number was read without its unit. */
function followsSpan({ value, text }: Value, days: readonly number[], trial: ReadTrial): boolean {
  const [spans, clocks] = [listRead(trial, 'span'), listRead(trial, 'clock')];
  const numbers = [...listRead(trial, 'number'), ...listRead(trial, 'count')];
  if (value < SHORTEST_SPAN || value > LONGEST_SPAN || numbers.includes(Number.parseFloat(text))) return true;
  // "14 horas" is a time of day.
  if (clocks.includes(value % HALF_DAY)) return true;
  const times = clocks.flatMap((one) => [one, one + HALF_DAY]);
  return [spans, times, days.map((one) => one * DAY)].some((all) =>
    all.some((one) => all.some((other) => isAsLong(Math.abs(one - other), value))),
  );
}

/** A number of things that is nowhere in what was read. Hours, days of a month and years are told in many ways. */
const followsCount = (value: number, trial: ReadTrial): boolean =>
  value < 32 || (value > 1900 && value < 2100) || isInLetters(String(value), trial) || followsAmount(value, trial);

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
  return ![plain, /\d{4,}/.exec(plain)?.[0] ?? plain].some((one) => isInLetters(one, trial));
}

/** "Rui Teixeira", of whom nobody spoke, where "Rui Tavares" was read. */
export function findOtherName(text: string, trial: ReadTrial): string | undefined {
  for (const [head, last] of trial.names) {
    const said = /^(?:\p{Lu}\p{L}{2,}|\d+)/u.exec(text.split(head)[1] ?? '')?.[0] ?? '';
    const isForm = /\d/.test(last) !== /\d/.test(said) || shareStem(foldText(last), foldText(said));
    const isRead = [trial, trial.rules].some(({ words }) => words.has(foldText(said)));
    if (said !== '' && !isForm && !isRead) return `what it read says ${head}${last} instead of ${head}${said}`;
  }
  return undefined;
}

const isInLetters = (plain: string, { letters, rules }: ReadTrial): boolean =>
  letters.includes(plain) || rules.letters.includes(plain);

/** More than a number of people, days or pieces is no factor. */
const MOST_PIECES = 60;

/** An amount, or a multiple, a part or a share of one that was read, a difference, or a sum with one that was given. */
function followsAmount(amount: number, trial: ReadTrial): boolean {
  const numbers = listRead(trial, 'number');
  const listed = [...trial.numbers.values()].filter(({ length }) => length > 1);
  const cents = numbers.filter((one) => Number.isInteger(one) && one > 99).map((one) => one / 100);
  const counts = listRead(trial, 'count');
  const money = [...new Set([0, ...listRead(trial, 'amount'), ...counts, ...numbers, ...cents])];
  // A price of a month is told for a year or a quarter, and the other way round.
  const factors = [...new Set([1, 2, 3, 4, 12, 52, ...counts, ...numbers])].filter((one) => one <= MOST_PIECES);
  if (money.length + factors.length > MOST_NUMBERS || listed.some(({ length }) => length > MOST_SUMMED)) return true;
  const sums = listed.flatMap((all) =>
    all.reduce<number[]>((made, one) => [...made, ...made.map((sum) => sum + one)], [0]),
  );
  const said = Math.round(amount * 100);
  const isIt = (value: number): boolean => [1, 100].some((by) => Math.abs(Math.round((value * 100) / by) - said) <= 1);
  const isMade = (one: number): boolean =>
    factors.some((by) => [one * by, one / by].some(isIt)) ||
    [...counts, ...numbers].some(
      (by) => by < 100 && [by, 100 - by, 100 + by].some((share) => isIt((one * share) / 100)),
    );
  if (sums.some(isIt) || money.some(isMade)) return true;
  const added = [...numbers, ...listRead(trial, 'amount')];
  return added.some((one) => money.some((two) => [one + two, one - two, two - one, (one - two) * 12].some(isIt)));
}

/** Finds the value that a sentence given about the same thing has instead, where the case holds no such value. */
export function findOtherValue(said: Value, words: readonly string[], trial: ReadTrial): string | undefined {
  const { kind, value, noun } = said;
  if (words.length < 2 || !/amount|span|count|clock/.test(kind)) return undefined;
  const findUnit = (one: Value): number => (kind === 'span' ? one.value / Number.parseFloat(one.text) : 1);
  const others = trial.rules.sentences.flatMap((one) => {
    const missing = words.filter((word) => !one.words.some((other) => shareStem(word, other))).length;
    const found = one.values.filter(
      (other) =>
        other.kind === kind &&
        areWordForms(other.noun, noun) &&
        // A value in another unit has to be told in nearly the same words.
        missing <= words.length / (findUnit(other) === findUnit(said) ? 3 : 4),
    );
    return found.map((other) => ({ ...other, missing }));
  });
  const own = [...(trial.values.get('number') ?? []), ...(trial.values.get(kind) ?? [])];
  const given = others.map((other) => other.value);
  const follows = (other: number, missing: number): boolean => {
    // The rest of a number is less than it was.
    if (kind === 'count') return value <= other;
    if (kind !== 'amount') return value === other;
    // An amount may be one for several, a part, or a sum, with what another word names.
    const isMultiple = [value / other, other / value].some((one) => Math.abs(one - Math.round(one)) < 0.01);
    const known = missing === 0 ? given : [...given, ...own];
    return isMultiple || known.some((one) => Math.abs(Math.abs(value - other) - one) < 0.01);
  };
  // Tools count in cents what is said in whole units.
  const isOwn = own.some((one) => one === value || (kind === 'amount' && Math.abs(one - value * 100) < 0.5));
  return isOwn || others.some((other) => follows(other.value, other.missing)) ? undefined : others[0]?.text;
}
