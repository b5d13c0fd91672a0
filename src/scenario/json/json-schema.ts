/** JSON Schema 2020-12 for worlds and tool inputs: what a schema asks for is checked, or refused by name. */
import { format, validate, type OutputUnit } from '@cfworker/json-schema';
import { messageOf } from '../../errors.ts';
import { compileSchema, type CompiledSchema } from './compile-schema.ts';
import { isJsonObject, jsonFault } from './json-value.ts';
import { SCHEMA_OF_SCHEMAS } from './schema-of-schemas.ts';
import { valueAt } from './patch.ts';

const MAX_FAULTS = 20;
const MAX_CHARS = 200_000;

type Readied = { ok: true; compiled: CompiledSchema } | { ok: false; faults: string[] };

/** What in a schema cannot be honoured, each as `<pointer>: <fault>`; an empty list means that all of it is checked. */
export function schemaFaults(schema: unknown): string[] {
  const readied = ready(schema);
  return readied.ok ? [] : readied.faults;
}

/** What in a value the schema forbids, each as `<pointer>: <fault>`; at most twenty. */
export function validateJson(schema: unknown, value: unknown): string[] {
  const readied = ready(schema);
  if (!readied.ok) return [`/: its schema cannot be used: ${readied.faults[0] ?? ''}`];
  return faultsOf(readied.compiled, value).slice(0, MAX_FAULTS);
}

/** Worlds are checked after every call: a schema is prepared once. */
const known = new WeakMap<object, Readied>();

function ready(schema: unknown): Readied {
  if (!isJsonObject(schema)) return prepare(schema);
  const readied = known.get(schema) ?? prepare(schema);
  known.set(schema, readied);
  return readied;
}

function prepare(schema: unknown): Readied {
  const unfit = jsonFault(schema) ?? sizeFault(schema);
  if (unfit !== undefined) return { ok: false, faults: [`/: ${unfit}`] };
  const malformed = faultsOf(grammar(), schema).map(namedKeyword);
  if (malformed.length > 0) return { ok: false, faults: malformed.slice(0, MAX_FAULTS) };
  const { compiled, faults } = compileSchema(schema);
  return faults.length === 0 ? { ok: true, compiled } : { ok: false, faults: faults.slice(0, MAX_FAULTS) };
}

function sizeFault(schema: unknown): string | undefined {
  const chars = JSON.stringify(schema)?.length ?? 0;
  return chars > MAX_CHARS ? `the schema is too large: ${chars} characters; at most ${MAX_CHARS}` : undefined;
}

let compiledGrammar: CompiledSchema | undefined;

function grammar(): CompiledSchema {
  compiledGrammar ??= compileSchema(SCHEMA_OF_SCHEMAS).compiled;
  return compiledGrammar;
}

function namedKeyword(fault: string): string {
  return fault.replace(/^(.*\/([^/]*)): this key is not known$/s, '$1: "$2" is not supported');
}

function faultsOf(compiled: CompiledSchema, value: unknown): string[] {
  try {
    return describeErrors(errorsOf(compiled, value), compiled, value);
  } catch (error) {
    // Too deep for the stack, or over the budget: what was not checked to its end does not fit.
    return [`/: it cannot be checked: ${messageOf(error)}`];
  }
}

/** The validator knows no pattern but the language's own, which can hang: they are handed to it as formats. */
function errorsOf({ schema, lookup, patterns, budget }: CompiledSchema, value: unknown): OutputUnit[] {
  budget.refill(value);
  for (const [name, matches] of patterns) format[name] = matches;
  try {
    return validate(value, schema, '2020-12', lookup, false).errors;
  } finally {
    for (const name of patterns.keys()) delete format[name];
  }
}

type Found = {
  keyword: string;
  /** Where the keyword is in the schema. */
  at: string;
  path: string;
  wanted: unknown;
  got: unknown;
  text: string;
  /** Of the error before it: a place that allows nothing adds no error. */
  within: string;
};

/** They only say that something below them does not fit. */
const SILENT = new Set(
  (
    '$ref allOf if properties patternProperties additionalProperties unevaluatedProperties dependentSchemas ' +
    'propertyNames items prefixItems unevaluatedItems'
  ).split(' '),
);
/** A large list whose items are all wrong has more errors than a reader can use. */
const MAX_UNITS = 1000;

/** What the validator found, in words: the place in the value, what was expected there, and what is there. */
function describeErrors(units: readonly OutputUnit[], schema: CompiledSchema, value: unknown): string[] {
  const all: Found[] = [];
  for (const unit of units.slice(0, MAX_UNITS)) all.push(foundIn(unit, { schema, value, before: all.at(-1) }));
  return textsOf(all);
}

