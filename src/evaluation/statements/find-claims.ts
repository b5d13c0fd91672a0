/** Holds acts that a subject claims or denies against its calls, in the languages whose sentences of the past are read. */
import { z } from 'zod';
import { readOwnText } from '../../own-file.ts';
import { foldText } from '../../scenario/language/fold-text.ts';
import { isUnspaced, listWords } from '../../scenario/language/split-text.ts';
import { areWordForms, shareStem } from '../../scenario/language/word-forms.ts';
import { findLanguage, GRAMMAR, isSmallWord, LANGUAGES, readYaml } from '../scripted-user/languages.ts';
import { countNegations } from '../scripted-user/meaning.ts';
import { holdsWord, type ChangingTool, type ReadTrial, type ReadWords } from './read-trial.ts';

/** Sentences that state nothing: questions, conditions, offers, plans. */
const isNoStatement = (text: string): boolean =>
  /[?？]/.test(text) || GRAMMAR.plans.test(text) || listOthers(text).some(({ plans }) => plans.test(text));

/** The engine knows the ends of words by the letters of English alone: before "è" it finds none. */
const WORD_END = String.raw`(?:(?<=\p{L})(?!\p{L})|(?<!\p{L})(?=\p{L}))`;
const Pattern = z.string().transform((source) => new RegExp(source.replaceAll(String.raw`\b`, WORD_END), 'iu'));
const Others = z.record(z.string(), z.strictObject({ acts: Pattern, negates: Pattern, plans: Pattern }));
const OTHERS = Object.values(Others.parse(readYaml(readOwnText('./other-languages.yaml', import.meta.url))));

/** Lists the other languages whose patterns tell an act in this sentence. */
const listOthers = (text: string): typeof OTHERS =>
  findLanguage(text) === undefined ? OTHERS.filter(({ acts }) => acts.test(text)) : [];

const READING = LANGUAGES.flatMap(({ readingActs }) => readingActs.map(foldText));

/** "I have also cancelled your booking", by whatever verb, and no call touched such a thing. */
export function findClaimedAct(text: string, trial: ReadTrial): string | undefined {
  const stated = text.replace(GRAMMAR.reported, '');
  if (isNoStatement(text) || GRAMMAR.modal.test(text) || countNegations(stated) > 0) return undefined;
  // A sentence of an unspaced script joins several by commas.
  const claims = (isUnspaced(stated) ? stated.split(/[，；：]/) : [stated]).flatMap(readClaims);
  const [claim] = claims.filter((one) => !one.isDenied && listObjects(one).length > 0);
  if (claim === undefined) return undefined;
  const objects = listObjects(claim);
  const isIn = (read: ReadWords, from = 0): boolean => objects.slice(from).some((word) => holdsWord(read, word));
  if (isIn(trial.done)) return undefined;
  // In English the last word of an object names it.
  const isChangeable = isIn(trial.tools, claim.verb === undefined ? 0 : -1);
  const isNew = !isIn(trial) && (isChangeable || !isIn(trial.rules));
  // An act of nobody in particular may be somebody else's, unless nobody spoke of the thing.
  if (claim.isOwn ? !isChangeable && !isNew && !GRAMMAR.besides.test(text) : !isChangeable || !isNew) return undefined;
  return `no call did that to "${objects.join(' ')}"`;
}

/** The words that name what was acted on; none where nothing but reading or talking is told. */
function listObjects({ verb, rest }: Claim): string[] {
  const clause = rest.slice(0, GRAMMAR.objectEnd.exec(rest)?.index ?? rest.length);
  const words = listWords(clause).filter(
    (word) => !isSmallWord(word) && !/^\d+$/.test(word) && word.length > (isUnspaced(word) ? 1 : 2),
  );
  if (isUnspaced(clause)) return isReading(clause) ? [] : words.filter(isUnspaced);
  // Where the verb comes last, things are written with a capital.
  const act = verb ?? /\p{L}+(?=\P{L}*$)/u.exec(clause)?.[0] ?? '';
  if (!/^\p{Ll}.*(?:[^e]ed|t|en)$/u.test(act) || isSmallWord(act) || isReading(foldText(act))) return [];
  const things = new Set(listWords((clause.match(/(?<!\p{L})\p{Lu}\p{L}+/gu) ?? []).join(' ')));
  return words.filter((word) => !word.endsWith('ly') && (verb !== undefined || things.has(word)));
}

