/** JSON Schema 2020-12 for worlds and tool inputs: each keyword of a schema is checked, or refused by name. */
import { format, validate, type OutputUnit } from '@cfworker/json-schema';
import { describeError } from '../../errors.ts';
import { compileSchema, type CompiledSchema } from './compile-schema.ts';
import { isJsonObject, jsonFault } from './json-value.ts';
import { META_SCHEMA } from './meta-schema.ts';
import { valueAt } from './patch.ts';

const MAX_FAULTS = 20;
const MAX_CHARS = 200_000;

type PreparedSchema = { ok: true; compiled: CompiledSchema } | { ok: false; faults: string[] };

/** Lists the unsupported parts of a schema as `<pointer>: <fault>`; an empty list means that all of it is checked. */
export function schemaFaults(schema: unknown): string[] {
  const readied = getPrepared(schema);
  return readied.ok ? [] : readied.faults;
}

/** Lists the parts of a value that break the schema as `<pointer>: <fault>`, at most twenty. */
export function validateJson(schema: unknown, value: unknown): string[] {
  const readied = getPrepared(schema);
  if (!readied.ok) return [`/: its schema cannot be used: ${readied.faults[0] ?? ''}`];
  return listFaults(readied.compiled, value).slice(0, MAX_FAULTS);
}

/** Caches prepared schemas, because a world is checked after every call. */
const known = new WeakMap<object, PreparedSchema>();

function getPrepared(schema: unknown): PreparedSchema {
  if (!isJsonObject(schema)) return prepareSchema(schema);
  const readied = known.get(schema) ?? prepareSchema(schema);
  known.set(schema, readied);
  return readied;
}

function prepareSchema(schema: unknown): PreparedSchema {
  const unfit = jsonFault(schema) ?? sizeFault(schema);
  if (unfit !== undefined) return { ok: false, faults: [`/: ${unfit}`] };
  const malformed = listFaults(getMetaSchema(), schema).map(nameKeyword);
  if (malformed.length > 0) return { ok: false, faults: malformed.slice(0, MAX_FAULTS) };
  const { compiled, faults } = compileSchema(schema);
  return faults.length === 0 ? { ok: true, compiled } : { ok: false, faults: faults.slice(0, MAX_FAULTS) };
}

function sizeFault(schema: unknown): string | undefined {
  const chars = JSON.stringify(schema)?.length ?? 0;
  return chars > MAX_CHARS ? `the schema is too large: ${chars} characters; at most ${MAX_CHARS}` : undefined;
}

let compiledGrammar: CompiledSchema | undefined;

function getMetaSchema(): CompiledSchema {
  compiledGrammar ??= compileSchema(META_SCHEMA).compiled;
  return compiledGrammar;
}

function nameKeyword(fault: string): string {
  return fault.replace(/^(.*\/([^/]*)): this key is not known$/s, '$1: "$2" is not supported');
}

function listFaults(compiled: CompiledSchema, value: unknown): string[] {
  try {
    return describeErrors(collectErrors(compiled, value), compiled, value);
  } catch (error) {
    // A check that ran out of stack or budget counts as failed.
    return [`/: it cannot be checked: ${describeError(error)}`];
  }
}

/** Runs the validator with patterns replaced by formats, because its own regular expressions can hang. */
function collectErrors({ schema, lookup, patterns, budget }: CompiledSchema, value: unknown): OutputUnit[] {
  budget.refill(value);
  for (const [name, matches] of patterns) format[name] = matches;
  try {
    return validate(value, schema, '2020-12', lookup, false).errors;
  } finally {
    for (const name of patterns.keys()) delete format[name];
  }
}

type SchemaError = {
  keyword: string;
  /** The keyword's location in the schema. */
  at: string;
  path: string;
  wanted: unknown;
  got: unknown;
  text: string;
  /** The keyword of the error before it; a schema that allows nothing adds no error of its own. */
  within: string;
};

/** Keywords whose errors only say that something below them does not fit. */
const SILENT = new Set(
  (
    '$ref allOf if properties patternProperties additionalProperties unevaluatedProperties dependentSchemas ' +
    'propertyNames items prefixItems unevaluatedItems'
  ).split(' '),
);
/** The most errors that are read; a large list of wrong items has more than a reader can use. */
const MAX_UNITS = 1000;

/** Describes the validator's errors: the place in the value, the expectation there, and the actual value. */
function describeErrors(units: readonly OutputUnit[], schema: CompiledSchema, value: unknown): string[] {
  const all: SchemaError[] = [];
  for (const unit of units.slice(0, MAX_UNITS)) all.push(toSchemaError(unit, { schema, value, before: all.at(-1) }));
  return formatErrors(all);
}

