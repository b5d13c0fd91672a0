/** The text of the checker that judges imported promptfoo assertions: comparisons, schemas and the suite's own code; no model, no clock. */
import { JSON_FITS } from './json-fits.ts';

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
export type CarriedTest = { asserts: CarriedAssert[]; threshold?: number; transform?: number; vars?: unknown };

/** `table` is inserted as data; `code` are function texts that compile. */
export function assertsChecker(table: Readonly<Record<string, CarriedTest>>, code: readonly string[]): string {
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

${JUDGING}`;
}

/** The part that is the same in every checker. */
const JUDGING = `const list = (value) => (Array.isArray(value) ? value.map(String) : String(value).split(',').map((part) => part.trim()));
const toLower = (text) => text.toLowerCase();
const parseJson = (text) => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

${JSON_FITS}
/** Every object and every list in the text that is JSON by itself. */
function* jsonIn(text) {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] !== '{' && text[start] !== '[') continue;
    for (let end = text.length; end > start; end -= 1) {
      if (text[end - 1] !== '}' && text[end - 1] !== ']') continue;
      const found = parseJson(text.slice(start, end));
      if (found === undefined) continue;
      yield found;
      start = end - 1;
      break;
    }
  }
}

const HOLDS = {
  equals: (said, value) => said === (typeof value === 'string' ? value : JSON.stringify(value)),
  contains: (said, value) => said.includes(String(value)),
  icontains: (said, value) => toLower(said).includes(toLower(String(value))),
  'contains-any': (said, value) => list(value).some((part) => said.includes(part)),
  'contains-all': (said, value) => list(value).every((part) => said.includes(part)),
  'icontains-any': (said, value) => list(value).some((part) => toLower(said).includes(toLower(part))),
  'icontains-all': (said, value) => list(value).every((part) => toLower(said).includes(toLower(part))),
  'starts-with': (said, value) => said.startsWith(String(value)),
  regex: (said, value) => new RegExp(String(value)).test(said),
  'is-json': (said, schema) => {
    const found = parseJson(said);
    return found !== undefined && (schema === undefined || matchesSchema(schema, found.value));
  },
  'contains-json': (said, schema) => {
    for (const { value } of jsonIn(said)) if (schema === undefined || matchesSchema(schema, value)) return true;
    return false;
  },
};

const toText = (value) => (typeof value === 'string' ? value : JSON.stringify(value) ?? '');

/** Reads the answer of the suite's own code: true or false, a score, or an object with both. */
function toScore(answer, threshold) {
  if (typeof answer === 'number') return { pass: threshold === undefined ? answer > 0 : answer >= threshold, score: answer };
  if (answer !== null && typeof answer === 'object') return { pass: answer.pass === true, score: answer.score ?? (answer.pass ? 1 : 0) };
  return { pass: Boolean(answer), score: answer ? 1 : 0 };
}

function judgeAssert(assert, output, context) {
  const said = assert.transform === undefined ? output : CODE[assert.transform](output, context);
  if (assert.asserts !== undefined) return judgeAll(assert.asserts, assert.threshold, said, context);
  const negated = assert.type.startsWith('not-');
  const holds = HOLDS[negated ? assert.type.slice(4) : assert.type];
  const found = assert.code === undefined ? toScore(holds(toText(said), assert.value)) : toScore(CODE[assert.code](said, context), assert.threshold);
  const pass = found.pass !== negated;
  return { pass, score: negated ? 1 - found.score : found.score, failed: pass ? [] : [assert] };
}

function judgeAll(asserts, threshold, output, context) {
  const all = asserts.map((assert) => ({ weight: assert.weight ?? 1, ...judgeAssert(assert, output, context) }));
  const weight = all.reduce((sum, one) => sum + one.weight, 0);
  const score = weight === 0 ? 1 : all.reduce((sum, one) => sum + one.weight * one.score, 0) / weight;
  const pass = threshold === undefined ? all.every((one) => one.pass) : score >= threshold;
  return { pass, score, failed: all.flatMap((one) => one.failed) };
}

export function check({ sample, final }) {
  if (final === '') return { pass: false, reason: 'nothing was said', evidence: [] };
  const { asserts = [], threshold, transform, vars = {} } = TESTS[sample.id] ?? {};
  const context = { vars };
  const output = transform === undefined ? final : CODE[transform](final, context);
  const { pass, score, failed } = judgeAll(asserts, threshold, output, context);
  const evidence = failed.map(({ type, value, code }) => type + ' ' + (code === undefined ? JSON.stringify(value ?? null) : String(CODE[code])));
  if (pass && threshold === undefined) return { pass, reason: 'every assertion holds', evidence: [] };
  const share = threshold === undefined ? '' : ': a score of ' + Number(score.toFixed(4)) + ', and ' + threshold + ' is wanted';
  return { pass, reason: failed.length + ' of the assertions do not hold' + share, evidence };
}
`;
