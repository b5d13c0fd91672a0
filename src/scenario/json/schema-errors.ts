/** What the validator found, in words: the place in the value, what was expected there, and what is there. */
import type { OutputUnit } from '@cfworker/json-schema';
import type { CompiledSchema } from './compile-schema.ts';
import { isJsonObject } from './json-value.ts';
import { valueAt } from './patch.ts';

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

export function describeErrors(units: readonly OutputUnit[], schema: CompiledSchema, value: unknown): string[] {
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
