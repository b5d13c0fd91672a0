/** The part of JSON Schema that worlds and tool inputs may use: what a schema asks for is checked, or refused by name. */
import { isJsonObject, sameJson, type JsonObject } from './json-value.ts';
import { compilePattern } from './pattern.ts';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const CHECKED = [
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'additionalProperties',
  'pattern',
  'anyOf',
];
const SUPPORTED = [...CHECKED, ...NUMBERS, ...COUNTS];
/** Words for readers; they promise nothing. */
const ANNOTATIONS = ['title', 'description', '$comment', '$schema', '$id', 'default', 'examples', 'format'];
const MAX_FAULTS = 20;
const MAX_DEPTH = 32;

/** What in a schema cannot be honoured, each as `<pointer>: <fault>`; an empty list means that all of it is checked. */
export function schemaFaults(schema: unknown, path = '', depth = 0): string[] {
  if (typeof schema === 'boolean') return [];
  if (!isJsonObject(schema)) return [`${path || '/'}: expected a schema`];
  if (depth > MAX_DEPTH) return [`${path}: the schema is nested too deeply`];
  const faults = Object.keys(schema).flatMap((key) => keywordFaults(key, schema[key], `${path}/${key}`));
  const children = childSchemas(schema).flatMap(([at, child]) => schemaFaults(child, `${path}/${at}`, depth + 1));
  return [...faults, ...children].slice(0, MAX_FAULTS);
}

function keywordFaults(key: string, value: unknown, path: string): string[] {
  if (ANNOTATIONS.includes(key)) return [];
  if (!SUPPORTED.includes(key)) return [`${path}: "${key}" is not supported; use ${SUPPORTED.join(', ')}`];
  const expected = expectation(key, value);
  return expected === undefined ? [] : [`${path}: ${expected}`];
}

function expectation(key: string, value: unknown): string | undefined {
  const isList = Array.isArray(value);
  if (key === 'type') {
    const names: unknown[] = isList ? value : [value];
    return names.length > 0 && names.every((name) => TYPES.includes(name as string))
      ? undefined
      : `expected one of ${TYPES.join(', ')}`;
  }
  if (key === 'required')
    return isList && value.every((name) => typeof name === 'string') ? undefined : 'expected names';
  if (key === 'enum' || key === 'anyOf') return isList && value.length > 0 ? undefined : 'expected a list';
  if (key === 'properties') return isJsonObject(value) ? undefined : 'expected an object of schemas';
  if (NUMBERS.includes(key)) return typeof value === 'number' ? undefined : 'expected a number';
  if (COUNTS.includes(key)) return Number.isInteger(value) && Number(value) >= 0 ? undefined : 'expected a count';
  if (key !== 'pattern') return undefined;
  if (typeof value !== 'string') return 'expected a regular expression';
  const pattern = compilePattern(value);
  return pattern.ok ? undefined : `this regular expression cannot be used: ${pattern.fault}`;
}

function childSchemas(schema: JsonObject): [string, unknown][] {
  const { properties, items, additionalProperties, anyOf } = schema;
  return [
    ...(isJsonObject(properties)
      ? Object.entries(properties).map(([name, child]) => pair(`properties/${name}`, child))
      : []),
    ...(items === undefined ? [] : [pair('items', items)]),
    ...(additionalProperties === undefined ? [] : [pair('additionalProperties', additionalProperties)]),
    ...(Array.isArray(anyOf) ? anyOf.map((child: unknown, index) => pair(`anyOf/${index}`, child)) : []),
  ];
}

function pair(at: string, child: unknown): [string, unknown] {
  return [at, child];
}

/** What in a value the schema forbids, each as `<pointer>: <fault>`; at most twenty. */
export function validateJson(schema: unknown, value: unknown, path = '', depth = 0): string[] {
  if (schema === false) return [`${path || '/'}: nothing is allowed here`];
  if (!isJsonObject(schema) || depth > MAX_DEPTH * 2) return [];
  const own = [typeFault(schema, value), valueFault(schema, value), ...boundFaults(schema, value)]
    .filter((text) => text !== undefined)
    .map((text) => `${path || '/'}: ${text}`);
  const inside = isJsonObject(value)
    ? objectFaults(schema, value, path, depth)
    : Array.isArray(value)
      ? itemFaults(schema, value, path, depth)
      : NONE;
  const others = anyOfFaults(schema, value, path, depth);
  // Worlds are checked after every call, and nearly always nothing is wrong.
  if (own.length + inside.length + others.length === 0) return NONE;
  return [...own, ...inside, ...others].slice(0, MAX_FAULTS);
}

