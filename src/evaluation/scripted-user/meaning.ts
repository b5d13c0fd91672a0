/** Reads the meaning of a text as a set of concepts: word forms and synonyms are merged, small words dropped. */
import { listWords } from '../../scenario/language/split-text.ts';
import { areWordForms } from '../../scenario/language/word-forms.ts';

/** Synonyms, one concept a line: its first word names it. */
const SYNONYMS = `
agree consent confirm confirmation approve accept proceed ahead want like wish okay ok fine 同意 确认 接受 愿意 einverstanden zustimmen zustimmung bestätigen bestätigung
price cost amount total sum much fee charge pay paid preis gebühr kosten 价格 费用 多少
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

const SMALL_WORDS = new Set(
  (
    'a an and any are as at be been but by can could did do does for from had has have he her his how i if in is it its ' +
    'let may me might mine more my of on one or our out she should shall so some than that the their them then there ' +
    'these they this those to too up us was we were what when where which who whom whose will with would you your ' +
    'please tell give provide send share know ask just also first last still again here now also thank thanks sorry ' +
    'order-of exactly kindly 请 请问 ' +
    [...'您的你我吗是和了呢吧啊他她它们这那与在有会要能可给为帮把让就也都还再先将向对从到被个一元'].join(' ')
  ).split(' '),
);

export const GERMAN_SMALL_WORDS =
  '(?:Sie|Ihnen|Ihre?[nmrs]?|ich|wir|mir|nicht|möchten?|soll(?:en)?|können|haben|sind|bitte|und|oder|ist|wird|werden|einen?|das|der|den|dem|wie|lautet|damit|einverstanden|auf|für|mit|von)';
const GERMAN_WORD = new RegExp(`^${GERMAN_SMALL_WORDS}$`, 'i');

/** True for a word that says nothing about what a text is about. */
export function isSmallWord(word: string): boolean {
  return SMALL_WORDS.has(word) || GERMAN_WORD.test(word);
}

const NEGATION =
  /\b(?:not|never|no|none|nothing|cannot|unable|without|nicht|nie|kein\w*|nichts|ohne)\b|n['’]t\b|(?<!(?=(\p{L})[不没]\1)\p{L})(?:没有?|不)|无需|未/giu;

/** Counts the words that negate; two take each other away: "without the number I cannot go on". */
export const countNegations = (text: string): number => text.match(NEGATION)?.length ?? 0;

export const beginsNegated = (text: string): boolean => text.trim().search(NEGATION) === 0;

export type Meaning = ReadonlySet<string>;

export function readMeaning(text: string): Meaning {
  return new Set(
    listWords(text)
      .filter((word) => !isSmallWord(word))
      .map(toConcept),
  );
}

/** The first word of the line of synonyms in which a form of the word stands, else the word. */
function toConcept(word: string): string {
  const root = stemWord(word);
  return SYNONYMS.find((line) => line.some((one) => areWordForms(one, root)))?.[0] ?? root;
}

/** Cuts the endings of English that are longer than those by which forms of one word differ. */
function stemWord(word: string): string {
  return word
    .replace(/(?<=\p{L}{4})(?:ations?|ings?|ments?)$/u, '')
    .replace(/(?<=\p{L}{4})(?<last>\p{L})\k<last>$/u, '$1');
}
