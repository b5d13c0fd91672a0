/** What Execute wrote, as it was loaded: specs of tools and checkers, and samples with their start worlds built. */
import type { CheckerSpec, ToolSpec } from '../scenario/component.ts';
import type { JsonObject } from '../scenario/json-value.ts';
import type { Sample } from '../scenario/sample.ts';

/** A sample with its start world: `base` looked up, `patch` applied. */
export type LoadedSample = { sample: Sample; world: JsonObject };

/** Everything in the order of its ids; what could not be loaded is missing, and stands in the problems. */
export type Components = {
  tools: ToolSpec[];
  checkers: CheckerSpec[];
  samples: LoadedSample[];
  /** Worlds of `samples/worlds/` by the name of the file without its ending. */
  worlds: ReadonlyMap<string, JsonObject>;
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