function toSchemaError(
  { keyword, keywordLocation, instanceLocation, error }: OutputUnit,
  { schema, value, before }: { schema: CompiledSchema; value: unknown; before: SchemaError | undefined },
): SchemaError {
  const path = parseFragment(instanceLocation)
    .map((key) => `/${key}`)
    .join('');
  // A schema that is `false` has no location of its own.
  const at = keyword === 'false' ? `${before?.at ?? '#'}/false` : keywordLocation;
  const isName = /(?<!\/properties)\/propertyNames(\/|$)/.test(at);
  const got = isName ? unescapeKey(parseFragment(instanceLocation).at(-1) ?? '') : valueAt(value, path);
  return { keyword, at, path, wanted: findExpectation(schema, at), got, text: error, within: before?.keyword ?? '' };
}

/** Splits a pointer in a URI fragment into its keys, which stay escaped as in a plain pointer. */
function parseFragment(fragment: string): string[] {
  return fragment.split('/').slice(1).map(decodeURIComponent);
}

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Finds the part of the schema at a path that may lead through references. */
function findExpectation({ schema, lookup }: CompiledSchema, at: string): unknown {
  let node: unknown = schema;
  for (const key of parseFragment(at).map(unescapeKey)) {
    if (!isJsonObject(node) && !Array.isArray(node)) return undefined;
    const to: unknown = key === '$ref' ? (node as { __absolute_ref__?: unknown }).__absolute_ref__ : undefined;
    if (typeof to === 'string') node = lookup[to];
    else node = Object.hasOwn(node, key) ? (node as Record<string, unknown>)[key] : undefined;
  }
  return node;
}

function formatErrors(all: readonly SchemaError[]): string[] {
  const texts: string[] = [];
  for (let index = 0; index < all.length; index += 1) {
    const found = all[index] as SchemaError;
    if (SILENT.has(found.keyword)) continue;
    if (found.keyword !== 'anyOf' && found.keyword !== 'oneOf') {
      texts.push(formatError(found));
      continue;
    }
    const end = all.findIndex(({ at }, other) => other > index && !at.startsWith(`${found.at}/`));
    const inside = all.slice(index + 1, end === -1 ? undefined : end);
    texts.push(formatChoice(found, inside));
    index += inside.length;
  }
  return texts;
}

/** Describes the form, among several allowed ones, that the value comes closest to. */
function formatChoice({ at, path, wanted, text }: SchemaError, inside: readonly SchemaError[]): string {
  const count = Array.isArray(wanted) ? wanted.length : 0;
  const matches = Number(/\((\d+) matches\)/.exec(text)?.[1] ?? 0);
  if (matches > 1) return `${path || '/'}: fits ${matches} of the ${count} forms, and only one is allowed`;
  const forms = [...Map.groupBy(inside, (found) => found.at.slice(at.length + 1).split('/')[0]).values()].map(
    formatErrors,
  );
  const closest = forms.toSorted((a, b) => a.length - b.length)[0]?.[0];
  return `${path || '/'}: fits none of the ${count} forms (closest: ${closest ?? 'none'})`;
}

function formatError(found: SchemaError): string {
  const { keyword, path, text } = found;
  if (keyword === 'required') return `${path}/${/property "([\s\S]*)"\.$/.exec(text)?.[1] ?? ''}: it is missing`;
  return `${path || '/'}: ${WORDS[keyword]?.(found) ?? text.replace(/\.$/, '')}`;
}

const WORDS: Readonly<Record<string, (found: SchemaError) => string>> = {
  type: ({ wanted, got }) => `expected ${[wanted].flat().join(' or ')}, got ${formatValue(got)}`,
  const: ({ wanted }) => `expected ${formatValue(wanted)}`,
  enum: ({ wanted, got }) =>
    `expected one of ${(wanted as unknown[]).map(formatValue).join(', ')}, got ${formatValue(got)}`,
  minimum: ({ wanted, got }) => `expected at least ${formatValue(wanted)}, got ${formatValue(got)}`,
  maximum: ({ wanted, got }) => `expected at most ${formatValue(wanted)}, got ${formatValue(got)}`,
  exclusiveMinimum: ({ wanted, got }) => `expected more than ${formatValue(wanted)}, got ${formatValue(got)}`,
  exclusiveMaximum: ({ wanted, got }) => `expected less than ${formatValue(wanted)}, got ${formatValue(got)}`,
  multipleOf: ({ wanted, got }) => `expected a multiple of ${formatValue(wanted)}, got ${formatValue(got)}`,
  minLength: ({ wanted }) => `it is too short: at least ${formatValue(wanted)}`,
  maxLength: ({ wanted }) => `it is too long: at most ${formatValue(wanted)}`,
  minItems: ({ wanted }) => `it is too short: at least ${formatValue(wanted)}`,
  maxItems: ({ wanted }) => `it is too long: at most ${formatValue(wanted)}`,
  minProperties: ({ wanted }) => `it has too few keys: at least ${formatValue(wanted)}`,
  maxProperties: ({ wanted }) => `it has too many keys: at most ${formatValue(wanted)}`,
  format: ({ wanted, got }) =>
    `expected text that matches ${String(wanted).replace('pattern ', '')}, got ${formatValue(got)}`,
  not: () => 'it has a form that is ruled out',
  false: ({ within }) =>
    /edProperties|additionalProperties/.test(within) ? 'this key is not known' : 'nothing is allowed here',
};

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
