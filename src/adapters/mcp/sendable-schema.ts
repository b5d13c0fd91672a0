/** Brings the input schema of a server's tool to what the Messages API takes: JSON Schema 2020-12, safe names, no choice at the top. */
import { sha256 } from '../../disk/sha256.ts';
import { isJsonObject, type JsonObject } from '../../scenario/json/json-value.ts';
import { childShape } from '../../scenario/json/meta-schema.ts';
import type { ToolDefinition } from '../../transcript/message.ts';

export type SendableSchema = {
  schema: ToolDefinition['input_schema'];
  /** The forms that a schema offers at its top, for the description of the tool; empty without any. */
  forms: string;
  /** Names of properties that were replaced -> the server's own. */
  names: ReadonlyMap<string, string>;
};

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** Names of types in other languages and in older drafts; `any` is no type. */
const TYPE_NAMES = new Map(
  Object.entries({ int: 'integer', float: 'number', double: 'number', str: 'string', bool: 'boolean', list: 'array' }),
).set('dict', 'object');
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;
const MOST_REFERENCES = 20;

/** A word with another value checks nothing, and the API refuses it. */
const VALUES: readonly [words: RegExp, isRight: (value: unknown) => boolean][] = [
  [/^(?:title|description|format|pattern|\$id|\$ref|\$anchor|\$comment)$/, (value) => typeof value === 'string'],
  [/^(?:uniqueItems|deprecated|readOnly|writeOnly)$/, (value) => typeof value === 'boolean'],
  [/^(?:minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf)$/, (value) => typeof value === 'number'],
  [/^(?:min|max)(?:Length|Items|Properties|Contains)$/, (value) => Number.isInteger(value) && Number(value) >= 0],
  [/^enum$/, Array.isArray],
];

class SchemaFault extends Error {}
type Adapting = { names: Map<string, string>; path: string };

/** Contract: `fault` says why the tool cannot be offered, as the end of a sentence. */
export function toSendableSchema(given: unknown): SendableSchema | { fault: string } {
  try {
    const names = new Map<string, string>();
    const whole = adaptSchema(resolveTop(given), { names, path: '' });
    if (!isJsonObject(whole)) throw new SchemaFault('its input schema is not of an object');
    const { schema, forms } = mergeChoices(whole);
    // A record of the offer has the type first, and a step that is made again sends the same bytes.
    const { type: _type, ...rest } = schema;
    return { schema: { type: 'object', ...rest }, forms, names };
  } catch (error) {
    if (error instanceof SchemaFault) return { fault: error.message };
    throw error;
  }
}

/** Gives the properties of a call their own names again, wherever they stand. */
export function restoreNames(input: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  if (names.size === 0) return input;
  const restore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restore);
    return isJsonObject(value) ? restoreNames(value, names) : value;
  };
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, restore(value)]));
}

/** Some servers name the whole input by a reference, and some say nothing of it. */
function resolveTop(given: unknown): JsonObject {
  let schema = given ?? {};
  for (let count = 0; isJsonObject(schema) && typeof schema['$ref'] === 'string'; count += 1) {
    const { $ref, ...rest } = schema;
    const target = followReference(schema, $ref);
    // A dead reference beside words that say something is a slip of the server.
    const isSaid = ['properties', ...CHOICES].some((word) => word in rest);
    const found = isJsonObject(target) ? target : isSaid ? {} : undefined;
    if (found === undefined || count > MOST_REFERENCES) throw new SchemaFault(`its reference ${$ref} leads nowhere`);
    schema = { ...found, ...rest };
  }
  if (!isJsonObject(schema)) throw new SchemaFault('its input schema is not of an object');
  const { type } = toTypes(schema['type'] ?? 'object', '');
  if (type !== undefined && ![type].flat().includes('object'))
    throw new SchemaFault('its input schema is not of an object');
  return { ...schema, type: 'object' };
}

function followReference(root: JsonObject, reference: string): unknown {
  let node: unknown = root;
  for (const key of reference.replace(/^#\/?/, '').split('/').filter(Boolean))
    node = isJsonObject(node) ? node[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return node === root ? undefined : node;
}

function adaptSchema(given: unknown, at: Adapting): unknown {
  if (typeof given === 'boolean') return given;
  if (!isJsonObject(given)) throw new SchemaFault(`${at.path || 'its input schema'} is no schema`);
  const adapted: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(withCurrentWords(given, at))) {
    const path = `${at.path}/${word}`;
    const shape = childShape(word);
    if (shape === 'one') adapted[word] = adaptSchema(value, { ...at, path });
    else if (shape === 'list') adapted[word] = adaptList(value, { ...at, path });
    else if (shape === 'map') adapted[word] = adaptMap(word, value, { ...at, path });
    else adapted[word] = value;
  }
  return adapted;
}

function adaptList(value: unknown, at: Adapting): unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new SchemaFault(`${at.path} is no list of schemas`);
  return value.map((one, place) => adaptSchema(one, { ...at, path: `${at.path}/${place}` }));
}

function adaptMap(word: string, given: unknown, at: Adapting): JsonObject {
  // A server in PHP writes an empty map as a list.
  const value = given === null || (Array.isArray(given) && given.length === 0) ? {} : given;
  if (!isJsonObject(value)) throw new SchemaFault(`${at.path} is no map of schemas`);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const schema = adaptSchema(member, { ...at, path: `${at.path}/${name}` });
      if (word !== 'properties' || PROPERTY_NAME.test(name)) return [name, schema];
      const said = isJsonObject(schema) ? schema : {};
      const description = [said['description'], `The server calls it ${JSON.stringify(name)}.`]
        .filter(Boolean)
        .join(' ');
      return [renameProperty(name, at.names), { ...said, description }];
    }),
  );
}

