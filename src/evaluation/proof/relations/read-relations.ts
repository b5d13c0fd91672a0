/** Relations of tools that read: no other record is in an answer, the asked one decides it, and the order of keys does not. */
import { isJsonObject, sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch } from '../../../scenario/json/patch.ts';
import { canonicalJson } from '../../../disk/sha256.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { tryCall, type ObservedCall, type Relation } from './observed-calls.ts';
import {
  findAsked,
  findOwned,
  foldKey,
  listLeaves,
  listRecords,
  varyLeaf,
  type Leaf,
  type WorldRecord,
} from './world-records.ts';

const CANARY = 'canary';

/**
 * Marks every other record, and looks for marks in the answer. Records beside a named one may never be there; of those that
 * are merely tied to it, a price list may hold all, and only one by itself is somebody else's.
 */
export const findLeak: Relation = async (observed, signal) => {
  const { named, related, others } = findAsked(observed.call.input, observed.world);
  const { own, foreign } = findOwned(observed.world);
  const beside = (known: readonly WorldRecord[]) => {
    const maps = new Set(known.map(({ collection }) => collection));
    return others.filter(({ collection }) => maps.has(collection));
  };
  const owned = others.filter(({ path }) => foreign.some((record) => record.path === path));
  const strangers = [...new Set([...beside(named), ...owned])];
  const neighbours = [...new Set([...beside(related), ...owned])];
  if ((named.length === 0 && own.length === 0) || neighbours.length === 0) return undefined;
  const marks = new Map(
    neighbours.flatMap((record) => markRecord(record).map((mark) => [mark.mark, { ...mark, record }])),
  );
  const twins = copyToOthers(observed, { own, owned });
  const answer = await tryCall(observed, { put: [...marks.values(), ...twins] }, signal);
  if (answer === undefined) return undefined;
  const told = new Set(listLeaves(answer.output).map(({ value }) => foldKey(value)));
  const said = new Set(listLeaves(observed.call.input).map(({ value }) => foldKey(value)));
  const people = foreign.filter(({ collection }) => collection === own[0]?.collection).map(({ key }) => foldKey(key));
  const keys = new Set([...listKeys(answer.output).map(foldKey), ...people.filter((key) => told.has(key))]);
  const leaking = [
    ...[...marks].filter(([mark]) => told.has(mark)).map(([, { record }]) => record),
    ...strangers.filter(({ key }) => keys.has(foldKey(key)) && !said.has(foldKey(key))),
    ...owned.filter(({ path, key }) => twins.some((twin) => twin.path === path) && told.has(foldKey(key))),
  ];
  const found = leaking.find((record) => strangers.includes(record)) ?? leaking[0];
  const among = neighbours.filter(({ collection }) => collection === found?.collection).length;
  const count = new Set(leaking.filter(({ collection }) => collection === found?.collection)).size;
  if (found === undefined) return undefined;
  if (!strangers.includes(found) && (count > 1 || among < 2 || isListed(found, told, observed))) return undefined;
  return `it answers with what belongs to another record: ${describeCall(observed.call)} tells something of ${found.path}`;
};

/** Records of others made like one's own that are told, so that only their owner tells them from these. */
function copyToOthers(
  { call }: ObservedCall,
  { own, owned }: { own: readonly WorldRecord[]; owned: readonly WorldRecord[] },
): { path: string; value: JsonObject }[] {
  const told = new Set(listLeaves(call.output).map(({ value }) => foldKey(value)));
  const people = new Set(own.slice(0, 1).map(({ collection }) => collection));
  const mine = new Set(own.map(({ key }) => foldKey(key)));
  return owned.flatMap(({ collection, path, value }) => {
    const like = own.find((one) => one.collection === collection && told.has(foldKey(one.key)));
    if (like === undefined || people.has(collection)) return [];
    const owners = Object.entries(like.value).filter(([, held]) => mine.has(foldKey(held)));
    const kept = owners.map(([field]) => [field, value[field]]);
    return [{ path, value: { ...like.value, ...(Object.fromEntries(kept) as JsonObject) } }];
  });
}

/** True when the answer names the record, or one that points to it: the doctor of a slot that is listed. */
function isListed({ key }: WorldRecord, told: ReadonlySet<string>, { world }: ObservedCall): boolean {
  const pointing = listRecords(world).filter(({ value }) =>
    listLeaves(value).some((leaf) => foldKey(leaf.value) === foldKey(key)),
  );
  return [key, ...pointing.map((record) => record.key)].some((one) => told.has(foldKey(one)));
}

type Mark = { mark: string; path: string; value: Leaf['value'] };

