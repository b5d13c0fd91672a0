/** JSON Schema validation for an imported checker, which has no imports: the supported keywords, and the search for unsupported ones. */
import { isJsonObject } from '../../scenario/json/json-value.ts';

const LISTS = ['allOf', 'anyOf', 'oneOf'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const SCHEMAS = ['items', 'additionalProperties', 'not'];
const PLAIN = [
  'type',
  'enum',
  'const',
  'required',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
].concat(
  ['multipleOf', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems', '$ref'],
  ['minProperties', 'maxProperties', '$schema', '$id', 'title', 'description', 'default', 'examples'],
);

/** Returns the first keyword that the checker cannot enforce. */
export function unknownKeyword(schema: unknown): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return 'a schema that is no object';
  for (const [key, value] of Object.entries(schema)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (key === '$ref' && !/^#(?:\/|$)/.test(text)) return `$ref to ${text}`;
    if (key === 'pattern' && !isPattern(text)) return `the pattern ${text}`;
    const below = LISTS.includes(key)
      ? [value].flat()
      : MAPS.includes(key)
        ? Object.values(isJsonObject(value) ? value : { value })
        : SCHEMAS.includes(key)
          ? [value]
          : [];
    if (below.length === 0 && ![...LISTS, ...MAPS, ...SCHEMAS, ...PLAIN].includes(key)) return key;
    for (const one of below) {
      const found = unknownKeyword(one);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').unicode;
  } catch (noPattern) {
    void noPattern;
    return false;
  }
}

/** The source of `matchesSchema(schema, value, root)`. */
export const JSON_FITS = `const isSameJson = (a, b) => JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
const sortKeys = (value) =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sortKeys(value[key])]))
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
    const { length } = [...value];
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
      is('uniqueItems', (unique) => !unique || value.every((one, index) => !value.slice(0, index).some((other) => isSameJson(one, other)))) &&
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
`;
