/** Reads outcomes in a played trial: its end world, what it added, removed or changed, and its calls. */
import { isJsonObject, sameJson, type JsonObject } from '../json/json-value.ts';
import { diffJson, joinPointer, splitPointer, valueAt } from '../json/patch.ts';
import { listNames, listPlaces, type CallReading, type Reading, type Scalar, type Where } from './readings.ts';

export type PlayedCall = { tool: string; input: unknown; output: unknown; by?: 'user' | undefined };

/** What happened; `names` fill the braces of pointers. */
export type PlayedTrial = {
  before: JsonObject;
  after: JsonObject;
  calls: readonly PlayedCall[];
  names: Readonly<Record<string, string | number | boolean>>;
};

/** `read` holds every value that was found: one number, one value of the end world, or a field of several entries. */
export type ReadValues = { read: readonly unknown[] } | { missing: string };

/** Returns `missing` where the sample does not name what a pointer or a value needs. */
export function readTrial(reading: Reading, trial: PlayedTrial): ReadValues {
  const missing = listNames(JSON.stringify(reading)).find((name) => !Object.hasOwn(trial.names, name));
  if (missing !== undefined) return { missing };
  if ('calls' in reading) return { read: [countCalls(reading, trial)] };
  const places = listPlaces(reading).map((place) => fillNames(place, trial.names));
  if ('at' in reading) return { read: places.flatMap((place) => findPlaces(trial.after, place)).map((at) => at.value) };
  const entries = places
    .flatMap((place) => listEntries(reading, place, trial))
    .filter(({ entry }) => hasFields(entry, reading.where ?? {}, trial));
  const { sum, field } = reading;
  if (field !== undefined) return { read: entries.map(({ entry }) => readField(entry, field)) };
  if (sum === undefined) return { read: [entries.length] };
  const amounts = entries.map(({ entry, was }) => toNumber(readField(entry, sum)) - toNumber(readField(was, sum)));
  return { read: [amounts.reduce((all, one) => all + one, 0)] };
}

/** Finds the first place that changed although no pointer of the frame names it. */
export function findUnframed(mayChange: readonly string[], trial: PlayedTrial): string | undefined {
  const allowed = mayChange.map((place) => splitPointer(fillNames(place, trial.names)));
  return diffJson(trial.before, trial.after).find(({ path }) => {
    const keys = splitPointer(path);
    return !allowed.some((place) => place.every((key, index) => key === '*' || key === keys[index]));
  })?.path;
}

export function fillNames(pointer: string, names: PlayedTrial['names']): string {
  return pointer.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(names, name) ? String(names[name]).replaceAll('~', '~0').replaceAll('/', '~1') : whole,
  );
}

type FoundPlace = { path: string; value: unknown };

/** All places that a pointer names; `*` stands for every key of a map or list. */
export function findPlaces(world: unknown, pointer: string): FoundPlace[] {
  return splitPointer(pointer).reduce<FoundPlace[]>(
    (places, key) =>
      places.flatMap(({ path, value }) => {
        const keys = key === '*' ? listKeys(value) : [key];
        return keys.flatMap((one) => {
          const found = valueAt(value, joinPointer([one]));
          return found === undefined ? [] : [{ path: path + joinPointer([one]), value: found }];
        });
      }),
    [{ path: '', value: world }],
  );
}

function listKeys(value: unknown): string[] {
  return isJsonObject(value) || Array.isArray(value) ? Object.keys(value) : [];
}

/** An entry, and what it was before the trial where it was there. */
type Entry = { entry: unknown; was?: unknown };

function listEntries(
  reading: Exclude<Reading, CallReading | { at: string }>,
  place: string,
  trial: PlayedTrial,
): Entry[] {
  const { before, after } = trial;
  if ('changed' in reading) {
    return findPlaces(before, place).flatMap(({ path, value: was }) => {
      const entry = valueAt(after, path);
      return entry === undefined || sameJson(entry, was) ? [] : [{ entry, was }];
    });
  }
  const [from, to] = 'added' in reading ? [before, after] : [after, before];
  return findPlaces(to, place).flatMap(({ path, value }) => listNew(valueAt(from, path), value));
}

/** Entries of a map by their keys; those of a list by what they hold, because places shift. */
function listNew(from: unknown, to: unknown): Entry[] {
  if (isJsonObject(to)) {
    const known = isJsonObject(from) ? from : {};
    return Object.entries(to).flatMap(([key, entry]) => (Object.hasOwn(known, key) ? [] : [{ entry }]));
  }
  if (!Array.isArray(to)) return [];
  const left: unknown[] = Array.isArray(from) ? [...from] : [];
  return to.flatMap((entry: unknown) => {
    const at = left.findIndex((one) => sameJson(one, entry));
    if (at >= 0) left.splice(at, 1);
    return at >= 0 ? [] : [{ entry }];
  });
}

function countCalls({ calls, where = {}, answers = {}, before, after }: CallReading, trial: PlayedTrial): number {
  const own = trial.calls.filter(({ by }) => by !== 'user');
  const tools = [calls].flat();
  return own.filter((call, index) => {
    const earlier = own.slice(0, index);
    const isEarlier = (other: NonNullable<CallReading['before']>): boolean => {
      const { tool, answers: wanted = {} } = typeof other === 'string' ? { tool: other } : other;
      return earlier.some((one) => one.tool === tool && hasFields(one.output, wanted, trial));
    };
    return (
      tools.includes(call.tool) &&
      hasFields(call.input, where, trial) &&
      hasFields(call.output, answers, trial) &&
      (before === undefined || !isEarlier(before)) &&
      (after === undefined || isEarlier(after))
    );
  }).length;
}

function hasFields(entry: unknown, where: Where, { names }: PlayedTrial): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    const found = readField(entry, field);
    return [wanted].flat().some((one) => isSameScalar(found, fillScalar(one, names)));
  });
}

/** `{loan}` alone keeps the kind of what it stands for, so that it equals a number as well. */
function fillScalar(value: Scalar, names: PlayedTrial['names']): Scalar {
  if (typeof value !== 'string') return value;
  const [, name] = /^\{(\w+)\}$/.exec(value) ?? [];
  if (name !== undefined && Object.hasOwn(names, name)) return names[name] ?? null;
  return value.replaceAll(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(names, key) ? String(names[key]) : whole,
  );
}

function isSameScalar(found: unknown, wanted: Scalar): boolean {
  return found === wanted || (found === undefined && wanted === null);
}

/** An entry without fields of its own, such as the text of a note, is read as the field `value`. */
function readField(entry: unknown, field: string): unknown {
  if (isJsonObject(entry)) return Object.hasOwn(entry, field) ? entry[field] : undefined;
  return field === 'value' ? entry : undefined;
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
