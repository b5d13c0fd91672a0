/** The records of a world, and those that a call is about: named by its arguments, or tied to these by references. */
import { isJsonObject, type JsonObject } from '../../../scenario/json/json-value.ts';
import { joinPointer } from '../../../scenario/json/patch.ts';

export type WorldRecord = { path: string; collection: string; key: string; value: JsonObject };

/** A single value of a record, with its place. */
export type Leaf = { path: string; field: string; value: string | number | boolean | null };

const MOST_LEVELS = 3;

/** Entries of maps whose entries are all records; a record with named fields is no map when one of its fields is single. */
export function listRecords(world: JsonObject): WorldRecord[] {
  const walk = (value: unknown, path: string, level: number): WorldRecord[] => {
    if (!isJsonObject(value) || level > MOST_LEVELS) return [];
    const entries = Object.entries(value);
    const isMap = level > 0 && entries.length > 1 && entries.every(([, entry]) => isJsonObject(entry));
    return entries.flatMap(([key, entry]) => {
      const at = path + joinPointer([key]);
      const own = isMap && isJsonObject(entry) ? [{ path: at, collection: path, key, value: entry }] : [];
      return [...own, ...(isMap ? [] : walk(entry, at, level + 1))];
    });
  };
  return walk(world, '', 0);
}

export function listLeaves(value: unknown, path = '', field = ''): Leaf[] {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
    return [{ path, field, value: value as Leaf['value'] }];
  }
  if (Array.isArray(value)) return value.flatMap((one, index) => listLeaves(one, `${path}/${index}`, field));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => listLeaves(one, path + joinPointer([key]), key));
}

/** Every single value below a place, each changed by itself to another one of its type. */
export function changeLeaves(value: unknown, path: string): { op: 'replace'; path: string; value: unknown }[] {
  return listLeaves(value, path).flatMap((leaf) => {
    if (leaf.value === null) return [];
    const other = typeof leaf.value === 'number' ? leaf.value + 1 : `${leaf.value}-changed`;
    return [{ op: 'replace', path: leaf.path, value: typeof leaf.value === 'boolean' ? !leaf.value : other }];
  });
}

export type AskedRecords = {
  /** Records whose keys are arguments of the call. */
  named: WorldRecord[];
  /** Records that the named ones lead to, and the named ones themselves. */
  related: WorldRecord[];
  /** All others. */
  others: WorldRecord[];
};

export function findAsked(args: JsonObject, world: JsonObject): AskedRecords {
  const records = listRecords(world);
  const said = new Set(listLeaves(args).map(({ value }) => foldKey(value)));
  const named = records.filter(({ key }) => said.has(foldKey(key)));
  const own = new Set(listOpenLeaves(world, records).map(({ value }) => foldKey(value)));
  const start = records.filter((record) => named.includes(record) || own.has(foldKey(record.key)));
  const starting = new Set(start.map(({ key }) => foldKey(key)));
  // Records of the asked one point to it: the loans of a member.
  const pointing = records.filter(({ value }) => listLeaves(value).some((leaf) => starting.has(foldKey(leaf.value))));
  const related = new Set([...start, ...pointing]);
  for (const record of related) {
    const refers = new Set(listLeaves(record.value).map(({ value }) => foldKey(value)));
    for (const other of records) if (refers.has(foldKey(other.key))) related.add(other);
  }
  return { named, related: [...related], others: records.filter((record) => !related.has(record)) };
}

/** The records that say of themselves whose they are: one of their fields holds the key of who is signed in. */
export type OwnedRecords = { own: WorldRecord[]; foreign: WorldRecord[] };

/** Empty where nobody is signed in; a record is foreign where others of its map are owned, and its owner is another. */
export function findOwned(world: JsonObject): OwnedRecords {
  const records = listRecords(world);
  const signed = new Set(listOpenLeaves(world, records).map(({ value }) => foldKey(value)));
  const people = records.filter(({ key }) => signed.has(foldKey(key)));
  // Several of one kind are a list, such as those who wait: it says nothing of who is signed in.
  if (new Set(people.map(({ collection }) => collection)).size < people.length) return { own: [], foreign: [] };
  const owners = new Set(people.map(({ collection }) => collection));
  const persons = new Map(
    records.filter(({ collection }) => owners.has(collection)).map((one) => [foldKey(one.key), one]),
  );
  const readOwner = ({ value }: WorldRecord): WorldRecord | undefined =>
    Object.values(value).flatMap((one) => persons.get(foldKey(one)) ?? [])[0];
  const owned = records.filter((record) => !owners.has(record.collection) && readOwner(record) !== undefined);
  const isOwn = (record: WorldRecord): boolean => people.includes(readOwner(record) ?? record);
  return {
    own: [...people, ...owned.filter(isOwn)],
    foreign: [...persons.values(), ...owned].filter((record) => !people.includes(record) && !isOwn(record)),
  };
}

/** Values outside all maps, such as who is signed in. */
function listOpenLeaves(world: JsonObject, records: readonly WorldRecord[]): Leaf[] {
  const maps = new Set(records.map(({ collection }) => collection));
  return listLeaves(world).filter(({ path }) => ![...maps].some((map) => path.startsWith(`${map}/`)));
}

/** Keys are compared as people spell them. */
export function foldKey(value: unknown): string {
  return String(value).trim().toLowerCase();
}

const DATE = /^\d{4}-\d{2}-\d{2}/;

/** Another value of the same kind that the place may hold; `choices` are those that other records have there. */
export function varyLeaf({ value }: Leaf, choices: readonly unknown[] = []): Leaf['value'][] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value + 1000];
  if (value === null) return choices.filter((one): one is string => typeof one === 'string').slice(0, 1);
  const [date] = DATE.exec(value) ?? [];
  if (date !== undefined) {
    const day = Date.parse(date);
    return Number.isNaN(day) ? [] : [`${new Date(day + 3 * 86_400_000).toISOString().slice(0, 10)}${value.slice(10)}`];
  }
  return choices.filter((one): one is string => typeof one === 'string' && one !== value).slice(0, 2);
}
