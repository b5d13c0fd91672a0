/** Relations of tools that write: what stood there before is kept, what is given is written whole, and others do not count. */
import { isJsonObject, sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { validateJson } from '../../../scenario/json/json-schema.ts';
import { valueAt } from '../../../scenario/json/patch.ts';
import type { ToolCall } from '../../components/call-tool.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall, type Relation } from './observed-calls.ts';
import { findOwned, foldKey, listLeaves, listRecords, type Leaf } from './world-records.ts';

/** A list to which the call adds keeps what it had. */
export const findOverwriting: Relation = async (observed, signal) => {
  const { call, world } = observed;
  for (const one of call.change) {
    const list = one.path.slice(0, one.path.lastIndexOf('/'));
    const held = valueAt(world, list);
    if (one.op !== 'add' || !Array.isArray(held)) continue;
    // A tool may refuse what was done already: then the earlier entries are about another record.
    for (const entry of [one.value, nameOtherRecords(one.value, world)]) {
      // Two like entries, because one that was written anew would look as if it had stayed.
      const earlier = [...held, entry, entry];
      const answer = await tryCall(observed, { put: [{ path: list, value: earlier }] }, signal);
      const left = answer === undefined ? earlier : valueAt(answer.world, list);
      if (!Array.isArray(left) || left.length < earlier.length)
        return `it does not keep what ${list} held before: ${describeCall(call)}`;
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

/** So many entries of others reach every limit that is meant for one. */
const MANY_OTHERS = 12;

/** What was done for others does not stop a call: a limit is counted for the one that it is about. */
export const findForeignLimit: Relation = async (observed, signal) => {
  const { call, world } = observed;
  const keys = new Set(listRecords(world).map(({ key }) => foldKey(key)));
  for (const one of findOwned(world).own.length === 0 ? [] : call.change) {
    const list = one.path.slice(0, one.path.lastIndexOf('/'));
    const held = valueAt(world, list);
    if (one.op !== 'add' || !Array.isArray(held) || !isJsonObject(one.value)) continue;
    const entry = nameOtherRecords(one.value, world) as JsonObject;
    const isOthers = Object.entries(one.value).every(
      ([name, value]) => !keys.has(foldKey(value)) || entry[name] !== value,
    );
    if (!isOthers || sameJson(entry, one.value)) continue;
    const earlier = [...held, ...Array.from({ length: MANY_OTHERS }, () => entry)];
    const answer = await tryCall(observed, { put: [{ path: list, value: earlier }] }, signal);
    if (answer !== undefined && !isSuccess(answer, call))
      return `what others have done stops it: with ${MANY_OTHERS} entries of others in ${list} it refuses ${describeCall(call)}`;
  }
  return undefined;
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

/** Longer texts, of which a tool writes the whole or refuses them. */
const LONGER = [' and something more', ' and something more, and more than that'];

/** A text that is given is written to its end. */
export const findCutText: Relation = async (observed, signal) => {
  const { call, stage, world } = observed;
  const keys = new Set(listRecords(world).map(({ key }) => foldKey(key)));
  const schema = stage.tools.get(call.tool)?.input_schema ?? {};
  const written = listWritten(call);
  const given = Object.entries(call.input).filter(([, value]) => written.some((leaf) => leaf.value === value));
  for (const [name, value] of given.filter(([, one]) => typeof one === 'string' && !keys.has(foldKey(one)))) {
    for (const text of LONGER.map((more) => `${String(value)}${more}`)) {
      const args = { ...call.input, [name]: text };
      const answer = validateJson(schema, args).length === 0 ? await tryCall(observed, { args }, signal) : undefined;
      if (answer === undefined || !isSuccess(answer, call)) continue;
      const cut = listWritten(answer).find((leaf) => typeof leaf.value === 'string' && isBeginning(leaf.value, text));
      if (cut !== undefined)
        return `given ${name} ${JSON.stringify(text)} it writes ${JSON.stringify(cut.value)} alone`;
    }
  }
  return undefined;
};

export function listWritten({ change }: Pick<ToolCall, 'change'>): Leaf[] {
  return listLeaves(change.flatMap((one) => ('value' in one ? [one.value] : [])));
}

function isBeginning(text: string, whole: string): boolean {
  return text !== '' && text.length < whole.trim().length && whole.startsWith(text);
}
