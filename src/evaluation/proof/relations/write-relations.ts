/** Relations of tools that write: a refusal changes nothing, a success did something, and what it says is so. */
import { isJsonObject, sameJson, type JsonObject } from '../../../scenario/json/json-value.ts';
import { applyPatch, valueAt } from '../../../scenario/json/patch.ts';
import type { ToolCall } from '../../components/call-tool.ts';
import { describeCall } from '../../judge/judge-expectation.ts';
import { isSuccess, tryCall, type ObservedCall } from './observed-calls.ts';
import type { Relation } from './read-relations.ts';
import { findAsked, foldKey, listLeaves, varyLeaf } from './world-records.ts';

type Probe = { what: string; world: JsonObject; answer: ToolCall };

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
  for (const record of named.length > 0 ? new Set([...named, ...related]) : []) {
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

/** The values that the world's schema lists for a place. */
function listChoices({ stage }: ObservedCall, path: string): unknown[] {
  let schema: unknown = stage.worldSchema;
  for (const key of path.split('/').slice(1)) {
    if (!isJsonObject(schema)) return [];
    const { properties, additionalProperties, items } = schema;
    schema =
      isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : (additionalProperties ?? items);
  }
  return isJsonObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
}

/** Counters of tries may go up with a refusal; records that the call is about may not change. */
export const findRefusalWrites: Relation = async (observed, signal) => {
  const { call } = observed;
  for (const { what, world, answer } of await probeGuards(observed, signal)) {
    if (isSuccess(answer, call)) continue;
    const { related } = findAsked(call.input, world);
    const written = answer.change.find(({ path }) => related.some((record) => path.startsWith(`${record.path}/`)));
    if (written !== undefined)
      return `it refuses ${describeCall(call)} ${what}, and changes ${written.path} all the same`;
  }
  return undefined;
};

/** A success that changes nothing, where what it does was not done yet. */
export const findEmptySuccess: Relation = async (observed, signal) => {
  const { call } = observed;
  if (call.change.length === 0) return undefined;
  for (const { what, world, answer } of await probeGuards(observed, signal)) {
    if (!isSuccess(answer, call) || answer.change.length > 0 || !saysSuccess(answer)) continue;
    const isDone = call.change.every(({ path, ...one }) => 'value' in one && sameJson(valueAt(world, path), one.value));
    if (!isDone)
      return `it answers ${JSON.stringify(answer.output)} to ${describeCall(call)} ${what}, and changes nothing`;
  }
  return undefined;
};

function saysSuccess({ output }: ToolCall): boolean {
  return isJsonObject(output) && output['ok'] === true;
}

/** A number that a success answers under the name of what the call was given, or of what it wrote, must be that number. */
export const findUntrueAnswer: Relation = async (observed) => {
  const { call, world } = observed;
  if (call.change.length === 0) return undefined;
  const written = listLeaves(
    call.change.flatMap((one) => ('value' in one ? [{ [readKey(one.path)]: one.value }] : [])),
  );
  const given = [...written, ...listLeaves(call.input)].filter(({ value }) => typeof value === 'number');
  const untrue = listLeaves(call.output).find(({ field, value }) => {
    if (typeof value !== 'number' || !given.some((one) => isSameField(one.field, field))) return false;
    const known = [...given, ...listLeaves(world)].filter((one) => isSameField(one.field, field));
    return known.every((one) => one.value !== value);
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
    // Two like entries, because one that was written anew would look as if it had stayed.
    const earlier = [...held, one.value, one.value];
    const filled = applyPatch(world, [{ op: 'replace', path: list, value: earlier }]);
    const answer = filled.ok ? await tryCall(observed, { world: filled.world }, signal) : undefined;
    const left = answer === undefined ? earlier : valueAt(answer.world, list);
    if (!Array.isArray(left) || left.length < earlier.length) {
      return `it does not keep what ${list} held before: ${describeCall(call)}`;
    }
  }
  return undefined;
};

function readKey(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `charged_cents` and `cents` speak of one thing. */
function isSameField(one: string, other: string): boolean {
  return one !== '' && (one === other || other.endsWith(`_${one}`));
}

/** Spoilt spellings of an argument, which all must be refused like a wholly wrong one. */
export const findLooseIdentity: Relation = async (observed, signal) => {
  const { call, world } = observed;
  const args = Object.entries(call.input).filter(([, value]) => typeof value === 'string');
  if (!isIdentification(observed) || args.length < 2) return undefined;
  const nonsense = Object.fromEntries(args.map(([name]) => [name, 'qz-0']));
  const refused = await tryCall(observed, { args: { ...call.input, ...nonsense } }, signal);
  if (refused === undefined || identifies(refused, observed)) return undefined;
  const { named } = findAsked(call.input, world);
  for (const [name, value] of args) {
    const text = String(value);
    for (const [kind, spoilt] of spoilText(text, otherValues(text, observed))) {
      // A record that is itself named otherwise is another one, and may well be identified.
      if (named.some(({ key }) => foldKey(key) === foldKey(text))) continue;
      const answer = await tryCall(observed, { args: { ...call.input, [name]: spoilt } }, signal);
      if (answer !== undefined && identifies(answer, observed)) {
        return `it takes somebody for ${kind}: ${describeCall(call)} succeeds with ${name} ${JSON.stringify(spoilt)} as well`;
      }
    }
  }
  return undefined;
};

/** A tool that writes, outside all records, who somebody is: the key of a record that its arguments lead to. */
function isIdentification({ call, world }: ObservedCall): boolean {
  const { related } = findAsked(call.input, world);
  const keys = new Set(related.map(({ key }) => foldKey(key)));
  return call.change.some(
    (one) =>
      'value' in one &&
      one.op === 'replace' &&
      keys.has(foldKey(one.value)) &&
      !related.some(({ path }) => one.path.startsWith(path)),
  );
}

function identifies(answer: ToolCall, { call }: ObservedCall): boolean {
  const sets = call.change.filter((one) => 'value' in one && typeof one.value === 'string');
  return sets.length > 0 && sets.every((one) => answer.change.some((other) => sameJson(other, one)));
}

function spoilText(text: string, others: readonly string[]): [string, string][] {
  const spoilt: [string, string][] = [
    ['the beginning of what is asked', text.slice(0, -1)],
    ['nothing at all', ''],
    ['more than what is asked', `${text}0`],
    ...others.slice(0, 2).map((one): [string, string] => ['what belongs to another', one]),
  ];
  return spoilt.filter(([, one]) => foldKey(one) !== foldKey(text));
}

/** What other records of the same kind have where the asked one has this text. */
function otherValues(text: string, { call, world }: ObservedCall): string[] {
  const { related, others } = findAsked(call.input, world);
  return related.flatMap((record) =>
    Object.entries(record.value)
      .filter(([, value]) => foldKey(value) === foldKey(text))
      .flatMap(([field]) =>
        [...others, ...related]
          .filter((other) => other !== record && other.collection === record.collection)
          .map(({ value }) => value[field])
          .filter((value): value is string => typeof value === 'string'),
      ),
  );
}