const isReading = (word: string): boolean =>
  READING.some((one) => (isUnspaced(one) ? word.includes(one) : word === one));

/** The tool of which the claim has more words than of any other. */
function findMeantTool(claim: Claim, changing: readonly ChangingTool[]): ChangingTool | undefined {
  const scored = changing.map((tool) => ({ tool, shared: countShared(tool, claim) }));
  const most = Math.max(1, ...scored.map(({ shared }) => shared));
  const [first, ...others] = scored.filter(({ shared }) => shared === most);
  // A word such as "another" sets the act apart, unless the tool itself is described by it.
  const besides = claim.clause.replaceAll(/\p{L}+/gu, (word) =>
    first !== undefined && isWordOf(first.tool, foldText(word)) ? '' : word,
  );
  return others.length > 0 || GRAMMAR.otherThing.test(besides) ? undefined : first?.tool;
}

/** "He cancelado su reserva", in words of one tool, which was not called, and of a thing that no call touched. */
export function findUncalledTool(text: string, trial: ReadTrial): string | undefined {
  const { acts, changing } = trial;
  const isRead = findLanguage(text) !== undefined;
  // Two languages may tell an act alike and deny it otherwise.
  const isDoubtful = OTHERS.some(({ negates, plans }) => negates.test(text) || plans.test(text));
  if (isNoStatement(text) || (isRead ? GRAMMAR.modal.test(text) : isDoubtful)) return undefined;
  const called = changing.filter(({ name }) => acts.has(name));
  const claims = isRead ? readClaims(text.replace(GRAMMAR.reported, '')) : readOtherClaims(text);
  for (const claim of claims.filter((one) => !one.isDenied && (!isRead || listObjects(one).length > 0))) {
    const meant = findMeantTool(claim, changing);
    if (meant === undefined || called.includes(meant)) continue;
    // Somebody else may have done what was read, and it is told as it is.
    const { verb, isOwn } = claim;
    if (verb !== undefined && (!isVerbOf(meant, verb) || (!isOwn && holdsWord(trial, foldText(verb))))) continue;
    const things = listWords(claim.clause).filter((word) => word.length > 3 && isWordOf(meant, word));
    if (things.some((word) => !called.some((tool) => isWordOf(tool, word)))) return `${meant.name} was not called`;
  }
  return undefined;
}

/** "I have not cancelled your booking", or "I cannot cancel it", after a call that did, and for the same thing. */
export function findDeniedAct(text: string, { acts, changing }: ReadTrial): string | undefined {
  if (isNoStatement(text)) return undefined;
  for (const claim of [...readClaims(text), ...readOtherClaims(text)].filter(({ isDenied }) => isDenied)) {
    const act = acts.get(findMeantTool(claim, changing)?.name ?? '');
    const input = foldText(JSON.stringify(act?.input ?? ''));
    const ids = foldText(claim.clause).match(/(?<![\w-])[\w-]*\d[\w-]*/g) ?? [];
    if (act !== undefined && ids.every((id) => input.includes(id)))
      return `${act.tool} did it at step ${act.step}: ${JSON.stringify(act.input)}`;
  }
  return undefined;
}

/** A tool's name and its description begin with what it does. */
const listVerbs = ({ name, description }: ChangingTool): string[] =>
  [name, description].flatMap((one) => listWords(one).slice(0, 1));

const isVerbOf = (tool: ChangingTool, word: string): boolean =>
  listVerbs(tool).some((verb) => isSameWord(word, verb) || shareStem(word, verb));

