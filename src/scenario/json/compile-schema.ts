/** Prepares an untrusted schema for the validator: supported keywords only, safe patterns, and a step budget. */
import { dereference, type Schema } from '@cfworker/json-schema';
import { HarnessError, describeError } from '../../errors.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { compilePattern } from './pattern.ts';
import { childShape, isAnnotation } from './meta-schema.ts';

export type CompiledSchema = {
  schema: Schema | boolean;
  /** Every schema within the schema, by its address. */
  lookup: Record<string, Schema | boolean>;
  /** Matchers by the name of the format that replaces each pattern. */
  patterns: ReadonlyMap<string, (text: string) => boolean>;
  budget: Pick<StepBudget, 'refill'>;
};

/** The most items under `uniqueItems`, which compares each item with every other. */
const MAX_UNIQUE = 1000;
/** The free steps; nested references can multiply steps without limit, while a world needs one or two per character. */
const FREE_STEPS = 1_000_000;
const STEPS_PER_CHAR = 20;
/** The steps for reaching a schema, in addition to one for each of its keywords. */
const STEPS_PER_SCHEMA = 5;
/** Patterns matched by the language itself: without groups, and with at most one repetition, they hardly backtrack. */
const ATOM = String.raw`(?:\\[dDwWsS]|\\[pP]\{\w+\}|\\[^\w]|\[(?:\\[\s\S]|[^\]\\[])+\]|[^\\[\](){}|*+?^$])`;
const PLAIN_PATTERN = new RegExp(
  String.raw`^(?:${ATOM}*|\^${ATOM}*(?:(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})${ATOM}*)?)\$?$`,
  'u',
);

type CompileState = {
  patterns: Map<string, (text: string) => boolean>;
  references: { at: string; schema: Schema }[];
  faults: string[];
  spend: StepBudget['spend'];
};

/** Compiles a schema that has passed the meta-schema. */
export function compileSchema(schema: unknown): { compiled: CompiledSchema; faults: string[] } {
  const { spend, refill } = createBudget();
  const work: CompileState = { patterns: new Map(), references: [], faults: [], spend };
  const copy = copySchema(schema, '', work);
  const { lookup, faults } = resolveReferences(copy, work);
  const compiled = { schema: copy, lookup, patterns: work.patterns, budget: { refill } };
  return { compiled, faults: [...work.faults, ...faults] };
}

type StepBudget = { spend: (steps: number) => void; refill: (value: unknown) => void };

function createBudget(): StepBudget {
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
      // The size of the value is computed only when the free steps are used up, and only once.
      left += STEPS_PER_CHAR * (JSON.stringify(checked)?.length ?? 0);
      checked = undefined;
      if (left < 0) throw new HarnessError('config_invalid', 'its schema takes too many steps');
    },
  };
}

function resolveReferences(
  schema: Schema | boolean,
  { references }: CompileState,
): Pick<CompiledSchema, 'lookup'> & { faults: string[] } {
  try {
    const lookup = dereference(schema);
    const lost = references.filter(({ schema: { __absolute_ref__: to = '' } }) => lookup[to] === undefined);
    return { lookup, faults: lost.map(({ at }) => `${at}/$ref: it leads to no schema in this one`) };
  } catch (error) {
    return { lookup: {}, faults: [`/: its references cannot be followed: ${describeError(error)}`] };
  }
}

function copySchema(schema: unknown, at: string, work: CompileState): Schema | boolean {
  if (!isJsonObject(schema)) return schema === true;
  const words = Object.keys(schema).filter((word) => !isAnnotation(word));
  const others = words.filter((word) => word !== 'pattern');
  const copy: Schema = Object.fromEntries(
    others.map((word) => [word, copyKeyword({ word, value: schema[word], at: `${at}/${word}` }, work)]),
  );
  if (typeof schema['pattern'] === 'string') usePattern(copy, { source: schema['pattern'], at: `${at}/pattern` }, work);
  if (schema['uniqueItems'] === true) copy.maxItems = Math.min(copy.maxItems ?? MAX_UNIQUE, MAX_UNIQUE);
  const { $ref } = copy;
  if ($ref !== undefined) work.references.push({ at, schema: copy });
  // The validator reads `$ref` of every schema that it reaches, even where it is missing.
  const steps = words.reduce((sum, word) => sum + countItems(schema[word]), STEPS_PER_SCHEMA);
  return Object.defineProperty(copy, '$ref', { get: () => (work.spend(steps), $ref) });
}

function countItems(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1;
}

function copyKeyword({ word, value, at }: { word: string; value: unknown; at: string }, work: CompileState): unknown {
  const shape = childShape(word);
  if (shape === undefined) return value;
  if (shape === 'one') return copySchema(value, at, work);
  if (shape === 'list') return (value as unknown[]).map((child, index) => copySchema(child, `${at}/${index}`, work));
  const children = Object.entries(value as JsonObject);
  if (word === 'patternProperties')
    work.faults.push(...children.flatMap(([pattern]) => (PLAIN_PATTERN.test(pattern) ? [] : [tooFree(at, pattern)])));
  return Object.fromEntries(children.map(([name, child]) => [name, copySchema(child, `${at}/${name}`, work)]));
}

function tooFree(at: string, pattern: string): string {
  return `${at}/${pattern}: here a pattern may have no groups, and one repetition if it begins with "^", as "^[a-z]+$"; use propertyNames`;
}

function usePattern(
  copy: Schema,
  { source, at }: { source: string; at: string },
  { patterns, faults, spend }: CompileState,
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