/** Numbers and free texts; a choice, a date, and what other records have too, must stay what it is. */
function markRecord({ path, value, key }: WorldRecord): Mark[] {
  return listLeaves(value, path).flatMap((leaf, index): Mark[] => {
    if (typeof leaf.value === 'number') {
      const number = 7_000_000 + hashText(`${key}${index}`);
      return [{ mark: String(number), path: leaf.path, value: number }];
    }
    const isFree = typeof leaf.value === 'string' && /\s/.test(leaf.value) && !/^\d/.test(leaf.value);
    const text = `${CANARY} ${key} ${index}`;
    return isFree ? [{ mark: foldKey(text), path: leaf.path, value: text }] : [];
  });
}

function hashText(text: string): number {
  return Array.from(text).reduce((hash, char) => (hash * 31 + (char.codePointAt(0) ?? 0)) % 999_983, 7);
}

export function listKeys(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listKeys);
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, one]) => [key, ...listKeys(one)]) : [];
}

/** The most places that may hold what is told; more would say little and cost much. */
const MOST_SOURCES = 4;

/** A field of the answer that bears the name and the value of fields of the world must follow one of them. */
export const findFixedAnswer: Relation = async (observed, signal) => {
  const { call, world } = observed;
  const { named, related, others } = findAsked(call.input, world);
  const records = [...related, ...others];
  const fields = new Set<string>();
  for (const told of named.length === 0 ? [] : listLeaves(call.output)) {
    const isIn = ({ path }: Leaf, some: readonly WorldRecord[]) =>
      some.some((record) => path.startsWith(`${record.path}/`));
    const sources = listLeaves(world).filter(
      (leaf) => leaf.field === told.field && leaf.value === told.value && !isIn(leaf, others),
    );
    const isOwn = sources.some((leaf) => isIn(leaf, related));
    if (!isOwn || sources.length > MOST_SOURCES || fields.has(told.field)) continue;
    fields.add(told.field);
    if (await isDeaf(observed, { sources, choices: records.map(({ value }) => value[told.field]) }, signal)) {
      return `its answer does not follow the record that is asked for: ${describeCall(call)} answers ${told.field} ${JSON.stringify(told.value)} whatever stands at ${sources[0]?.path}`;
    }
  }
  return undefined;
};

/** Records that an answer lists by their keys must have what an argument asks for, where both bear one name. */
export const findForgottenFilter: Relation = async ({ call, world }) => {
  const told = new Set(listLeaves(call.output).map(({ value }) => foldKey(value)));
  const listed = listRecords(world).filter(({ key }) => told.has(foldKey(key)));
  for (const [name, asked] of Object.entries(call.input)) {
    const about = typeof asked === 'string' ? listed.filter(({ value }) => typeof value[name] === 'string') : [];
    const other = about.find(({ value }) => foldKey(value[name]) !== foldKey(asked));
    const isKnown = about.some(({ value }) => foldKey(value[name]) === foldKey(asked));
    if (other !== undefined && isKnown && about.every(({ collection }) => collection === other.collection))
      return `it lists what was not asked for: ${describeCall(call)} tells of ${other.path}, where ${name} is ${JSON.stringify(other.value[name])}`;
  }
  return undefined;
};

type FieldSources = { sources: readonly Leaf[]; choices: readonly unknown[] };

/** True when the field was varied in each place, and no answer differed. */
async function isDeaf(
  observed: ObservedCall,
  { sources, choices }: FieldSources,
  signal: AbortSignal,
): Promise<boolean> {
  for (const leaf of sources) {
    let tried = 0;
    for (const value of varyLeaf(leaf, choices)) {
      const answer = await tryCall(observed, { put: [{ path: leaf.path, value }] }, signal);
      if (answer === undefined) continue;
      tried += 1;
      if (!sameJson(answer.output, observed.call.output)) return false;
    }
    if (tried === 0) return false;
  }
  return true;
}

/** The same world with the keys of its maps in another order. */
export const findKeyOrder: Relation = async (observed, signal) => {
  const { call, world } = observed;
  const answer = await tryCall(observed, { world: reverseKeys(world) as JsonObject }, signal);
  if (answer === undefined) return undefined;
  const usual = applyPatch(world, call.change);
  const isSameEnd = usual.ok && sameJson(sortLists(answer.world), sortLists(usual.world));
  return isSameEnd && sameJson(sortLists(answer.output), sortLists(call.output))
    ? undefined
    : `it depends on the order in which records stand in the world: ${describeCall(call)}`;
};

export function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, one]) => [key, reverseKeys(one)]),
  );
}

/** Lists in an order of their own, because one that follows the order of keys holds the same. */
function sortLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const sorted = value.map(sortLists).map((one) => ({ one, text: canonicalJson(one) }));
    return sorted.toSorted((a, b) => (a.text < b.text ? -1 : 1)).map(({ one }) => one);
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sortLists(one)]))
    : value;
}
