/**
 * Learns from a design's own samples which parts of the world its tools show: a place counts when its value stands in what
 * was said or answered in every sample, and another value there changes the answer. Coincidence alone teaches nothing.
 */
import { callTool, type Stage } from '../../evaluation/components/call-tool.ts';
import { isJsonObject, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch, joinPointer, valueAt } from '../../scenario/json/patch.ts';

/** A call with its answer; `world` is the one before it, and is not known of a trace. */
export type CallWithWorld = { tool: string; args: JsonObject; output: unknown; is_error: boolean; world?: JsonObject };

/** A value in a call: `source` names its place in all calls alike, `indices` its places within lists. */
export type ShownFact = { source: string; value: unknown; indices: string[]; call: number };

/** `#` stands for the place in a list, and `{source}` for a key that was itself shown. */
export type WorldPlace = { source: string; tokens: string[] };

const KEY = /^\{(.*)\}$/s;
const MOST_PLACES_A_FACT = 12;

/** Facts of the answers and the arguments of calls, in their order. */
export function listFacts(calls: readonly CallWithWorld[]): ShownFact[] {
  return calls.flatMap((observed, call) => {
    const kind = `${observed.tool} ${describeAnswer(observed)}`;
    return [
      ...listLeaves(observed.output).map(([keys, value]) => toFact(`${kind} output`, keys, value)),
      ...listLeaves(observed.args).map(([keys, value]) => toFact(`${kind} args`, keys, value)),
    ].map((fact) => ({ ...fact, call }));
  });
}

/** Answers of yes and of no show different things; a truth value deeper within is a fact like others. */
export function describeAnswer({ output, is_error: isError }: CallWithWorld): string {
  const switches = isJsonObject(output) ? Object.entries(output).filter(([, value]) => typeof value === 'boolean') : [];
  return JSON.stringify([isError, ...switches]);
}

function toFact(kind: string, keys: readonly string[], value: unknown): Omit<ShownFact, 'call'> {
  const general = keys.map((key) => (isIndex(key) ? '#' : key));
  return { source: `${kind}${joinPointer(general)}`, value, indices: keys.filter(isIndex) };
}

/** The pointer into the world of one conversation; undefined when a key was not shown, or in two ways. */
export function resolvePlace(
  { tokens }: WorldPlace,
  { indices, call }: ShownFact,
  facts: readonly ShownFact[],
): string | undefined {
  const left = [...indices];
  const keys = tokens.map((token) => {
    if (token === '#') return left.shift();
    const source = KEY.exec(token)?.[1];
    if (source === undefined) return token;
    const told = facts.filter((fact) => fact.source === source);
    const own = told.filter((fact) => fact.call === call);
    const values = new Set((own.length > 0 ? own : told).map(({ value }) => value));
    const [value] = values;
    return values.size === 1 && typeof value === 'string' ? value : undefined;
  });
  return keys.every((key) => key !== undefined) ? joinPointer(keys) : undefined;
}

/** `plays`: the calls of each sample, with the worlds before them. */
export async function learnPlaces(
  plays: readonly { calls: readonly CallWithWorld[]; stage: Stage }[],
  signal: AbortSignal,
): Promise<WorldPlace[]> {
  const seen = plays.map(({ calls, stage }) => ({ calls, stage, facts: listFacts(calls) }));
  const proposed = new Map<string, WorldPlace>();
  for (const { calls, facts } of seen) {
    for (const fact of facts) {
      const world = calls[fact.call]?.world;
      for (const place of world === undefined ? [] : proposePlaces(fact, facts, world))
        proposed.set(JSON.stringify(place), place);
    }
  }
  const learned: WorldPlace[] = [];
  for (const place of proposed.values()) {
    const shown = seen.flatMap((play) =>
      play.facts.filter(({ source }) => source === place.source).map((fact) => ({ ...play, fact })),
    );
    const held = shown.filter(({ calls, facts, fact }) => {
      const pointer = resolvePlace(place, fact, facts);
      return pointer !== undefined && sameJson(valueAt(calls[fact.call]?.world, pointer), fact.value);
    });
    if (held.length === shown.length && (await isRead(place, held, signal))) learned.push(place);
  }
  return learned;
}

function proposePlaces(fact: ShownFact, facts: readonly ShownFact[], world: JsonObject): WorldPlace[] {
  const name = fact.source.split('/').findLast((key) => key !== '#');
  const alike = listLeaves(world).filter(([keys, value]) => {
    if (!sameJson(value, fact.value)) return false;
    return !isPlain(value) || keys.findLast((key) => !isIndex(key)) === name;
  });
  return alike.slice(0, MOST_PLACES_A_FACT).flatMap(([keys]) => {
    const [first, ...rest] = keys;
    if (first === undefined || keys.filter(isIndex).join() !== fact.indices.join()) return [];
    let ways: string[][] = [[first]];
    for (const key of rest) {
      const told = isIndex(key) ? [] : listSources(key, fact, facts);
      const next = isIndex(key) ? ['#'] : told.length === 0 ? [key] : told.map((source) => `{${source}}`);
      ways = ways.flatMap((way) => next.map((token) => [...way, token])).slice(0, MOST_PLACES_A_FACT);
    }
    return ways.map((tokens) => ({ source: fact.source, tokens }));
  });
}

/** Facts that hold a key, those of the same call first. */
function listSources(key: string, { source, call }: ShownFact, facts: readonly ShownFact[]): string[] {
  const told = facts.filter((fact) => fact.value === key && fact.source !== source);
  const near = told.toSorted((one, other) => Number(other.call === call) - Number(one.call === call));
  return [...new Set(near.map((fact) => fact.source))].slice(0, 4);
}

type HeldFact = { calls: readonly CallWithWorld[]; stage: Stage; facts: readonly ShownFact[]; fact: ShownFact };

/** Another value at the place must change what the tool answers: in the same place, where the answer showed it. */
async function isRead(place: WorldPlace, held: readonly HeldFact[], signal: AbortSignal): Promise<boolean> {
  for (const { calls, stage, facts, fact } of held.slice(0, 3)) {
    const call = calls[fact.call];
    const pointer = resolvePlace(place, fact, facts);
    if (call?.world === undefined || pointer === undefined) continue;
    const value = changeValue(fact.value);
    const changed = applyPatch(call.world, [{ op: 'replace', path: pointer, value }]);
    if (!changed.ok) continue;
    const { output, is_error } = await callTool(stage, { ...call, world: changed.world }, signal);
    const isArgument = fact.source.includes(' args/');
    const again = listFacts([{ ...call, output, is_error }]);
    const isShown = again.some((one) => one.source === fact.source && sameJson(one.value, value));
    if (
      isArgument || typeof value === 'object' || typeof value === 'boolean' ? !sameJson(output, call.output) : isShown
    )
      return true;
  }
  return false;
}

function changeValue(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return value === null ? 'x' : Array.isArray(value) ? [{}] : { x: {} };
}

/** Values that two places often share by chance, and that say of nothing that it is there. */
export function isPlain(value: unknown): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  return value === '' || value === 0 || value === 1 || typeof value === 'boolean';
}

function isIndex(key: string): boolean {
  return /^\d{1,6}$/.test(key);
}

/** Scalars and empty containers with the keys that lead to them. */
export function listLeaves(value: unknown, keys: readonly string[] = []): [string[], unknown][] {
  const inner = Array.isArray(value) || isJsonObject(value) ? Object.entries(value) : [];
  if (inner.length === 0) return [[[...keys], value]];
  return inner.flatMap(([key, one]) => listLeaves(one, [...keys, key]));
}
