/** The shape of readings: where in a trial an outcome is read, and what a request may change. */
import { z } from 'zod';

const Scalar = z.union([z.string().max(200), z.int(), z.boolean(), z.null()]);
export type Scalar = z.infer<typeof Scalar>;

/** A place of the world; `{order}` stands for a name of the sample's `case_of` or an attribute, `*` for every key. */
export const Pointer = z.string().regex(/^\//, 'expected a JSON pointer such as /orders/{order}/refunds');
const Field = z.string().regex(/^[A-Za-z_]\w{0,39}$/, 'expected the name of a field');
const Tool = z.string().min(1).max(80);

/** Fields and their values, of which a list names several; `value` is an entry that has no fields. */
const Where = z.record(Field, z.union([Scalar, z.array(Scalar).min(1)]));
export type Where = z.infer<typeof Where>;

/** What is read of the entries that were found: their number (default), a sum over them, or a field that all share. */
const Entries = {
  where: Where.optional(),
  count: z.literal(true).optional(),
  sum: Field.optional(),
  field: Field.optional(),
};
const Places = z.union([Pointer, z.array(Pointer).min(1).max(8)]);

const WorldReading = z.union([
  z.strictObject({ at: Pointer }),
  /** Entries of a list or map that the trial added to it or removed from it. */
  z.strictObject({ added: Places, ...Entries }),
  z.strictObject({ removed: Places, ...Entries }),
  /** Records or values that were there before, are there still, and differ; `sum` adds up the differences. */
  z.strictObject({ changed: Places, ...Entries }),
]);

/** A call that came before or after; `answers` demands that the answer had these fields. */
const OtherCall = z.union([Tool, z.strictObject({ tool: Tool, answers: Where })]);

/** The number of calls of the subject, by their arguments and answers, and by their order. */
const CallReading = z.strictObject({
  calls: z.union([Tool, z.array(Tool).min(1)]),
  where: Where.optional(),
  answers: Where.optional(),
  before: OtherCall.optional(),
  after: OtherCall.optional(),
});

export const Reading = z
  .union([WorldReading, CallReading])
  .refine((reading) => countKinds(reading) <= 1, 'expected only one of count, sum and field');
export type Reading = z.infer<typeof Reading>;
export type CallReading = z.infer<typeof CallReading>;

/** Marks an outcome that no world and no call shows, so that checkers and graders judge it. */
export const WORDS = 'words';

export function isReading(from: Reading | typeof WORDS | undefined): from is Reading {
  return from !== undefined && from !== WORDS;
}

function countKinds(reading: z.infer<typeof WorldReading> | CallReading): number {
  return ['count', 'sum', 'field'].filter((kind) => kind in reading).length;
}

/**
 * What a value of the outcome looks like where it is read: a constant, a range such as `1..`, arithmetic, nothing (`null`),
 * or what the start world has at a place.
 */
const ReadForm = z.union([Scalar, z.strictObject({ at: Pointer })]);
export type ReadForm = z.infer<typeof ReadForm>;
export const ReadAs = z.record(z.string(), ReadForm);

/** A reading that gives a number; others give what the world holds. */
export function isNumeric(reading: Reading): boolean {
  return 'calls' in reading || (!('at' in reading) && reading.field === undefined);
}

/** The kind of a reading of the world by entries, with its places. */
export function listPlaces(reading: Exclude<Reading, CallReading>): string[] {
  if ('at' in reading) return [reading.at];
  const places = 'added' in reading ? reading.added : 'removed' in reading ? reading.removed : reading.changed;
  return [places].flat();
}

/** The names in braces that a text uses. */
export function listNames(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

export function formatReading(from: Reading | typeof WORDS): string {
  if (from === WORDS) return 'shown by words, which checkers judge';
  return `read as ${'calls' in from ? formatCalls(from) : formatEntries(from)}`;
}

function formatEntries(reading: Exclude<Reading, CallReading>): string {
  const places = listPlaces(reading).join(' and ');
  if ('at' in reading) return `what ${places} holds at the end`;
  const deed = 'added' in reading ? 'added under' : 'removed' in reading ? 'removed from' : 'changed at';
  const what = `what was ${deed} ${places}${formatWhere(reading.where)}`;
  if (reading.sum !== undefined)
    return `${'changed' in reading ? 'by how much' : 'the sum of'} ${reading.sum} of ${what}`;
  return reading.field === undefined ? `the number of ${what}` : `${reading.field} of ${what}`;
}

function formatCalls({ calls, where, answers, before, after }: CallReading): string {
  const other = (one: NonNullable<CallReading['before']>): string =>
    typeof one === 'string' ? one : `${one.tool} answered ${formatFields(one.answers)}`;
  const parts = [
    `the number of calls of ${[calls].flat().join(', ')}${formatWhere(where)}`,
    answers === undefined ? '' : ` answered ${formatFields(answers)}`,
    before === undefined ? '' : ` before ${other(before)}`,
    after === undefined ? '' : ` after ${other(after)}`,
  ];
  return parts.join('');
}

function formatWhere(where: Where | undefined): string {
  return where === undefined ? '' : ` with ${formatFields(where)}`;
}

function formatFields(where: Where): string {
  return Object.entries(where)
    .map(([field, value]) => `${field} ${[value].flat().map(String).join(' or ')}`)
    .join(', ');
}
