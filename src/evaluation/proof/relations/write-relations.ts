/** Relations of tools that write: a refusal changes nothing, a success did something, and what it says is so. */
import { isJsonObject, sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { findPlaceSchema } from '../../../scenario/cases/schema-places.ts';
import { validateJson } from '../../../scenario/json/json-schema.ts';
import { applyPatch, splitPointer, valueAt } from '../../../scenario/json/patch.ts';
import type { ToolCall } from '../../components/call-tool.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall, type ObservedCall, type Relation } from './observed-calls.ts';
import { findAsked, findOwned, foldKey, listLeaves, listRecords, varyLeaf } from './world-records.ts';

/** `given`: the value of an argument that was changed. */
type Probe = { what: string; world: JsonObject; answer: ToolCall; given?: unknown };

/** The most neighbouring worlds of one call. */
const MOST_PROBES = 14;

const probed = new WeakMap<ObservedCall, Promise<Probe[]>>();

/** Makes the probes of a call once for all relations. */
function probeGuards(observed: ObservedCall, signal: AbortSignal): Promise<Probe[]> {
  const known = probed.get(observed) ?? makeProbes(observed, signal);
  probed.set(observed, known);
  return known;
}

/** The call in worlds that differ in one value of the asked record: they lie beside the tool's guards. */
async function makeProbes(observed: ObservedCall, signal: AbortSignal): Promise<Probe[]> {
  const { call, world } = observed;
  const { named, related, others } = findAsked(call.input, world);
  // A value that the call itself gives is what it is told by: another one there asks for another record.
  const given = new Set(listLeaves(call.input).map(({ value }) => foldKey(value)));
  const probes: Probe[] = [];
  for (const { args, given: other } of varyArguments(observed)) {
    const answer = await tryCall(observed, { args }, signal);
    if (answer !== undefined) probes.push({ what: `with ${JSON.stringify(args)}`, world, answer, given: other });
  }
  const asked = named.length > 0 ? [...named, ...related] : findOwned(world).own;
  for (const record of new Set(asked)) {
    const twins = others.concat(related).filter(({ collection }) => collection === record.collection);
    for (const leaf of listLeaves(record.value, record.path)) {
      const inRecord = leaf.path.slice(record.path.length);
      const seen = twins.map(({ value }) => valueAt(value, inRecord));
      const schema = listChoices(observed, leaf.path);
      if (given.has(foldKey(leaf.value))) continue;
      for (const value of varyLeaf(leaf, [...schema, ...seen]).slice(0, 1)) {
        if (probes.length >= MOST_PROBES) return probes;
        const varied = applyPatch(world, [{ op: 'replace', path: leaf.path, value }]);
        const answer = varied.ok ? await tryCall(observed, { world: varied.world }, signal) : undefined;
        if (varied.ok && answer !== undefined)
          probes.push({ what: `with ${JSON.stringify(value)} at ${leaf.path}`, world: varied.world, answer });
      }
    }
  }
  return probes;
}

/** The call's arguments with another choice, or with a number that is far too high. */
function varyArguments({ call, stage, world }: ObservedCall): { args: JsonObject; given: unknown }[] {
  const { properties: given } = stage.tools.get(call.tool)?.input_schema ?? ({} as JsonObject);
  const properties = isJsonObject(given) ? given : {};
  const keys = new Set(listRecords(world).map(({ key }) => foldKey(key)));
  // Another record is asked for elsewhere: here the call stays about the same one.
  const plain = Object.entries(call.input).filter(([, value]) => !keys.has(foldKey(value)));
  return plain.flatMap(([name, value]) => {
    const property = properties[name];
    const choices = isJsonObject(property) && Array.isArray(property['enum']) ? property['enum'] : [];
    const high = typeof value === 'number' && choices.length === 0 ? [value * 1000] : [];
    return [...choices, ...high]
      .filter((other) => other !== value)
      .slice(0, 2)
      .map((other) => ({ args: { ...call.input, [name]: other }, given: other }));
  });
}

/** The values that the world's schema lists for a place. */
function listChoices({ stage }: ObservedCall, path: string): unknown[] {
  const place = findPlaceSchema(stage.worldSchema ?? {}, path);
  return place.ok && Array.isArray(place.schema?.enum) ? place.schema.enum : [];
}

/** Counters of tries may go up with a refusal; records that the call is about may not change. */
export const findRefusalWrites: Relation = async (observed, signal) => {
  const { call } = observed;
  for (const { what, world, answer } of await probeGuards(observed, signal)) {
    if (isSuccess(answer, call)) continue;
    const written = findRefusedWrite(answer, { call, world });
    if (written !== undefined) return `it refuses ${describeCall(call)} ${what}, and changes ${written} all the same`;
  }
  return undefined;
};

/** The first place of a record that the call is about, and that the answer changed. */
export function findRefusedWrite(
  { change }: ToolCall,
  { call, world }: Pick<ObservedCall, 'call' | 'world'>,
): string | undefined {
  const { related } = findAsked(call.input, world);
  return change.find(({ path }) => related.some((record) => path.startsWith(`${record.path}/`)))?.path;
}

/** A success that changes nothing, where what it does was not done yet. */
export const findEmptySuccess: Relation = async (observed, signal) => {
  const { call } = observed;
  if (call.change.length === 0) return undefined;
  for (const { what, world, answer, given } of await probeGuards(observed, signal)) {
    const { output } = answer;
    if (!isSuccess(answer, call) || !isJsonObject(output) || output['ok'] !== true || answer.change.length > 0)
      continue;
    // What is asked for may be so already.
    if (given !== undefined && listLeaves(world).some(({ value }) => value === given)) continue;
    const isDone = call.change.every(({ path, ...one }) => 'value' in one && sameJson(valueAt(world, path), one.value));
    if (!isDone)
      return `it answers ${JSON.stringify(answer.output)} to ${describeCall(call)} ${what}, and changes nothing`;
  }
  return undefined;
};

/**
 * A number that a success answers under the name of what the call was given, or of what it wrote, must be that number; a
 * text under the name of a field is a text of that field.
 */
export const findUntrueAnswer: Relation = async (observed) => {
  const { call, world } = observed;
  const { related } = findAsked(call.input, world);
  const held = related.flatMap(({ value }) => listLeaves(value));
  const ended = applyPatch(world, call.change);
  const leaves = [...listLeaves(call.input), ...listLeaves(ended.ok ? ended.world : world), ...listLeaves(world)];
  const known = new Set(leaves.flatMap(({ path, value }) => [value, ...splitPointer(path)].map(foldKey)));
  const invented = listLeaves(call.output).find(({ field, value }) => {
    const isText =
      typeof value === 'string' && held.some((one) => one.field === field && typeof one.value === 'string');
    return isText && !known.has(foldKey(value));
  });
  if (invented !== undefined)
    return `it answers ${invented.field} ${JSON.stringify(invented.value)} to ${describeCall(call)}, which stands nowhere in the world`;
  if (call.change.length === 0) return undefined;
  const written = listLeaves(
    call.change.flatMap((one) => ('value' in one ? [{ [splitPointer(one.path).at(-1) ?? '']: one.value }] : [])),
  );
  const given = [...written, ...listLeaves(call.input)].filter(({ value }) => typeof value === 'number');
  const told = listLeaves(call.output).filter(({ value }) => typeof value === 'number');
  const untrue = told.find(({ field, value }) => {
    const alike = given.filter((one) => isSameField(one.field, field));
    // Where several answers bear the name, what comes to nothing is not written.
    const isNothing =
      value === 0 &&
      told.filter((one) => alike.some((other) => isSameField(other.field, one.field))).length > alike.length;
    if (alike.length === 0 || isNothing) return false;
    const known = [...given, ...listLeaves(world)].filter((one) => isSameField(one.field, field));
    // Several payments are told as their sum.
    const sum = alike.reduce((all, one) => all + Number(one.value), 0);
    return value !== sum && known.every((one) => one.value !== value);
  });
  if (untrue === undefined) return undefined;
  return `it answers ${untrue.field} ${String(untrue.value)} to ${describeCall(call)}, which it was not given, did not write, and the world does not hold`;
};

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

/** What the call is given as a number is what it books: with another number another one is written. */
export const findUnbookedArgument: Relation = async (observed, signal) => {
  const { call, stage } = observed;
  const written = listLeaves(call.change.flatMap((one) => ('value' in one ? [one.value] : [])));
  for (const [name, value] of Object.entries(call.input)) {
    if (typeof value !== 'number' || Math.abs(value) < 2 || !written.some((leaf) => leaf.value === value)) continue;
    const others = [value - 1, value + 1].map((other) => ({ ...call.input, [name]: other }));
    const schema = stage.tools.get(call.tool)?.input_schema ?? {};
    for (const args of others.filter((one) => validateJson(schema, one).length === 0)) {
      const answer = await tryCall(observed, { args }, signal);
      if (answer === undefined || !isSuccess(answer, call) || answer.change.length === 0) continue;
      const told = listLeaves(answer.output).find(({ field, value: one }) => one === value && isSameField(name, field));
      if (told !== undefined)
        return `given ${name} ${String(args[name])} it books that, and answers ${told.field} ${value} all the same`;
      if (sameJson(answer.change, call.change))
        return `given ${name} ${String(args[name])} it still books ${value}, which a gold path gives it: does it book what gold says?`;
    }
  }
  return undefined;
};

/** `charged_cents` and `cents` speak of one thing. */
function isSameField(one: string, other: string): boolean {
  return one !== '' && (one === other || other.endsWith(`_${one}`));
}
