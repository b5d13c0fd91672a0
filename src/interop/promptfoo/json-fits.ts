/** The keywords of JSON Schema that `asserts-checker.js` enforces, and the search for others. */
import { isJsonObject } from '../../scenario/json/json-value.ts';

const LISTS = ['allOf', 'anyOf', 'oneOf'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const SCHEMAS = ['items', 'additionalProperties', 'not'];
const PLAIN = [
  'type enum const required minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern',
  'minItems maxItems uniqueItems minProperties maxProperties $ref $schema $id title description default examples',
].flatMap((line) => line.split(' '));

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
    const found = below.map(unknownKeyword).find((one) => one !== undefined);
    if (found !== undefined) return found;
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
