/** Rebuilds the start world of a trace from what its calls show; nothing is made up where they show too little. */
import { isJsonObject, sameJson, type JsonObject } from '../../scenario/json/json-value.ts';
import { validateJson } from '../../scenario/json/json-schema.ts';
import { splitPointer, valueAt } from '../../scenario/json/patch.ts';
import { isPlain, listFacts, resolvePlace, type CallWithWorld, type WorldPlace } from './world-places.ts';

export type RebuiltWorld = {
  world: JsonObject;
  /** Places that the design demands and that the trace does not show. */
  missing: string[];
  /** Places outside of records that all samples of the design begin with alike, and that the trace does not show. */
  assumed: { pointer: string; value: unknown }[];
};

export function rebuildWorld(
  calls: readonly CallWithWorld[],
  { places, schema, starts }: { places: readonly WorldPlace[]; schema: JsonObject; starts: readonly JsonObject[] },
): RebuiltWorld {
  const world: JsonObject = {};
  const facts = listFacts(calls);
  for (const fact of facts) {
    for (const place of places.filter(({ source }) => source === fact.source)) {
      const pointer = resolvePlace(place, fact, facts);
      if (pointer !== undefined && valueAt(world, pointer) === undefined)
        setAt(world, splitPointer(pointer), fact.value);
    }
  }
  const assumed: RebuiltWorld['assumed'] = [];
  fillSettings(world, { schema, starts, pointer: '' }, assumed);
  return { world, missing: validateJson(schema, world), assumed };
}

/** A prototype is no place of a world. */
const NO_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function setAt(world: JsonObject, keys: readonly string[], value: unknown): void {
  if (keys.some((key) => NO_KEYS.has(key))) return;
  let inner: JsonObject | unknown[] = world;
  for (const [place, key] of keys.entries()) {
    const next = keys[place + 1];
    const known: unknown = Reflect.get(inner, key);
    if (next === undefined) Reflect.set(inner, key, value);
    else if (isJsonObject(known) || Array.isArray(known)) inner = known;
    else {
      const made: JsonObject | unknown[] = /^\d{1,6}$/.test(next) ? [] : {};
      Reflect.set(inner, key, made);
      inner = made;
    }
  }
}

type Setting = { schema: unknown; starts: readonly unknown[]; pointer: string };

/** Goes through the parts that every world has; records, which differ from world to world, are left as they were shown. */
function fillSettings(world: JsonObject, { schema, starts, pointer }: Setting, assumed: RebuiltWorld['assumed']): void {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return;
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  for (const [key, own] of Object.entries(schema['properties'])) {
    const at = `${pointer}/${key}`;
    const begun = starts.flatMap((start) => (isJsonObject(start) && key in start ? [start[key]] : []));
    const type = isJsonObject(own) ? own['type'] : undefined;
    if (isJsonObject(own) && isJsonObject(own['properties'])) {
      const inner: unknown = world[key] ?? {};
      if (!isJsonObject(inner)) continue;
      fillSettings(inner, { schema: own, starts: begun, pointer: at }, assumed);
      if (Object.keys(inner).length > 0) world[key] = inner;
    } else if (world[key] === undefined && required.includes(key)) {
      if (type === 'array' || type === 'object') world[key] = type === 'array' ? [] : {};
      else if (begun.length > 0 && begun.every((one) => sameJson(one, begun[0]))) {
        world[key] = begun[0];
        if (!isPlain(begun[0])) assumed.push({ pointer: at, value: begun[0] });
      }
    }
  }
}
