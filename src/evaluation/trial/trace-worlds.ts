/** Writes and reads the worlds of a trace: the start whole or, if large, by name; the end as changes to the start. */
import { HarnessError } from '../../errors.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch, diffJson } from '../../scenario/json/patch.ts';
import type { PatchOperation } from '../../scenario/sample.ts';
import type { TraceLineOf } from '../../scenario/trace.ts';
import { findWorld, type Components, type LargeWorld, type LoadedSample } from '../components/components.ts';

export type KnownWorlds = Pick<Components, 'worlds' | 'large'>;

export function startIn({ world, base }: LoadedSample): Pick<TraceLineOf<'start'>, 'world' | 'base'> {
  if (base === undefined) return { world };
  return { base: { name: base.name, sha256: base.sha256, patch: diffJson(base.world, world) } };
}

export function endIn({ world }: LoadedSample, after: JsonObject): Pick<TraceLineOf<'end'>, 'change'> {
  return { change: diffJson(world, after) };
}

/** The worlds that a trace begins and ends with. Contract: `version_mismatch` when it names a world that is not loaded. */
export function readTraceWorlds(
  { start, end, at }: { start: TraceLineOf<'start'>; end: TraceLineOf<'end'>; at: string },
  known: KnownWorlds | undefined,
): { before: JsonObject; after: JsonObject } {
  const before =
    start.base === undefined
      ? start.world
      : patchWorld(findBaseWorld(start.base, at, known), start.base.patch, `${at}:1`);
  if (before === undefined)
    throw new HarnessError('data_corrupt', `${at}:1: names no world: expected "world" or "base"`);
  const after = end.change === undefined ? end.world : patchWorld(before, end.change, `${at}: its end`);
  if (after === undefined)
    throw new HarnessError('data_corrupt', `${at}: its end names no world: expected "world" or "change"`);
  return { before, after };
}

function findBaseWorld(
  { name, sha256 }: Pick<LargeWorld, 'name' | 'sha256'>,
  at: string,
  known: KnownWorlds | undefined,
): JsonObject {
  const world = known === undefined ? undefined : findWorld(known.worlds, name);
  if (world !== undefined && known?.large?.get(world)?.sha256 === sha256) return world;
  const state = world === undefined ? 'is not here' : 'is another one here';
  throw new HarnessError('version_mismatch', `${at}: was played on samples/worlds/${name}.json, which ${state}`);
}

function patchWorld(world: JsonObject, patch: readonly PatchOperation[], place: string): JsonObject {
  const patched = applyPatch(world, patch);
  if (patched.ok) return patched.world;
  throw new HarnessError('data_corrupt', `${place}: does not fit its world: ${patched.fault}`);
}