function foundIn(
  { keyword, keywordLocation, instanceLocation, error }: OutputUnit,
  { schema, value, before }: { schema: CompiledSchema; value: unknown; before: Found | undefined },
): Found {
  const path = keysOf(instanceLocation)
    .map((key) => `/${key}`)
    .join('');
  // A schema that is `false` has no place of its own.
  const at = keyword === 'false' ? `${before?.at ?? '#'}/false` : keywordLocation;
  const isName = /(?<!\/properties)\/propertyNames(\/|$)/.test(at);
  const got = isName ? plain(keysOf(instanceLocation).at(-1) ?? '') : valueAt(value, path);
  return { keyword, at, path, wanted: wantedAt(schema, at), got, text: error, within: before?.keyword ?? '' };
}

/** The keys of a pointer in a fragment, spelled as in a plain pointer. */
function keysOf(fragment: string): string[] {
  return fragment.split('/').slice(1).map(decodeURIComponent);
}

function plain(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The part of the schema at a path that may lead through references. */
function wantedAt({ schema, lookup }: CompiledSchema, at: string): unknown {
  let node: unknown = schema;
  for (const key of keysOf(at).map(plain)) {
    if (!isJsonObject(node) && !Array.isArray(node)) return undefined;
    const to: unknown = key === '$ref' ? (node as { __absolute_ref__?: unknown }).__absolute_ref__ : undefined;
    if (typeof to === 'string') node = lookup[to];
    else node = Object.hasOwn(node, key) ? (node as Record<string, unknown>)[key] : undefined;
  }
  return node;
}

function textsOf(all: readonly Found[]): string[] {
  const texts: string[] = [];
  for (let index = 0; index < all.length; index += 1) {
    const found = all[index] as Found;
    if (SILENT.has(found.keyword)) continue;
    if (found.keyword !== 'anyOf' && found.keyword !== 'oneOf') {
      texts.push(textOf(found));
      continue;
    }
    const end = all.findIndex(({ at }, other) => other > index && !at.startsWith(`${found.at}/`));
    const inside = all.slice(index + 1, end === -1 ? undefined : end);
    texts.push(choiceText(found, inside));
    index += inside.length;
  }
  return texts;
}

/** Of several forms the one that the value comes closest to. */
function choiceText({ at, path, wanted, text }: Found, inside: readonly Found[]): string {
  const count = Array.isArray(wanted) ? wanted.length : 0;
  const matches = Number(/\((\d+) matches\)/.exec(text)?.[1] ?? 0);
  if (matches > 1) return `${path || '/'}: fits ${matches} of the ${count} forms, and only one is allowed`;
  const forms = [...Map.groupBy(inside, (found) => found.at.slice(at.length + 1).split('/')[0]).values()].map(textsOf);
  const closest = forms.toSorted((a, b) => a.length - b.length)[0]?.[0];
  return `${path || '/'}: fits none of the ${count} forms (closest: ${closest ?? 'none'})`;
}

function textOf(found: Found): string {
  const { keyword, path, text } = found;
  if (keyword === 'required') return `${path}/${/property "([\s\S]*)"\.$/.exec(text)?.[1] ?? ''}: it is missing`;
  return `${path || '/'}: ${WORDS[keyword]?.(found) ?? text.replace(/\.$/, '')}`;
}

const WORDS: Readonly<Record<string, (found: Found) => string>> = {
  type: ({ wanted, got }) => `expected ${[wanted].flat().join(' or ')}, got ${show(got)}`,
  const: ({ wanted }) => `expected ${show(wanted)}`,
  enum: ({ wanted, got }) => `expected one of ${(wanted as unknown[]).map(show).join(', ')}, got ${show(got)}`,
  minimum: ({ wanted, got }) => `expected at least ${show(wanted)}, got ${show(got)}`,
  maximum: ({ wanted, got }) => `expected at most ${show(wanted)}, got ${show(got)}`,
  exclusiveMinimum: ({ wanted, got }) => `expected more than ${show(wanted)}, got ${show(got)}`,
  exclusiveMaximum: ({ wanted, got }) => `expected less than ${show(wanted)}, got ${show(got)}`,
  multipleOf: ({ wanted, got }) => `expected a multiple of ${show(wanted)}, got ${show(got)}`,
  minLength: ({ wanted }) => `it is too short: at least ${show(wanted)}`,
  maxLength: ({ wanted }) => `it is too long: at most ${show(wanted)}`,
  minItems: ({ wanted }) => `it is too short: at least ${show(wanted)}`,
  maxItems: ({ wanted }) => `it is too long: at most ${show(wanted)}`,
  minProperties: ({ wanted }) => `it has too few keys: at least ${show(wanted)}`,
  maxProperties: ({ wanted }) => `it has too many keys: at most ${show(wanted)}`,
  format: ({ wanted, got }) => `expected text that matches ${String(wanted).replace('pattern ', '')}, got ${show(got)}`,
  not: () => 'it has a form that is ruled out',
  false: ({ within }) =>
    /edProperties|additionalProperties/.test(within) ? 'this key is not known' : 'nothing is allowed here',
};

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