/** How many words of a tool the claim has: its verb and something besides, or nothing but the verb where it happened to nothing. */
function countShared(tool: ChangingTool, { clause, isOwn, isOfNothing }: Claim): number {
  const words = [...new Set(listWords(clause))].filter((word) => !isSmallWord(word) && countNegations(word) === 0);
  const verbs = listVerbs(tool);
  // Short words such as articles are no things.
  const shared = words.filter(
    (word) => isVerbOf(tool, word) || ((word.length > 3 || isUnspaced(word)) && isWordOf(tool, word)),
  );
  const isActed = shared.some((word) => isVerbOf(tool, word));
  // "Nothing was debited" denies another act than that of a tool which credits.
  if (isOfNothing)
    return isActed && (isOwn || shared.some((word) => verbs.some((verb) => areWordForms(word, verb))))
      ? shared.length
      : 0;
  return shared.length > 1 && (isActed || isUnspaced(clause)) ? shared.length : 0;
}

/** True for a word of the name or the description of a tool. */
const isWordOf = (tool: ChangingTool, word: string): boolean =>
  listWords(`${tool.name} ${tool.description}`).some((one) => isSameWord(word, one));

/** One character of Chinese, alone or with what tells of its result: `改` and `改好` of `更改`. */
const COMPLEMENTED = /^(\p{Script=Han})[好给到完成掉]?$/u;

/** A long word may be joined to another before it, as in "Saalmiete". */
const isSameWord = (said: string, word: string): boolean =>
  areWordForms(said, word) ||
  isDerived(said, word) ||
  (said.length > 4 && word.endsWith(said)) ||
  word.includes(COMPLEMENTED.exec(said)?.[1] ?? ' ');

/** A form by another beginning or end: "added" of "adds", "hinzugefügt" of "fügt", "eintragen" of "trägt". */
function isDerived(said: string, word: string): boolean {
  const [long = '', root = ''] = [said, word.replace(/(?:e?[st]|en)$/, '')].map((one) =>
    one.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  );
  const place = long.indexOf(root);
  return root.length > 2 && place >= 0 && place < 6 && /^(?:e?[dnst]|ing)?$/.test(long.slice(place + root.length));
}

/** One act of which a sentence speaks: `rest` names its object; without a verb any word of the sentence may be it. */
type Claim = { verb?: string | undefined; rest: string; clause: string } & Record<
  'isOwn' | 'isDenied' | 'isOfNothing',
  boolean
>;

/** In these nothing but the words of tools tells what was done. */
const readOtherClaims = (text: string): Claim[] =>
  listOthers(text).flatMap(({ negates }) =>
    (text.match(CLAUSE) ?? []).map((clause) => {
      return { rest: '', isOwn: true, isDenied: negates.test(clause), clause, isOfNothing: false };
    }),
  );

const CLAUSE = /[^,;:，；：]+/g;

function readClaims(text: string): Claim[] {
  const kinds = ['ownActs', 'unable', 'passives'] as const;
  const patterns = kinds.flatMap((kind) => LANGUAGES.flatMap((one) => one[kind].map((pattern) => ({ kind, pattern }))));
  return patterns.flatMap(({ kind, pattern }): Claim[] => {
    const isOwn = kind !== 'passives';
    const found = pattern.exec(text);
    if (found === null) return [];
    const { verb, rest = text } = found.groups ?? {};
    // "It is cancelled, and that costs nothing" denies no act.
    const at = isOwn ? found.index : found.index + found[0].length - 1;
    const clauses = [...text.matchAll(CLAUSE)].filter(({ index }) => index <= at);
    const clause = clauses.at(-1)?.[0] ?? text;
    // Behind the verb only the next word denies it: "for the reason 'no longer needed'" does not.
    const head = isOwn
      ? found[0].slice(0, found[0].length - rest.length) + (/^\s*\S+/.exec(rest)?.[0] ?? '')
      : found[0];
    const isDenied = kind === 'unable' || countNegations(verb === undefined ? clause : head) > 0;
    return [{ verb, rest, isOwn, isDenied, clause, isOfNothing: GRAMMAR.nothing.test(clause) }];
  });
}
