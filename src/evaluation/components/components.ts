/** The components that Execute wrote, as loaded: specs of tools and checkers, and samples with their start worlds. */
import type { CheckerSpec, ToolSpec } from '../../scenario/component.ts';
import type { GraderSpec } from '../../scenario/grader.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import type { Sample } from '../../scenario/sample.ts';

/** A sample with its start world: `base` looked up, `patch` applied. */
export type LoadedSample = {
  sample: Sample;
  world: JsonObject;
  /** Only a large base: traces name it, and each host receives it once. */
  base?: LargeWorld | undefined;
};

/** One play of a sample, counted from 1. */
export type Trial = { loaded: LoadedSample; trial: number };

/** A world of `samples/worlds/` that is passed by name; the digest is that of its JSON. */
export type LargeWorld = { name: string; world: JsonObject; sha256: string };

/** Everything in the order of its ids; components that could not be loaded are missing and reported. */
export type Components = {
  tools: ToolSpec[];
  checkers: CheckerSpec[];
  /** Absent where there are none. */
  graders?: GraderSpec[];
  samples: LoadedSample[];
  /** Worlds of `samples/worlds/` by file name without its ending. */
  worlds: ReadonlyMap<string, JsonObject>;
  /** The large ones of `worlds`; the key is their value there. */
  large?: ReadonlyMap<JsonObject, LargeWorld>;
  paths: ComponentPaths;
};

/** `tools/<name>` or `checkers/<id>` -> the path of the file, whose ending names its language. */
export type ComponentPaths = ReadonlyMap<string, string>;

/** A component that was not loaded is named as a JavaScript file. */
export function getComponentPath(
  paths: ComponentPaths | undefined,
  folder: 'tools' | 'checkers',
  name: string,
): string {
  return paths?.get(`${folder}/${name}`) ?? `${folder}/${name}.mjs`;
}

/** A world as components name it (`base`, `base.json` and `samples/worlds/base.json` are the same) or write it out. */
export function findWorld(worlds: Components['worlds'], world: string | JsonObject): JsonObject | undefined {
  return typeof world === 'string' ? worlds.get(bareName(world)) : world;
}

/** The path of the file of a world. */
export function worldFile(name: string): string {
  return `samples/worlds/${bareName(name)}.json`;
}

function bareName(name: string): string {
  return name.replace(/^(samples\/)?(worlds\/)?/, '').replace(/\.json$/, '');
}

/** Time limit of one call of generated code. */
export const CALL_TIMEOUT_MS = 5000;
