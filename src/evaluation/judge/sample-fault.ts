/** Evidence in a failed trial that the sample is at fault (4a), except a user without an answer: its limits, its user, its wording. */
import { foldText } from '../../scenario/language/fold-text.ts';
import type { StateDifference, Verdict } from '../../scenario/result.ts';
import { listCalls, type Sample } from '../../scenario/sample.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import { isSmallWord, readNumberWord } from '../scripted-user/languages.ts';
import { findRefusingUser } from './refusing-user.ts';
import { holdsPhrase } from './spellings.ts';

export type FailedPlay = {
  sample: Sample;
  played: TrialRecord;
  verdicts: readonly Verdict[];
  stateDiff: readonly StateDifference[];
};

/** Returns the fault of the sample as one sentence; undefined when only the subject can be at fault. */
export function findSampleFault(play: FailedPlay): string | undefined {
  return (
    findTooFewSteps(play) ??
    findMisleadingUser(play) ??
    findRefusingUser(play) ??
    findFreeTextDemand(play) ??
    findNarrowWords(play)
  );
}

/** Counts the steps of gold: one per call, the last words, and one question if the user must be asked for a fact. */
export function countGoldSteps({ user, gold }: Sample): { least: number; asks: boolean } {
  const told = normalizeTexts([user.says_first]);
  const given = listCalls(gold).flatMap(({ args }) => Object.values(args));
  const asks = Object.values(user.knows).some((fact) => given.includes(fact) && !told.includes(normalizeTexts([fact])));
  const says = gold.filter((step) => 'says' in step).length;
  return { least: listCalls(gold).length + Math.max(says, asks ? 1 : 0) + 1, asks };
}

function findTooFewSteps({ sample, played }: FailedPlay): string | undefined {
  const { steps } = sample.limits;
  const { least, asks } = countGoldSteps(sample);
  if (played.stop !== 'steps' || steps === undefined || steps >= least) return undefined;
  return `its limit of ${steps} steps is less than the ${least} that its own gold path needs${asks ? ', one question to the user among them' : ''}`;
}

/** The user said one thing, and the gold path needs another that the user never says. */
function findMisleadingUser({ sample, played }: FailedPlay): string | undefined {
  const { says_first, knows, acts = [] } = sample.user;
  const scripted = sample.gold.flatMap((step) => ('user' in step ? [step.user] : []));
  const sayable = normalizeTexts([says_first, ...Object.values(knows), ...acts.map(({ says }) => says), ...scripted]);
  for (const { tool, args } of listCalls(sample.gold)) {
    const call = played.calls.find((one) => one.tool === tool && one.by === undefined);
    if (call === undefined) continue;
    for (const [key, right] of Object.entries(args)) {
      const got = call.input[key];
      if (typeof right !== 'string' || typeof got !== 'string' || right.length < 3 || got === right) continue;
      if (
        sayable.includes(normalizeTexts([got])) &&
        !sayable.includes(normalizeTexts([right])) &&
        // A tool that answers the value shows it to the subject.
        !played.calls.some(({ output }) => (JSON.stringify(output) ?? '').includes(JSON.stringify(right)))
      )
        return `its user says "${got}", and its gold path calls ${tool} with ${key} "${right}", which its user never says`;
    }
  }
  return undefined;
}

/** Finds an end state that differs only in a free text of the subject, which no two agents write alike. */
function findFreeTextDemand({ played, verdicts, stateDiff }: FailedPlay): string | undefined {
  if (stateDiff.length === 0 || !isExpectationAlone(verdicts)) return undefined;
  const given = new Set(played.calls.flatMap(({ input }) => Object.values(input)));
  const isFree = ({ expected, got }: StateDifference) =>
    isProse(expected) && isProse(got) && [...given].some((value) => value === got);
  const [first] = stateDiff;
  if (first === undefined || !stateDiff.every(isFree)) return undefined;
  return `it demands a free text word for word at ${first.path}`;
}