/** The mark makes the name one that no other property has. */
function renameProperty(name: string, names: Map<string, string>): string {
  if (PROPERTY_NAME.test(name)) return name;
  const mark = `_${sha256(name).slice(0, 8)}`;
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  const renamed = plain.slice(0, 64 - mark.length) + mark;
  names.set(renamed, name);
  return renamed;
}

/** The words of one schema as the draft of 2020 has them. */
function withCurrentWords(given: JsonObject, { names, path }: Adapting): JsonObject {
  const { $schema: _dialect, type, required: _required, items, additionalItems, ...rest } = given;
  const schema: Record<string, unknown> = { ...toTypes(type, path), ...rest, ...toRequired(given, names) };
  for (const limit of ['Minimum', 'Maximum']) {
    const [word, plain] = [`exclusive${limit}`, limit.toLowerCase()];
    if (typeof schema[word] !== 'boolean') continue;
    if (schema[word] && typeof schema[plain] === 'number') schema[word] = schema[plain];
    else delete schema[word];
    if (schema[word] !== undefined) delete schema[plain];
  }
  if (Array.isArray(items)) {
    if (items.length > 0) schema['prefixItems'] = items;
    if (additionalItems !== undefined) schema['items'] = additionalItems;
  } else if (items !== undefined) schema['items'] = items;
  for (const [word, value] of Object.entries(schema))
    if (VALUES.some(([words, isRight]) => words.test(word) && !isRight(value))) delete schema[word];
  if ('examples' in schema && !Array.isArray(schema['examples'])) schema['examples'] = [schema['examples']];
  if (typeof schema['$ref'] === 'string') schema['$ref'] = toRenamedReference(schema['$ref'], names);
  return schema;
}

function toTypes(type: unknown, path: string): { type?: unknown } {
  if (type === undefined || type === null) return {};
  const lower = [type].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one)).toLowerCase());
  const named = lower.map((one) => TYPE_NAMES.get(one) ?? one);
  if (named.length === 0 || named.includes('any')) return {};
  const unknown = named.find((one) => !TYPES.includes(one));
  if (unknown !== undefined)
    throw new SchemaFault(`${path || 'its input schema'} has the type ${JSON.stringify(unknown)}`);
  return { type: Array.isArray(type) ? [...new Set(named)] : named[0] };
}

/** In the third draft a property says itself that it is required. */
function toRequired({ required, properties }: JsonObject, names: Map<string, string>): { required?: string[] } {
  const own = isJsonObject(properties)
    ? Object.entries(properties).flatMap(([name, one]) => (isJsonObject(one) && one['required'] === true ? [name] : []))
    : [];
  const listed = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const all = [...new Set([...listed, ...own])].map((name) => renameProperty(name, names));
  return all.length === 0 ? {} : { required: all };
}

function toRenamedReference(reference: string, names: Map<string, string>): string {
  return reference.replaceAll(/(?<=\/properties\/)[^/]+/g, (key) =>
    renameProperty(key.replaceAll('~1', '/').replaceAll('~0', '~'), names),
  );
}

/** Alternatives become one object with the properties of all; what one of them demands is said in words. */
function mergeChoices(given: JsonObject, depth = 0): { schema: JsonObject; forms: string } {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = given;
  let schema: JsonObject = rest;
  const forms: string[] = [];
  for (const word of CHOICES) {
    const choices = given[word];
    if (!Array.isArray(choices)) continue;
    const read = choices.map((one) => toPlainForm(one, given, depth + 1));
    const lists = read.map(listRequired);
    const common = lists.reduce((all, one) => all.filter((name) => one.includes(name)));
    const required = new Set([...listRequired(schema), ...(word === 'allOf' ? lists.flat() : common)]);
    const merged = mergeProperties([schema, ...read]);
    schema = { ...schema, ...(required.size > 0 && { required: [...required] }), properties: merged };
    if (word !== 'allOf') forms.push(describeForms(read, word));
  }
  return { schema, forms: forms.join(' ') };
}

/** A form may be named by a reference, and consist of parts itself. */
function toPlainForm(one: unknown, root: JsonObject, depth: number): JsonObject {
  if (depth > MOST_REFERENCES) throw new SchemaFault('its forms refer to themselves');
  if (!isJsonObject(one)) return {};
  if (typeof one['$ref'] === 'string') return toPlainForm(followReference(root, one['$ref']), root, depth + 1);
  if (!CHOICES.some((word) => word in one)) return one;
  return mergeChoices({ $defs: root['$defs'], definitions: root['definitions'], ...one }, depth).schema;
}

function mergeProperties(schemas: readonly JsonObject[]): JsonObject {
  const merged: Record<string, unknown> = {};
  for (const { properties } of schemas)
    for (const [name, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
      const before = Object.hasOwn(merged, name) ? merged[name] : undefined;
      const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(schema);
      merged[name] = isSame ? schema : { anyOf: [before, schema] };
    }
  return merged;
}

function describeForms(forms: readonly JsonObject[], word: 'anyOf' | 'oneOf'): string {
  const shown = forms.map((form) => {
    const { properties } = form;
    const required = listRequired(form);
    const optional = Object.keys(isJsonObject(properties) ? properties : {}).filter((name) => !required.includes(name));
    return `{ ${[...required, ...optional.map((name) => `${name}?`)].join(', ')} }`;
  });
  return `Its input has ${word === 'oneOf' ? 'exactly' : 'at least'} one of these forms: ${shown.join(' or ')}.`;
}

function listRequired({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
