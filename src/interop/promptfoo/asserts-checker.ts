/** The text of the checker that judges imported promptfoo assertions: comparisons, schemas and the suite's own code; no model, no clock. */
import { JSON_FITS } from './json-fits.ts';
import { JSON_IN_TEXT } from './json-in-text.ts';

/** `transform` and `code` are indexes into the list of the suite's functions. */
export type CarriedAssert = {
  type: string;
  value?: unknown;
  weight?: number;
  threshold?: number;
  transform?: number;
  code?: number;
  /** The assertions of an `assert-set`. */
  asserts?: CarriedAssert[];
};

/** Without a threshold every assertion must hold; with one their weighted share must reach it. */
export type CarriedTest = {
  asserts: CarriedAssert[];
  threshold?: number;
  transform?: number;
  vars?: unknown;
  /** An empty answer fails. In promptfoo it may pass, but here doing nothing must never pass. */
  needsWords?: boolean;
};

/** `table` is inserted as data; `code` are function texts that compile. */
export function assertsChecker(table: Readonly<Record<string, CarriedTest>>, code: readonly string[]): string {
  // Code that no assertion needs would only be code that no sample proves.
  const findsJson = /"type":"(?:not-)?contains-json"/.test(JSON.stringify(table));
  return `/** The assertions of the imported promptfoo suite, by sample. */
export const checker = {
  id: 'asserts',
  description: 'What the subject says last satisfies the assertions of the promptfoo suite.',
  rules: ['R1'],
  // The suite compares words letter by letter.
  exact_words: true,
};

const TESTS = ${JSON.stringify(table, null, 2)};

/** Code of the suite itself. */
const CODE = [${code.map((one) => `\n  ${one},`).join('')}
];
${findsJson ? JSON_IN_TEXT : ''}
${JUDGING}`;
}

