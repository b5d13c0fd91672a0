/** Gathers what a subject has done and read by some line of its trial: a long talk is read once. */
import { parseJson } from '../../parse-json.ts';
import { rememberTexts } from '../../scenario/language/remember-texts.ts';
import { isUnspaced, listWords, splitSentences } from '../../scenario/language/split-text.ts';
import { areWordForms } from '../../scenario/language/word-forms.ts';
import type { TraceLine, TraceLineOf } from '../../scenario/trace.ts';
import { readNames, readValues, type ReadText, type ValueKind } from './read-values.ts';

export type ChangingTool = { name: string; description: string };

export type StatementInput = {
  lines: readonly TraceLine[];
  /** The tools of the subject that change something. */
  changing: readonly ChangingTool[];
  /** What the subject was given besides the talk: its prompt, the descriptions of its tools, the rules. */
  given: readonly string[];
  /** Gold's words, which may tell what stands in the sources alone: then a subject may say it too. */
  gold?: string;
  /** False for a subject that may know more than that, such as prices of its own. Default: true. */
  isAllKnown?: boolean;
};

/** `letters`: all words without spaces, for what may stand at any place. */
export type ReadWords = { words: Set<string>; letters: string };
/** A number of a call or an answer may be anything. */
type Values = Map<ValueKind | 'number', Set<number>>;
type Rules = ReadWords & { sentences: readonly ReadText[]; values: Values };

/** Words and values of users, calls and answers: what the subject did not say itself. */
export type ReadTrial = StatementInput &
  ReadWords & {
    values: Values;
    /** Numbers of calls and answers by their key. */
    numbers: Map<string, number[]>;
    /** Names of several words in calls and answers: the last one by those before it. */
    names: Map<string, string>;
    /** All that was given. */
    rules: Rules;
    tools: ReadWords;
    /** The first call that did something, by its tool, and the words of all such calls. */
    acts: Map<string, TraceLineOf<'call'>>;
    done: ReadWords;
  };

/** Of more values under one key no sum is computed: any amount may be one. */
export const MOST_SUMMED = 12;

function readWords(texts: readonly string[]): ReadWords {
  const read = { words: new Set<string>(), letters: '' };
  for (const text of texts) addWords(read, text);
  return read;
}

function addWords(read: ReadWords, text: string): void {
  const words = listWords(text);
  for (const word of words) read.words.add(word);
  read.letters += ` ${words.join('')}`;
}

export function holdsWord({ words, letters }: ReadWords, word: string): boolean {
  if (isUnspaced(word)) return letters.includes(word);
  return words.has(word) || [...words].some((one) => areWordForms(one, word));
}

/** The given texts are the same in all trials of a design, and read once for them. */
const readRules = rememberTexts((given): Rules => {
  const texts = given.split('\n');
  const sentences = texts.flatMap(splitSentences).map(readValues);
  const rules = { ...readWords(texts), sentences, values: new Map() };
  for (const sentence of sentences) addValues(rules.values, sentence);
  return rules;
});

export function startTrial(input: StatementInput): ReadTrial {
  const rules = readRules(input.given.join('\n'));
  const tools = readWords(input.changing.map(({ name, description }) => `${name} ${description}`));
  const known = { values: new Map(), numbers: new Map(), names: new Map(), acts: new Map() };
  const trial = { ...input, ...readWords([]), ...known, rules, tools, done: readWords([]) };
  addText(trial, input.gold ?? '');
  return trial;
}

function addText(trial: ReadTrial, text: string): void {
  addWords(trial, text);
  addValues(trial.values, readValues(text));
}

export function readLine(trial: ReadTrial, line: TraceLine): void {
  if (line.type === 'user') addText(trial, line.text);
  if (line.type !== 'call') return;
  const { input, output, tool, change } = line;
  const text = `${JSON.stringify(input)} ${JSON.stringify(output)}`;
  addWords(trial, text);
  addNumbers(trial, [input, output]);
  if (line.is_error || line.by !== undefined) return;
  if (!trial.acts.has(tool)) trial.acts.set(tool, line);
  const acting = trial.changing.find(({ name }) => name === tool);
  if (acting !== undefined || change.length > 0) addWords(trial.done, `${tool} ${acting?.description} ${text}`);
}

function addValue(values: Values, kind: ValueKind | 'number', value: number): void {
  values.set(kind, (values.get(kind) ?? new Set()).add(value));
}

function addValues(values: Values, read: ReadText): void {
  for (const { kind, value, text } of read.values) {
    addValue(values, kind, value);
    if (kind === 'span') addValue(values, 'count', Number.parseFloat(text));
  }
}

/** A person, a street with its number, a product. */
const NAME = /^(?<head>\p{Lu}[^\n]{1,40} |\p{Script=Han}{2,9})(?<last>(?:\p{Lu}|\d)[\p{L}\d-]+)\p{Script=Han}?$/u;

/** Tools often answer JSON as a text. A key may name a unit: `loan_days`. */
function addNumbers(trial: ReadTrial, value: unknown, key = ''): void {
  const read = typeof value === 'string' && /^[[{]/.test(value) ? parseJson(value) : value;
  if (typeof read === 'string') {
    addValues(trial.values, readValues(read));
    const { head, last } = NAME.exec(read)?.groups ?? {};
    if (head !== undefined && last !== undefined) trial.names.set(head, last);
  }
  if (typeof read === 'object' && read !== null)
    for (const [name, one] of Object.entries(read)) addNumbers(trial, one, Array.isArray(read) ? key : name);
  if (typeof read !== 'number') return;
  addValue(trial.values, 'number', read);
  trial.numbers.set(key, [...(trial.numbers.get(key) ?? []), read].slice(0, MOST_SUMMED + 1));
  const units = key.split(/[_\s]|(?=\p{Lu})/u).flatMap((word) => readNames('unit').get(word.toLowerCase()) ?? []);
  if (units[0] !== undefined) addValue(trial.values, 'span', read * units[0]);
}
