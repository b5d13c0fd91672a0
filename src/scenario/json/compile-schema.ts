/** Prepares an untrusted schema for the validator: only words that it checks, patterns that cannot hang, a budget. */
import { dereference, type Schema } from '@cfworker/json-schema';
import { HarnessError, messageOf } from '../../errors.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { compilePattern } from './pattern.ts';
import { childShape, isAnnotation } from './schema-of-schemas.ts';

export type CompiledSchema = {
  schema: Schema | boolean;
  /** Every schema in it by its address. */
  lookup: Record<string, Schema | boolean>;
  /** By the name of the format that replaces the pattern. */
  patterns: ReadonlyMap<string, (text: string) => boolean>;
  budget: Pick<Budget, 'refill'>;
};

/** Two items are compared with each other: more would take too long. */
const MAX_UNIQUE = 1000;
/** References that multiply each other reach any number of steps; a world takes one or two a character. */
const FREE_STEPS = 1_000_000;
const STEPS_PER_CHAR = 20;
/** Steps for reaching a schema at all, in addition to one for each of its keywords. */
const STEPS_PER_SCHEMA = 5;
/** Matched by the language itself: without groups, one repetition behind `^` or none at all cannot backtrack far. */
const ATOM = String.raw`(?:\\[dDwWsS]|\\[pP]\{\w+\}|\\[^\w]|\[(?:\\[\s\S]|[^\]\\[])+\]|[^\\[\](){}|*+?^$])`;
const PLAIN_PATTERN = new RegExp(
  String.raw`^(?:${ATOM}*|\^${ATOM}*(?:(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})${ATOM}*)?)\$?$`,
  'u',
);

type Work = {
  patterns: Map<string, (text: string) => boolean>;
  references: { at: string; schema: Schema }[];
  faults: string[];
  spend: Budget['spend'];
};

/** `schema` has the form that the schema of schemas asks for. */
export function compileSchema(schema: unknown): { compiled: CompiledSchema; faults: string[] } {
  const { spend, refill } = createBudget();
  const work: Work = { patterns: new Map(), references: [], faults: [], spend };
  const copy = copyOf(schema, '', work);
  const { lookup, faults } = resolve(copy, work);
  const compiled = { schema: copy, lookup, patterns: work.patterns, budget: { refill } };
  return { compiled, faults: [...work.faults, ...faults] };
}

type Budget = { spend: (steps: number) => void; refill: (value: unknown) => void };

function createBudget(): Budget {
  let left = FREE_STEPS;
  let checked: unknown;
  return {
    refill: (value) => {
      left = FREE_STEPS;
      checked = value;
    },
    spend: (steps) => {
      left -= steps;
      if (left >= 0) return;
      // Most values are small: how large this one is is looked at when it counts, and once.
      left += STEPS_PER_CHAR * (JSON.stringify(checked)?.length ?? 0);
      checked = undefined;
      if (left < 0) throw new HarnessError('config_invalid', 'its schema takes too many steps');
    },
  };
}

function resolve(
  schema: Schema | boolean,
  { references }: Work,
): Pick<CompiledSchema, 'lookup'> & { faults: string[] } {
  try {
    const lookup = dereference(schema);
    const lost = references.filter(({ schema: { __absolute_ref__: to = '' } }) => lookup[to] === undefined);
    return { lookup, faults: lost.map(({ at }) => `${at}/$ref: it leads to no schema in this one`) };
  } catch (error) {
    return { lookup: {}, faults: [`/: its references cannot be followed: ${messageOf(error)}`] };
  }
}

function copyOf(schema: unknown, at: string, work: Work): Schema | boolean {
  if (!isJsonObject(schema)) return schema === true;
  const words = Object.keys(schema).filter((word) => !isAnnotation(word));
  const others = words.filter((word) => word !== 'pattern');
  const copy: Schema = Object.fromEntries(
    others.map((word) => [word, valueOf({ word, value: schema[word], at: `${at}/${word}` }, work)]),
  );
  if (typeof schema['pattern'] === 'string') usePattern(copy, { source: schema['pattern'], at: `${at}/pattern` }, work);
  if (schema['uniqueItems'] === true) copy.maxItems = Math.min(copy.maxItems ?? MAX_UNIQUE, MAX_UNIQUE);
  const { $ref } = copy;
  if ($ref !== undefined) work.references.push({ at, schema: copy });
  // The validator reads this word whenever it comes to a schema, whether it is there or not.
  const steps = words.reduce((sum, word) => sum + sizeOf(schema[word]), STEPS_PER_SCHEMA);
  return Object.defineProperty(copy, '$ref', { get: () => (work.spend(steps), $ref) });
}

function sizeOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
}

function valueOf({ word, value, at }: { word: string; value: unknown; at: string }, work: Work): unknown {
  const shape = childShape(word);
  if (shape === undefined) return value;
  if (shape === 'one') return copyOf(value, at, work);
  if (shape === 'list') return (value as unknown[]).map((child, index) => copyOf(child, `${at}/${index}`, work));
  const children = Object.entries(value as JsonObject);
  if (word === 'patternProperties')
    work.faults.push(...children.flatMap(([pattern]) => (PLAIN_PATTERN.test(pattern) ? [] : [tooFree(at, pattern)])));
  return Object.fromEntries(children.map(([name, child]) => [name, copyOf(child, `${at}/${name}`, work)]));
}

function tooFree(at: string, pattern: string): string {
  return `${at}/${pattern}: here a pattern may have no groups, and one repetition if it begins with "^", as "^[a-z]+$"; use propertyNames`;
}

function usePattern(
  copy: Schema,
  { source, at }: { source: string; at: string },
  { patterns, faults, spend }: Work,
): void {
  const pattern = compilePattern(source);
  if (!pattern.ok) {
    faults.push(`${at}: this regular expression cannot be used: ${pattern.fault}`);
    return;
  }
  const name = `pattern ${source}`;
  copy.format = name;
  patterns.set(name, (text) => {
    spend((text.length * pattern.size) / 8);
    return pattern.matches(text);
  });
}