/** The part that is the same in every checker. */
const JUDGING = String.raw`const toLower = (text) => text.toLowerCase();
const parseJson = (text) => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

${JSON_FITS}
/** Throws for a value that promptfoo does not accept: no answer can satisfy such a test. */
const need = (holds) => {
  if (!holds) throw new Error('a value of an assertion is not of the type that it needs');
};
const toPart = (value) => {
  need((typeof value === 'string' && value !== '') || (typeof value === 'number' && !Number.isNaN(value)));
  return String(value);
};

/** Splits at commas; a part in quotes may hold commas, and quotes that are doubled or escaped. */
function splitParts(text) {
  const PART = /[\s,]*(?:"((?:\\["\\]|""|[^"\\]|\\(?!["\\]))*)"\s*(?=,|$)|([^\s",][^,]*)|$)/y;
  const parts = [];
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text);
    need(found !== null);
    const [, quoted, bare] = found;
    if (quoted !== undefined) parts.push(quoted.replace(/\\(["\\])|""/g, (_, escaped) => escaped ?? '"'));
    else if (bare !== undefined) parts.push(bare.trim());
  }
  return parts;
}
const toParts = (value) => {
  need(Array.isArray(value) || (typeof value === 'string' && value !== ''));
  return Array.isArray(value) ? value.map(String) : splitParts(value);
};

/** True, false, or undefined for what fails whether it is negated or not. */
const HOLDS = {
  equals: (said, value) => {
    if (typeof value !== 'object') return said === String(value);
    const found = parseJson(said);
    return found !== undefined && isSameJson(value, found.value);
  },
  contains: (said, value) => said.includes(toPart(value)),
  icontains: (said, value) => toLower(said).includes(toLower(toPart(value))),
  'contains-any': (said, value) => toParts(value).some((part) => said.includes(part)),
  'contains-all': (said, value) => toParts(value).every((part) => said.includes(part)),
  'icontains-any': (said, value) => toParts(value).some((part) => toLower(said).includes(toLower(part))),
  'icontains-all': (said, value) => toParts(value).every((part) => toLower(said).includes(toLower(part))),
  'starts-with': (said, value) => {
    need(typeof value === 'string' && value !== '');
    return said.startsWith(value);
  },
  regex: (said, value) => {
    need(typeof value === 'string' && value !== '');
    try {
      return new RegExp(value).test(said);
    } catch {
      return undefined;
    }
  },
  'is-json': (said, schema) => {
    const found = parseJson(said);
    return found !== undefined && (schema === undefined || matchesSchema(schema, found.value));
  },
  'contains-json': (said, schema) => {
    for (const { value } of jsonIn(said)) if (schema === undefined || matchesSchema(schema, value)) return true;
    return false;
  },
};

const toText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A transform has to return something. */
function runTransform(place, output, context) {
  if (place === undefined) return output;
  const made = CODE[place](output, context);
  if (made === undefined || made === null) throw new Error('a transform returned nothing');
  return made;
}

const toVerdict = (pass) => ({ pass, score: pass ? 1 : 0 });

/** The suite's own code answers true or false, a score, or an object with both and a reason. Any other answer fails, and so does an exception. */
function runCode({ code, threshold }, negated, [output, context]) {
  let answer;
  try {
    answer = CODE[code](output, context);
  } catch {
    return toVerdict(false);
  }
  if (typeof answer === 'boolean') return toVerdict(answer !== negated);
  if (typeof answer === 'number') return { pass: (threshold === undefined ? answer > 0 : answer >= threshold) !== negated, score: answer };
  const { pass, score, reason } = answer ?? {};
  const isWhole = typeof pass === 'boolean' && typeof score === 'number' && typeof reason === 'string';
  return isWhole ? { pass: pass !== negated, score } : toVerdict(false);
}

function judgeAssert(assert, output, context) {
  if (assert.asserts !== undefined) return judgeAll(assert.asserts, assert.threshold, [output, context]);
  const said = runTransform(assert.transform, output, context);
  const negated = assert.type.startsWith('not-');
  const holds = () => HOLDS[negated ? assert.type.slice(4) : assert.type](toText(said), assert.value);
  const found = assert.code === undefined ? toVerdict(holds() === !negated) : runCode(assert, negated, [said, context]);
  return { ...found, failed: found.pass ? [] : [assert] };
}

function judgeAll(asserts, threshold, [output, context]) {
  const all = asserts.map((assert) => ({ weight: assert.weight ?? 1, ...judgeAssert(assert, output, context) }));
  const weight = all.reduce((sum, one) => sum + one.weight, 0);
  const score = weight > 0 ? all.reduce((sum, one) => sum + one.weight * one.score, 0) / weight : 0;
  const pass = threshold === undefined ? all.every((one) => one.pass) : score >= threshold;
  return { pass, score, failed: all.flatMap((one) => one.failed) };
}

function judgeTest({ asserts = [], threshold, transform, vars = {} }, final) {
  if (asserts.length === 0) return { pass: true, score: 1, failed: [] };
  const context = { vars };
  return judgeAll(asserts, threshold, [runTransform(transform, final, context), context]);
}

export function check({ sample, final }) {
  const test = TESTS[sample.id] ?? {};
  if (final === '' && test.needsWords) return { pass: false, reason: 'nothing was said', evidence: [] };
  let judged;
  try {
    judged = judgeTest(test, final);
  } catch (error) {
    return { pass: false, reason: 'the test cannot be judged, which fails it: ' + error.message, evidence: [] };
  }
  const { pass, score, failed } = judged;
  const { threshold } = test;
  const evidence = failed.map(({ type, value, code }) => type + ' ' + (code === undefined ? JSON.stringify(value ?? null) : String(CODE[code])));
  if (pass && threshold === undefined) return { pass, reason: 'every assertion holds', evidence: [] };
  const share = threshold === undefined ? '' : ': a score of ' + Number(score.toFixed(4)) + ', and ' + threshold + ' is wanted';
  return { pass, reason: failed.length + ' of the assertions do not hold' + share, evidence };
}
`;
