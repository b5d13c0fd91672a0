/** The assertions of the imported promptfoo suite, by sample. */
export const checker = {
  id: 'asserts',
  description: 'What the subject says last satisfies the assertions of the promptfoo suite.',
  rules: ['R1'],
  // The suite compares words letter by letter.
  exact_words: true,
};

const TESTS = '{{tests}}';

/** Code of the suite itself. */
const CODE = '{{code}}';

const list = (value) =>
  Array.isArray(value)
    ? value.map(String)
    : String(value)
        .split(',')
        .map((part) => part.trim());
const toLower = (text) => text.toLowerCase();
const parseJson = (text) => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const isSameJson = (a, b) => JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
const sortKeys = (value) =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sortKeys(value[key])]),
        )
      : value;
const getType = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const hasType = (type, value) => (type === 'integer' ? Number.isInteger(value) : type === getType(value));
const resolvePointer = (root, pointer) => {
  const parts = pointer === '#' ? [] : pointer.slice(2).split('/').map(decodeURIComponent);
  return parts.reduce((found, part) => found?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], root);
};

function matchesSchema(schema, value, root = schema) {
  if (typeof schema === 'boolean') return schema;
  const is = (key, holds) => schema[key] === undefined || holds(schema[key]);
  const own = (one) => matchesSchema(one, value, root);
  const general =
    is('$ref', (path) => own(resolvePointer(root, path) ?? false)) &&
    is('type', (type) => [type].flat().some((one) => hasType(one, value))) &&
    is('enum', (all) => all.some((one) => isSameJson(one, value))) &&
    is('const', (one) => isSameJson(one, value)) &&
    is('allOf', (all) => all.every(own)) &&
    is('anyOf', (all) => all.some(own)) &&
    is('oneOf', (all) => all.filter(own).length === 1) &&
    is('not', (one) => !own(one));
  if (!general) return false;
  if (typeof value === 'number')
    return (
      is('minimum', (least) => value >= least) &&
      is('maximum', (most) => value <= most) &&
      is('exclusiveMinimum', (least) => value > least) &&
      is('exclusiveMaximum', (most) => value < most) &&
      is('multipleOf', (unit) => Number.isInteger(value / unit))
    );
  if (typeof value === 'string') {
    const { length } = Array.from(value);
    return (
      is('minLength', (least) => length >= least) &&
      is('maxLength', (most) => length <= most) &&
      is('pattern', (pattern) => new RegExp(pattern, 'u').test(value))
    );
  }
  if (Array.isArray(value))
    return (
      is('minItems', (least) => value.length >= least) &&
      is('maxItems', (most) => value.length <= most) &&
      is(
        'uniqueItems',
        (unique) =>
          !unique || value.every((one, index) => !value.slice(0, index).some((other) => isSameJson(one, other))),
      ) &&
      is('items', (items) => value.every((one) => matchesSchema(items, one, root)))
    );
  if (getType(value) !== 'object') return true;
  const keys = Object.keys(value);
  const { properties = {}, patternProperties = {} } = schema;
  const matching = (key) => Object.keys(patternProperties).filter((pattern) => new RegExp(pattern, 'u').test(key));
  return (
    is('required', (all) => all.every((key) => Object.hasOwn(value, key))) &&
    is('minProperties', (least) => keys.length >= least) &&
    is('maxProperties', (most) => keys.length <= most) &&
    keys.every((key) => {
      const patterns = matching(key);
      const named = Object.hasOwn(properties, key);
      return (
        (!named || matchesSchema(properties[key], value[key], root)) &&
        patterns.every((pattern) => matchesSchema(patternProperties[pattern], value[key], root)) &&
        (named || patterns.length > 0 || is('additionalProperties', (rest) => matchesSchema(rest, value[key], root)))
      );
    })
  );
}

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

const toText = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Reads the answer of the suite's own code: true or false, a score, or an object with both. */
function toScore(answer, threshold) {
  if (typeof answer === 'number')
    return { pass: threshold === undefined ? answer > 0 : answer >= threshold, score: answer };
  if (answer !== null && typeof answer === 'object')
    return { pass: answer.pass === true, score: answer.score ?? (answer.pass ? 1 : 0) };
  return { pass: Boolean(answer), score: answer ? 1 : 0 };
}

function judgeAssert(assert, output, context) {
  const said = assert.transform === undefined ? output : CODE[assert.transform](output, context);
  if (assert.asserts !== undefined) return judgeAll(assert, said, context);
  const negated = assert.type.startsWith('not-');
  const holds = HOLDS[negated ? assert.type.slice(4) : assert.type];
  const found =
    assert.code === undefined
      ? toScore(holds(toText(said), assert.value))
      : toScore(CODE[assert.code](said, context), assert.threshold);
  const pass = found.pass !== negated;
  return { pass, score: negated ? 1 - found.score : found.score, failed: pass ? [] : [assert] };
}

function judgeAll({ asserts, threshold }, output, context) {
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
  const { pass, score, failed } = judgeAll({ asserts, threshold }, output, context);
  const evidence = failed.map(
    ({ type, value, code }) => type + ' ' + (code === undefined ? JSON.stringify(value ?? null) : CODE[code]),
  );
  if (pass && threshold === undefined) return { pass, reason: 'every assertion holds', evidence: [] };
  const share =
    threshold === undefined ? '' : ': a score of ' + Number(score.toFixed(4)) + ', and ' + threshold + ' is wanted';
  return { pass, reason: failed.length + ' of the assertions do not hold' + share, evidence };
}