const NONE: string[] = [];

function typeFault(schema: JsonObject, value: unknown): string | undefined {
  if (schema['type'] === undefined) return undefined;
  const wanted = (Array.isArray(schema['type']) ? schema['type'] : [schema['type']]) as string[];
  return wanted.some((type) => isOfType(type, value))
    ? undefined
    : `expected ${wanted.join(' or ')}, got ${show(value)}`;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'object') return isJsonObject(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

function valueFault(schema: JsonObject, value: unknown): string | undefined {
  if (Object.hasOwn(schema, 'const') && !sameJson(schema['const'], value)) return `expected ${show(schema['const'])}`;
  const options = schema['enum'];
  if (!Array.isArray(options) || options.some((option) => sameJson(option, value))) return undefined;
  return `expected one of ${options.map(show).join(', ')}, got ${show(value)}`;
}

const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'pattern'].concat([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]);

function boundFaults(schema: JsonObject, value: unknown): (string | undefined)[] {
  if (!BOUNDS.some((key) => schema[key] !== undefined)) return NONE;
  const limit = (key: string): number => (typeof schema[key] === 'number' ? schema[key] : Number.NaN);
  if (typeof value === 'number') {
    return [
      value < limit('minimum') ? `expected at least ${limit('minimum')}, got ${value}` : undefined,
      value > limit('maximum') ? `expected at most ${limit('maximum')}, got ${value}` : undefined,
      value <= limit('exclusiveMinimum') ? `expected more than ${limit('exclusiveMinimum')}, got ${value}` : undefined,
      value >= limit('exclusiveMaximum') ? `expected less than ${limit('exclusiveMaximum')}, got ${value}` : undefined,
    ];
  }
  const [unit, size] = typeof value === 'string' ? ['Length', Array.from(value).length] : ['Items', sizeOf(value)];
  return [
    size < limit(`min${unit}`) ? `it is too short: at least ${limit(`min${unit}`)}` : undefined,
    size > limit(`max${unit}`) ? `it is too long: at most ${limit(`max${unit}`)}` : undefined,
    patternFault(schema['pattern'], value),
  ];
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : Number.NaN;
}

function patternFault(source: unknown, value: unknown): string | undefined {
  if (typeof source !== 'string' || typeof value !== 'string') return undefined;
  const pattern = compilePattern(source);
  if (!pattern.ok || pattern.matches(value)) return undefined;
  return `expected text that matches ${source}, got ${show(value)}`;
}

function objectFaults(schema: JsonObject, value: JsonObject, path: string, depth: number): string[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${path}/${name}: it is missing`);
  const rest = schema['additionalProperties'] ?? true;
  const members: string[] = [];
  for (const name of Object.keys(value)) {
    const known = Object.hasOwn(properties, name);
    if (!known && rest === true) continue;
    const at = `${path}/${name}`;
    if (!known && rest === false) members.push(`${at}: this key is not known`);
    else members.push(...validateJson(known ? properties[name] : rest, value[name], at, depth + 1));
  }
  return missing.length === 0 ? members : [...missing, ...members];
}

function itemFaults(schema: JsonObject, value: readonly unknown[], path: string, depth: number): string[] {
  if (schema['items'] === undefined) return NONE;
  return value.flatMap((item, index) => validateJson(schema['items'], item, `${path}/${index}`, depth + 1));
}

function anyOfFaults(schema: JsonObject, value: unknown, path: string, depth: number): string[] {
  const options = schema['anyOf'];
  if (!Array.isArray(options)) return NONE;
  const results = options.map((option) => validateJson(option, value, path, depth + 1));
  if (results.some((faults) => faults.length === 0)) return [];
  return [`${path || '/'}: fits none of the ${options.length} forms (first: ${results[0]?.[0] ?? ''})`];
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
