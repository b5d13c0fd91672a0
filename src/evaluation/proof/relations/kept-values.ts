/** Relations of tools that write: what stood there before is kept, and others do not count. */
import { isJsonObject, sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { valueAt } from '../../../scenario/json/patch.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall, type ObservedCall, type Relation } from './observed-calls.ts';
import { findOwned, foldKey, listLeaves, listRecords } from './world-records.ts';

/** The lists to which a call adds an entry, with what they held before. */
function findGrownLists({ call, world }: ObservedCall) {
  return call.change.flatMap((one) => {
    const list = one.path.slice(0, one.path.lastIndexOf('/'));
    const held = valueAt(world, list);
    return one.op === 'add' && Array.isArray(held) ? [{ list, held, entry: one.value }] : [];
  });
}

/** A list to which the call adds keeps what it had. */
export const findOverwriting: Relation = async (observed, signal) => {
  for (const { list, held, entry: added } of findGrownLists(observed)) {
    // A tool may refuse what was done already: then the earlier entries are about another record.
    for (const entry of [added, nameOtherRecords(added, observed.world)]) {
      // Two like entries, because one that was written anew would look as if it had stayed.
      const earlier = [...held, entry, entry];
      const answer = await tryCall(observed, { put: [{ path: list, value: earlier }] }, signal);
      const left = answer === undefined ? earlier : valueAt(answer.world, list);
      if (!Array.isArray(left) || left.length < earlier.length)
        return `it does not keep what ${list} held before: ${describeCall(observed.call)}`;
    }
  }
  return undefined;
};

/** A number of a record that is booked in a list as well is a total: what it held before is not forgotten. */
export const findForgottenTotal: Relation = async (observed, signal) => {
  const { call, world } = observed;
  const booked = listLeaves(call.change.flatMap((one) => (one.op === 'add' ? [one.value] : [])));
  for (const one of call.change) {
    if (one.op !== 'replace' || typeof one.value !== 'number' || valueAt(world, one.path) !== 0) continue;
    if (!booked.some(({ value }) => value === one.value)) continue;
    const answer = await tryCall(observed, { put: [{ path: one.path, value: 1 }] }, signal);
    if (answer === undefined || !isSuccess(answer, call)) continue;
    if (valueAt(answer.world, one.path) === one.value && sameJson(answer.output, call.output))
      return `it books ${one.value}, and forgets what ${one.path} held before: ${describeCall(call)}`;
  }
  return undefined;
};

/** So many entries reach every limit of a tool. */
const MANY = 12;

/** A list to which the call adds an entry, and with many entries of this kind the tool refuses it; no kind is not tried. */
export async function findFullList(
  observed: ObservedCall,
  toKind: (entry: unknown) => unknown,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const { list, held, entry } of findGrownLists(observed)) {
    const many = Array.from({ length: MANY }, () => toKind(entry));
    const put = [{ path: list, value: [...held, ...many] }];
    const answer = many[0] === undefined ? undefined : await tryCall(observed, { put }, signal);
    if (answer !== undefined && !isSuccess(answer, observed.call)) return list;
  }
  return undefined;
}

/** A call is not stopped by what was done for others: a limit is counted for the one that it is about. */
export const findForeignLimit: Relation = async (observed, signal) => {
  const { call, world } = observed;
  if (findOwned(world).own.length === 0) return undefined;
  const toOthers = (entry: unknown): unknown => {
    const swapped = nameOtherRecords(entry, world);
    return sameJson(swapped, entry) ? undefined : swapped;
  };
  const list = await findFullList(observed, toOthers, signal);
  if (list === undefined) return undefined;
  return `what others have done stops it: with ${MANY} entries of others in ${list} it refuses ${describeCall(call)}`;
};

/** The entry with the key of another record wherever it holds a key. */
function nameOtherRecords(entry: unknown, world: JsonObject): unknown {
  const records = listRecords(world);
  if (!isJsonObject(entry)) return entry;
  const swapped = Object.entries(entry).map(([name, value]) => {
    const own = records.find(({ key }) => foldKey(key) === foldKey(value));
    const other = records.find(({ collection, key }) => collection === own?.collection && key !== own.key);
    return [name, other?.key ?? value];
  });
  return Object.fromEntries(swapped);
}
