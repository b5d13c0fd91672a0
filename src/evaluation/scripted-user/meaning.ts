/** Reads the meaning of a text as a set of concepts: word forms and synonyms are merged, small words dropped. */
import { splitWords } from '../../scenario/language/split-text.ts';

/** Synonyms, one concept a line: its first word names it. `stemWord` reduces the words to stems. */
const SYNONYMS = `
email mail emailaddress
postcode zip zipcode postalcode
phone telephone mobile cell cellphone
birthdate birthday born dob
surname lastname familyname
price cost amount total sum much fee charge
delivery deliver arrive arrival receive ship shipment
reason why cause purpose
person people guest guests traveller passenger
number reference ref code id identifier
booking book reservation reserve reserv
refund reimburse repay pay paid payment money
cancel cancellation call-off
agree consent confirm confirmation approve accept proceed ahead want like wish okay ok fine 同意 确认 接受 愿意 einverstanden zustimmen zustimmung bestätigen bestätigung
price preis gebühr kosten 价格 费用 多少
name
time hour clock oclock
date day
address live street
count many quantity
problem issue fault defect wrong broken damage happen matter detail
`;

/** No language has longer words; longer ones come from printed files and are not stemmed. */
const LONGEST_WORD = 100;

/** Phrases of several words that mean one concept. */
const PHRASES: [RegExp, string][] = [
  [/\be[- ]?mail(?: address)?\b/g, 'email'],
  [/\b(?:date of birth|birth ?date|birth ?day|born on)\b/g, 'birthdate'],
  [/\b(?:zip|postal|post)[ -]?code\b/g, 'postcode'],
  [/\b(?:last|family) name\b/g, 'surname'],
];

const SMALL_WORDS = new Set(
  (
    'a an and any are as at be been but by can could did do does for from had has have he her his how i if in is it its ' +
    'let may me might mine more my of on one or our out she should shall so some than that the their them then there ' +
    'these they this those to too up us was we were what when where which who whom whose will with would you your ' +
    'please tell give provide send share know ask just also first last still again here now also thank thanks sorry ' +
    'order-of exactly kindly 您 的 你 我 请 请问 吗 是 和 了'
  ).split(' '),
);

export function isSmallWord(word: string): boolean {
  return SMALL_WORDS.has(word);
}

const CONCEPTS = new Map(
  SYNONYMS.trim()
    .split('\n')
    .flatMap((line) => {
      const [concept = '', ...others] = line.split(' ');
      return [concept, ...others].map((word): [string, string] => [stemWord(word), concept]);
    }),
);

/** Concepts that a question word asks for. */
const ASKED_BY: [RegExp, string[]][] = [
  [/\bwho\b|\bspeaking (?:with|to)\b/, ['name', 'person']],
  [/\bwhen\b|\bhow long ago\b/, ['date', 'time']],
  [/\bwhere\b/, ['address', 'place']],
  [/\bwhy\b|\bwhat (?:made you|is the reason)\b|\bhow come\b/, ['reason', 'problem']],
  // A text with an amount of money is about a price.
  [/[€$£]\s?\d|\d\s?(?:€|euros?\b|dollars?\b|pounds?\b)|\d[.,]\d\d\b/, ['price']],
  [/\bhow many\b/, ['count']],
  [/\bhow much\b/, ['price']],
];

export type Meaning = ReadonlySet<string>;

export function readMeaning(text: string): Meaning {
  let plain = text.toLowerCase().replaceAll('_', ' ').replaceAll('’', "'");
  const byQuestion = ASKED_BY.flatMap(([words, concepts]) => (words.test(plain) ? concepts : []));
  for (const [phrase, word] of PHRASES) plain = plain.replace(phrase, word);
  const words = plain.match(/[\p{L}\p{N}]+(?:'[a-z]+)?/gu) ?? [];
  const content = words
    .flatMap(splitWords)
    .map((word) => word.replace(/'.*$/, ''))
    .filter((word) => !SMALL_WORDS.has(word));
  return new Set([...content.map(toConcept), ...byQuestion]);
}

/** True when every concept of `part` is in `whole`. */
export function isWithin(part: Meaning, whole: Meaning): boolean {
  return part.size > 0 && [...part].every((concept) => whole.has(concept));
}

function toConcept(word: string): string {
  const root = stemWord(word);
  return CONCEPTS.get(root) ?? root;
}

/** Stems crudely on purpose: `delivered`, `delivery` and `deliveries` need only come out the same. */
function stemWord(word: string): string {
  if (word.length <= 3 || word.length > LONGEST_WORD || /\d/.test(word)) return word;
  const root = word
    .replace(/ies$/, 'y')
    .replace(/(?:ations?|ings?|ments?|ed|es|s)$/, (end) => (word.length - end.length >= 3 ? '' : end));
  return root.replace(/(.)\1$/, '$1').replace(/[ey]$/, '');
}
