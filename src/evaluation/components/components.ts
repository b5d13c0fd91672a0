/** What Execute wrote, as it was loaded: specs of tools and checkers, and samples with their start worlds built. */
import type { CheckerSpec, ToolSpec } from '../../scenario/component.ts';
import type { JsonObject } from '../../scenario/json/json-value.ts';
import type { Sample } from '../../scenario/sample.ts';

/** A sample with its start world: `base` looked up, `patch` applied. */
export type LoadedSample = {
  sample: Sample;
  world: JsonObject;
  /** Where the base is large: it is named in traces, and sent once to each host. */
  base?: LargeWorld | undefined;
};

/** A world of `samples/worlds/` that is not carried along; the digest is that of its JSON. */
export type LargeWorld = { name: string; world: JsonObject; sha256: string };

/** Everything in the order of its ids; what could not be loaded is missing, and stands in the problems. */
export type Components = {
  tools: ToolSpec[];
  checkers: CheckerSpec[];
  samples: LoadedSample[];
  /** Worlds of `samples/worlds/` by the name of the file without its ending. */
  worlds: ReadonlyMap<string, JsonObject>;
  /** Those of them that are large, by what `worlds` holds. */
  large?: ReadonlyMap<JsonObject, LargeWorld>;
  paths: ComponentPaths;
};

/** `tools/<name>` or `checkers/<id>` -> the path of the file, which tells its language. */
export type ComponentPaths = ReadonlyMap<string, string>;

/** What was never loaded is named as it would be in JavaScript. */
export function pathOf(paths: ComponentPaths | undefined, folder: 'tools' | 'checkers', name: string): string {
  return paths?.get(`${folder}/${name}`) ?? `${folder}/${name}.mjs`;
}

/** A world as components name it: `base`, `base.json` and `samples/worlds/base.json` are the same. */
export function worldNamed(worlds: Components['worlds'], name: string): JsonObject | undefined {
  return worlds.get(name.replace(/^(samples\/)?(worlds\/)?/, '').replace(/\.json$/, ''));
}

/** Time that one call of generated code may take. */
export const CALL_TIMEOUT_MS = 5000;
