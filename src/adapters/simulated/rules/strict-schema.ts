/** What a strict tool's schema weighs, and what may not stand in it (docs/api-rules.md §2.4). */

export type StrictWeight = { optional: number; unions: number; fault?: string };

/** Lookaround, backreferences and word boundaries have no grammar. */
const UNSUPPORTED_PATTERN = /\(\?[=!<]|\\[1-9bB]/;

/** Walks objects, arrays and unions; the first fault wins. */
export function weighStrict(schema: unknown): StrictWeight {
  if (!isObject(schema)) return { optional: 0, unions: 0 };
  const fault = faultOf(schema);
  if (fault !== undefined) return { optional: 0, unions: 0, fault };
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const own: StrictWeight = {
    optional: Object.keys(properties).filter((key) => !required.includes(key)).length,
    unions: Array.isArray(schema['anyOf']) || Array.isArray(schema['type']) ? 1 : 0,
  };
  const anyOf = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return [...Object.values(properties), schema['items'], ...anyOf].map(weighStrict).reduce(add, own);
}

function faultOf(schema: Record<string, unknown>): string | undefined {
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    return 'every object needs `additionalProperties: false`';
  }
  const pattern = schema['pattern'];
  return typeof pattern === 'string' && UNSUPPORTED_PATTERN.test(pattern)
    ? `the pattern ${pattern} uses lookaround, a backreference or a word boundary`
    : undefined;
}

function add(a: StrictWeight, b: StrictWeight): StrictWeight {
  const fault = a.fault ?? b.fault;
  return { optional: a.optional + b.optional, unions: a.unions + b.unions, ...(fault === undefined ? {} : { fault }) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
