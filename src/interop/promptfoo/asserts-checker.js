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

/** The objects within a text; undefined where no assertion looks for them, because such code could not be proven. */
const jsonIn = '{{jsonIn}}';

/** Lengths and distances; undefined where no assertion needs them. */
const measures = '{{measures}}';

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
  levenshtein: (said, value, threshold) => measures.isNear(said, { value, threshold }, need),
  'word-count': (said, value) => measures.hasWordCount(said, { value }, need),
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
async function runTransform(place, output, context) {
  if (place === undefined) return output;
  const made = await CODE[place](output, context);
  if (made === undefined || made === null) throw new Error('a transform returned nothing');
  return made;
}

const toVerdict = (pass) => ({ pass, score: pass ? 1 : 0 });

/** The suite's own code answers true or false, a score, or an object with both and a reason. Any other answer fails, and so does an exception. */
async function runCode({ code, threshold, config, fromFile }, negated, [output, context]) {
  let answer;
  try {
    answer = await CODE[code](output, config === undefined ? context : { ...context, config });
  } catch (error) {
    if (fromFile) throw error;
    return toVerdict(false);
  }
  if (typeof answer === 'boolean') return toVerdict(answer !== negated);
  if (typeof answer === 'number')
    return { pass: (threshold === undefined ? answer > 0 : answer >= threshold) !== negated, score: answer };
  const { pass, score, reason } = answer ?? {};
  const isWhole = typeof pass === 'boolean' && typeof score === 'number' && typeof reason === 'string';
  return isWhole ? { pass: pass !== negated, score } : toVerdict(false);
}

async function judgeAssert(assert, output, context) {
  if (assert.asserts !== undefined) return judgeAll(assert.asserts, assert.threshold, [output, context]);
  const said = await runTransform(assert.transform, output, context);
  const negated = assert.type.startsWith('not-');
  const holds = () => HOLDS[negated ? assert.type.slice(4) : assert.type](toText(said), assert.value, assert.threshold);
  const found =
    assert.code === undefined ? toVerdict(holds() === !negated) : await runCode(assert, negated, [said, context]);
  return { ...found, failed: found.pass ? [] : [assert] };
}

async function judgeAll(asserts, threshold, [output, context]) {
  const all = [];
  for (const assert of asserts)
    all.push({ weight: assert.weight ?? 1, ...(await judgeAssert(assert, output, context)) });
  const weight = all.reduce((sum, one) => sum + one.weight, 0);
  const score = weight > 0 ? all.reduce((sum, one) => sum + one.weight * one.score, 0) / weight : 0;
  const pass = threshold === undefined ? all.every((one) => one.pass) : score >= threshold;
  return { pass, score, failed: all.flatMap((one) => one.failed) };
}

async function judgeTest({ asserts = [], threshold, transform, vars = {}, prompt }, final) {
  if (asserts.length === 0) return { pass: true, score: 1, failed: [] };
  const context = { vars, prompt };
  return judgeAll(asserts, threshold, [await runTransform(transform, final, context), context]);
}

export async function check({ sample, final }) {
  const test = TESTS[sample.id] ?? {};
  if (final === '' && test.needsWords) return { pass: false, reason: 'nothing was said', evidence: [] };
  let judged;
  try {
    judged = await judgeTest(test, final);
  } catch (error) {
    return { pass: false, reason: 'the test cannot be judged, which fails it: ' + error.message, evidence: [] };
  }
  const { pass, score, failed } = judged;
  const { threshold } = test;
  const evidence = failed.map(
    ({ type, value, code }) => type + ' ' + (code === undefined ? JSON.stringify(value ?? null) : CODE[code]),
  );
  if (pass && threshold === undefined) return { pass, reason: 'every assertion holds', evidence: [] };
  const share =
    threshold === undefined ? '' : ': a score of ' + Number(score.toFixed(4)) + ', and ' + threshold + ' is wanted';
  return { pass, reason: failed.length + ' of the assertions do not hold' + share, evidence };
}
