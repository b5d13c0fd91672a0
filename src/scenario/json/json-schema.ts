/** JSON Schema 2020-12 for worlds and tool inputs: what a schema asks for is checked, or refused by name. */
import { format, validate, type OutputUnit } from '@cfworker/json-schema';
import { messageOf } from '../../errors.ts';
import { compileSchema, type CompiledSchema } from './compile-schema.ts';
import { isJsonObject, jsonFault } from './json-value.ts';
import { describeErrors } from './schema-errors.ts';
import { SCHEMA_OF_SCHEMAS } from './schema-of-schemas.ts';

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