function findNarrowWords({ sample, played, verdicts, stateDiff }: FailedPlay): string | undefined {
  if (stateDiff.length > 0 || !isExpectationAlone(verdicts) || played.stop !== 'done') return undefined;
  if (played.calls.some(({ tool }) => sample.expect.must_not_call.includes(tool))) return undefined;
  const missing = sample.expect.must_say.filter(
    ({ any }) => !any.some((phrase) => played.says.some((text) => holdsPhrase(text, phrase))),
  );
  const nearly = missing.map(({ any }) => any.find((phrase) => saysNearly(played.says, phrase)));
  if (missing.length === 0) return undefined;
  if (nearly.includes(undefined)) {
    const sentences = missing.map(({ any }) =>
      any.every(isWholeSentence) ? any.find(saysMostOf(played.says)) : undefined,
    );
    if (sentences.includes(undefined)) return undefined;
    return `it demands the whole sentence "${sentences[0]}", which no subject says word for word`;
  }
  return `its required words are too narrow: the subject says as much as "${nearly[0]}" in other words`;
}

const LEAST_WORDS = 8;

/** Longer than what a right subject says word for word. */
export function isWholeSentence(phrase: string): boolean {
  return listSegments(phrase).length >= LEAST_WORDS;
}

/** Particles and pronouns, for the most part. */
const SINGLE_IDEOGRAPH = /^\p{Script=Han}$/u;

/** Checks for a text with all numbers and half of the words of a phrase. */
function saysMostOf(says: readonly string[]): (phrase: string) => boolean {
  const told = says.map(listTellingWords);
  return (phrase) => {
    const wanted = listTellingWords(phrase).filter((word) => !SINGLE_IDEOGRAPH.test(word));
    return told.some((said) => {
      const found = wanted.filter((word) => said.includes(word));
      return found.length * 2 >= wanted.length && wanted.every((word) => !/^\d/.test(word) || found.includes(word));
    });
  };
}

const listTellingWords = (text: string): string[] =>
  listSegments(text)
    .map(normalizeWord)
    .filter((word) => !isEmptyWord(word));

/** Cuts a text into words, also where they are written without spaces; a number with its cents is one. */
function listSegments(text: string): string[] {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text.normalize('NFKC').toLowerCase());
  return [...segments].flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
}

function isExpectationAlone(verdicts: readonly Verdict[]): boolean {
  const failing = verdicts.filter(({ pass }) => !pass);
  return failing.length > 0 && failing.every(({ checker }) => checker === 'expect');
}

function isProse(value: unknown): value is string {
  return typeof value === 'string' && /\S\s+\S/.test(value);
}

function normalizeTexts(texts: readonly string[]): string {
  return foldText(texts.join(' \n '));
}

/** Words without meaning of their own, or that some people write as a sign. */
const isEmptyWord = (word: string): boolean => isSmallWord(word) || /^(?:euro?|usd|dollar)$/.test(word);

const MONTH = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|tember|ober)?$/;

const YEAR = /^(?:19|20)\d\d$/;

/** Whether a text says what a required phrase says, in another order or notation: `€38` for `38.00 EUR`, `30 days` for `thirty days`. */
export function saysNearly(says: readonly string[], phrase: string): boolean {
  const wanted = listKeyWords(phrase);
  const hasMonth = wanted.some((word) => MONTH.test(word));
  return (
    wanted.length > 0 &&
    says.some((text) => {
      const said = listKeyWords(text);
      // A text that names a day and month without a year implies the year.
      const goesWithoutSaying = (word: string): boolean =>
        hasMonth && YEAR.test(word) && !said.some((one) => YEAR.test(one));
      return wanted.every((word) => said.includes(word) || goesWithoutSaying(word));
    })
  );
}

function listKeyWords(text: string): string[] {
  // Ordinals count as numbers, as in "the 24th of November".
  const found =
    foldText(text)
      .replaceAll(/\b(\d{1,2})(?:st|nd|rd|th)\b/g, '$1')
      .match(/\d+(?:[.,]\d+)*|[\p{L}\p{N}'’-]+/gu) ?? [];
  return found.map(normalizeWord).filter((word) => word !== '' && !isEmptyWord(word));
}

function normalizeWord(word: string): string {
  if (/^\d/.test(word)) return /^\d+(?:[.,]\d{1,2})?$/.test(word) ? String(Number(word.replace(',', '.'))) : word;
  if (MONTH.test(word)) return word.slice(0, 3);
  return readNumberWord(word) ?? (word.length > 4 ? word.replace(/(?:ed|ing|s)$/, '') : word);
}
