/** Evidence in a failed trial that the sample is at fault (4a), except a user without an answer: its limits, its user, its wording. */
import type { StateDifference, Verdict } from '../../scenario/result.ts';
import { callsOf, type Sample } from '../../scenario/sample.ts';
import type { TrialRecord } from '../components/trial-record.ts';
import { holdsPhrase } from './spellings.ts';

export type FailedPlay = {
  sample: Sample;
  played: TrialRecord;
  verdicts: readonly Verdict[];
  stateDiff: readonly StateDifference[];
};

/** One sentence; undefined when nothing but the subject is left. */
export function sampleFaultOf(play: FailedPlay): string | undefined {
  return tooFewSteps(play) ?? misleadingUser(play) ?? wordForWord(play) ?? narrowWords(play);
}

/** What gold takes: a call a step, the last words, and one question when the user must be asked for something that it needs. */
export function stepsOfGold({ user, gold }: Sample): { least: number; asks: boolean } {
  const told = words([user.says_first]);
  const given = callsOf(gold).flatMap(({ args }) => Object.values(args));
  const asks = Object.values(user.knows).some((fact) => given.includes(fact) && !told.includes(words([fact])));
  const says = gold.filter((step) => 'says' in step).length;
  return { least: callsOf(gold).length + Math.max(says, asks ? 1 : 0) + 1, asks };
}

function tooFewSteps({ sample, played }: FailedPlay): string | undefined {
  const { steps } = sample.limits;
  const { least, asks } = stepsOfGold(sample);
  if (played.stop !== 'steps' || steps === undefined || steps >= least) return undefined;
  return `its limit of ${steps} steps is less than the ${least} that its own gold path needs${asks ? ', one question to the user among them' : ''}`;
}

/** The user said one thing, and the gold path needs another that the user never says. */
function misleadingUser({ sample, played }: FailedPlay): string | undefined {
  const { says_first, knows, acts = [] } = sample.user;
  const scripted = sample.gold.flatMap((step) => ('user' in step ? [step.user] : []));
  const sayable = words([says_first, ...Object.values(knows), ...acts.map(({ says }) => says), ...scripted]);
  for (const { tool, args } of callsOf(sample.gold)) {
    const call = played.calls.find((one) => one.tool === tool && one.by === undefined);
    if (call === undefined) continue;
    for (const [key, right] of Object.entries(args)) {
      const got = call.input[key];
      if (typeof right !== 'string' || typeof got !== 'string' || right.length < 3 || got === right) continue;
      if (sayable.includes(words([got])) && !sayable.includes(words([right])) && !isSeen(played, right))
        return `its user says "${got}", and its gold path calls ${tool} with ${key} "${right}", which its user never says`;
    }
  }
  return undefined;
}

/** A value that a tool has answered is the subject's to find. */
function isSeen({ calls }: TrialRecord, value: string): boolean {
  return calls.some(({ output }) => (JSON.stringify(output) ?? '').includes(JSON.stringify(value)));
}

/** Nothing is wrong but a free text of the subject's own, which no two agents write alike. */
function wordForWord({ played, verdicts, stateDiff }: FailedPlay): string | undefined {
  if (stateDiff.length === 0 || !isExpectationAlone(verdicts)) return undefined;
  const given = new Set(played.calls.flatMap(({ input }) => Object.values(input)));
  const isFree = ({ expected, got }: StateDifference) =>
    isProse(expected) && isProse(got) && [...given].some((value) => value === got);
  const [first] = stateDiff;
  if (first === undefined || !stateDiff.every(isFree)) return undefined;
  return `it demands a free text word for word at ${first.path}`;
}

function narrowWords({ sample, played, verdicts, stateDiff }: FailedPlay): string | undefined {
  if (stateDiff.length > 0 || !isExpectationAlone(verdicts) || played.stop !== 'done') return undefined;
  if (played.calls.some(({ tool }) => sample.expect.must_not_call.includes(tool))) return undefined;
  const missing = sample.expect.must_say.filter(
    ({ any }) => !any.some((phrase) => played.says.some((text) => holdsPhrase(text, phrase))),
  );
  const nearly = missing.map(({ any }) => any.find((phrase) => saysNearly(played.says, phrase)));
  if (nearly.length === 0 || nearly.includes(undefined)) return undefined;
  return `its required words are too narrow: the subject says as much as "${nearly[0]}" in other words`;
}

function isExpectationAlone(verdicts: readonly Verdict[]): boolean {
  const failing = verdicts.filter(({ pass }) => !pass);
  return failing.length > 0 && failing.every(({ checker }) => checker === 'expect');
}

function isProse(value: unknown): value is string {
  return typeof value === 'string' && /\S\s+\S/.test(value);
}

function words(texts: readonly string[]): string {
  return texts.join(' \n ').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

const NUMBERS = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'],
];
const TENS: Readonly<Record<string, string>> = {
  ...{ thirty: '30', forty: '40', fifty: '50', sixty: '60', seventy: '70', eighty: '80', ninety: '90' },
};
/** Says nothing by itself, or is written as a sign by some. */
const EMPTY = new Set(
  'a an the to of for is are was be been it its your my our i you we on in at and with has have had will eur euro usd dollar'.split(
    ' ',
  ),
);

const MONTHS = new Set('jan feb mar apr may jun jul aug sep oct nov dec'.split(' '));
const MONTH = new RegExp(
  '^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$',
);

const YEAR = /^(?:19|20)\d\d$/;

/** Whether a text says what a required phrase says, in another order or notation: `€38` for `38.00 EUR`, `30 days` for `thirty days`. */
export function saysNearly(says: readonly string[], phrase: string): boolean {
  const wanted = meaningful(phrase);
  const hasMonth = wanted.some((word) => MONTHS.has(word));
  return (
    wanted.length > 0 &&
    says.some((text) => {
      const said = meaningful(text);
      // Whoever names a day and its month, and no year, means one that goes without saying.
      const goesWithoutSaying = (word: string): boolean =>
        hasMonth && YEAR.test(word) && !said.some((one) => YEAR.test(one));
      return wanted.every((word) => said.includes(word) || goesWithoutSaying(word));
    })
  );
}

function meaningful(text: string): string[] {
  // The 24th of November.
  const found =
    text
      .toLowerCase()
      .replaceAll(/\b(\d{1,2})(?:st|nd|rd|th)\b/g, '$1')
      .match(/\d+(?:[.,]\d+)*|[\p{L}\p{N}'’-]+/gu) ?? [];
  return found.map(plain).filter((word) => word !== '' && !EMPTY.has(word));
}

function plain(word: string): string {
  if (/^\d/.test(word)) return /^\d+(?:[.,]\d{1,2})?$/.test(word) ? String(Number(word.replace(',', '.'))) : word;
  if (MONTH.test(word)) return word.slice(0, 3);
  const index = NUMBERS.indexOf(word);
  if (index >= 0) return String(index);
  return TENS[word] ?? (word.length > 4 ? word.replace(/(?:ed|ing|s)$/, '') : word);
}
