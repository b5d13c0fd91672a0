/** Reads a components folder: files as data, modules through the sandbox. Never throws for their faults. */
import { sha256 } from '../../disk/sha256.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckerSpec, SERVED_ENDING, ToolSpec } from '../../scenario/component.ts';
import { isJsonObject, jsonFault, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch } from '../../scenario/json/patch.ts';
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { Layer, Problem } from '../../scenario/result.ts';
import { Sample } from '../../scenario/sample.ts';
import { LARGE_WORLD_CHARS, MAX_WORLD_BYTES } from '../../scenario/world-limits.ts';
import type { Sandbox, OpenSandbox } from '../../ports/sandbox.ts';
import {
  findAmbiguities,
  listComponentFiles,
  MODULE_ENDINGS,
  readJsonFiles,
  TOOL_ENDINGS,
  type ComponentFile,
  type ReadJson,
} from './component-files.ts';
import { CALL_TIMEOUT_MS, findWorld, type Components, type LargeWorld, type LoadedSample } from './components.ts';
import { schemaIssues } from './schema-issues.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { loadGraders } from '../graders/load-graders.ts';
import type { z } from 'zod';

export type LoadedComponents = { components: Components; problems: Problem[] };

export async function loadComponents(dir: string, sandbox: Sandbox, signal: AbortSignal): Promise<LoadedComponents> {
  const session = await sandbox.open(dir);
  try {
    return await loadInSession(session, dir, signal);
  } finally {
    await session.close();
  }
}

/** Loads only worlds, samples and graders, which are data and need no sandbox. */
export async function loadData(
  dir: string,
): Promise<Pick<Components, 'samples' | 'worlds' | 'large'> & Required<Pick<Components, 'graders'>>> {
  const worldFiles = { folder: 'samples/worlds', endings: ['.json'], layer: 4, maxBytes: MAX_WORLD_BYTES } as const;
  const worlds = await loadWorlds(dir, (await listComponentFiles(dir, worldFiles)).files);
  const { files } = await listComponentFiles(dir, { folder: 'samples', endings: ['.json'], layer: 4 });
  const [samples, graders] = await Promise.all([loadSamples(dir, files, worlds), loadGraders(dir)]);
  return { samples: samples.loaded, worlds: worlds.loaded, large: worlds.large, graders: graders.loaded };
}

/** Loads like `loadComponents`, through a session that is already open on `dir`. */
export async function loadInSession(session: OpenSandbox, dir: string, signal: AbortSignal): Promise<LoadedComponents> {
  const lists = await Promise.all([
    listComponentFiles(dir, { folder: 'tools', endings: TOOL_ENDINGS, layer: 2 }),
    listComponentFiles(dir, { folder: 'checkers', endings: MODULE_ENDINGS, layer: 3 }),
    listComponentFiles(dir, { folder: 'samples/worlds', endings: ['.json'], layer: 4, maxBytes: MAX_WORLD_BYTES }),
    listComponentFiles(dir, { folder: 'samples', endings: ['.json'], layer: 4 }),
  ]);
  const [{ files: toolFiles }, { files: checkerFiles }, { files: worldFiles }, { files: sampleFiles }] = lists;
  // Files are read while the hosts of the sandbox start.
  const [tools, checkers, graders, [worlds, samples]] = await Promise.all([
    describeTools(session, toolFiles, signal),
    describeAll(session, { files: checkerFiles, export: 'checker', key: 'id', schema: CheckerSpec, layer: 3 }, signal),
    loadGraders(dir),
    loadWorlds(dir, worldFiles).then(async (read) => [read, await loadSamples(dir, sampleFiles, read)] as const),
  ]);
  const found = [...lists, tools, checkers, graders, worlds, samples].flatMap(({ problems }) => problems);
  const inFolder = (folder: string, files: ComponentFile[]) =>
    files.map(({ name, path }) => [`${folder}/${name}`, path] as const);
  const paths = new Map([...inFolder('tools', toolFiles), ...inFolder('checkers', checkerFiles)]);
  const loaded = { tools: tools.loaded, checkers: checkers.loaded, samples: samples.loaded, worlds: worlds.loaded };
  const more = graders.loaded.length === 0 ? {} : { graders: graders.loaded };
  return { components: { ...loaded, ...more, large: worlds.large, paths }, problems: found };
}

type Modules<Schema extends z.ZodType> = {
  files: readonly ComponentFile[];
  export: string;
  key: 'name' | 'id';
  schema: Schema;
  layer: Layer;
};

/** Tools alone, as their files export them. */
export function describeTools(
  session: OpenSandbox,
  files: readonly ComponentFile[],
  signal: AbortSignal,
): Promise<{ loaded: ToolSpec[]; problems: Problem[] }> {
  return describeAll(session, { files, export: 'tool', key: 'name', schema: ToolSpec, layer: 2 }, signal);
}

async function describeAll<Schema extends z.ZodType<Record<string, unknown>>>(
  session: OpenSandbox,
  { files, export: name, key, schema, layer }: Modules<Schema>,
  signal: AbortSignal,
): Promise<{ loaded: z.infer<Schema>[]; problems: Problem[] }> {
  const loaded: z.infer<Schema>[] = [];
  const problems: Problem[] = [];
  for (const { path, name: fileName } of files) {
    const refuse = (message: string): void =>
      void problems.push({ ...createProblem('schema', fileName, `${path}: ${message}`), layer });
    const outcome = await session.call({ module: path, name, args: [], timeoutMs: CALL_TIMEOUT_MS }, signal);
    if (!outcome.ok && outcome.kind === 'bad_module' && path.endsWith(SERVED_ENDING)) {
      refuse('it names a tool of a server, and no scenario.yaml with tools.mcp belongs to this folder here');
      continue;
    }
    if (!outcome.ok) {
      refuse(outcome.message.startsWith(`${path} `) ? outcome.message.slice(path.length + 1) : outcome.message);
      continue;
    }
    // Without JIT: there are few specs, so compiling the schema would cost more than interpreting it.
    const parsed = schema.safeParse(outcome.value, { jitless: true });
    if (!parsed.success) {
      for (const issue of schemaIssues(parsed.error, COMPONENT_KEYS)) refuse(`export "${name}" ${issue}`);
    } else if (parsed.data[key] !== fileName) {
      refuse(`its ${key} is "${String(parsed.data[key])}"; it must be "${fileName}", as the file is named`);
    } else if (fileName === 'expect') {
      refuse('"expect" is the name of the built-in check; choose another');
    } else {
      loaded.push(parsed.data);
    }
  }
  return { loaded, problems };
}

async function loadWorlds(dir: string, files: readonly ComponentFile[]): Promise<Worlds & { problems: Problem[] }> {
  const loaded = new Map<string, JsonObject>();
  const large = new Map<JsonObject, LargeWorld>();
  const written = await readJsonFiles(dir, files);
  const problems = findAmbiguities(written);
  for (const { path, name, ...read } of written) {
    const world = read.ok ? read.value : undefined;
    const fault = !read.ok ? read.fault : isJsonObject(world) ? jsonFault(world) : 'a world must be an object';
    if (fault !== undefined || !isJsonObject(world)) {
      const line = read.ok || read.line === undefined ? '' : `:${read.line}`;
      problems.push(createProblem('world-invalid', path, `${path}${line}: ${fault}`));
      continue;
    }
    loaded.set(name, world);
    const text = !read.ok || read.chars < LARGE_WORLD_CHARS ? '' : JSON.stringify(world);
    if (text.length >= LARGE_WORLD_CHARS) large.set(world, { name, world, sha256: sha256(text) });
  }
  return { loaded, large, problems };
}

type Worlds = { loaded: Map<string, JsonObject>; large: Map<JsonObject, LargeWorld> };

async function loadSamples(
  dir: string,
  files: readonly ComponentFile[],
  worlds: Worlds,
): Promise<{ loaded: LoadedSample[]; problems: Problem[] }> {
  const loaded: LoadedSample[] = [];
  const written = await readJsonFiles(dir, files);
  const problems = findAmbiguities(written).map((found) => ({ ...found, sample: found.component }));
  for (const { path, name, ...read } of written) {
    const { sample, faults } = parseSample(read, name);
    const start = sample === undefined ? undefined : startWorld(sample, worlds);
    if (sample !== undefined && typeof start === 'object') loaded.push({ sample, ...start });
    const code = typeof start === 'string' ? 'world-invalid' : 'schema';
    for (const fault of typeof start === 'string' ? [start] : faults) {
      const place = read.ok ? await locateFault(dir, path, fault) : `${path}:${read.line ?? 1}`;
      const message = `${place}: ${fault}`;
      problems.push({ ...createProblem(code, name, message), sample: name });
    }
  }
  return { loaded, problems };
}

const SAMPLE_KEYS = [
  ...Object.keys(Sample.shape),
  ...[Sample.shape.user, Sample.shape.expect].flatMap(({ shape }) => Object.keys(shape)),
  ...['world', 'base', 'patch', 'steps', 'seconds', 'usd', 'tool', 'args', 'when', 'calls', 'says', 'any', 'any_of'],
];
const COMPONENT_KEYS = [...Object.keys(ToolSpec.shape), ...Object.keys(CheckerSpec.shape), 'input', 'world'];

/** Returns `samples/x.json:12` when the line can be found, else the path alone. */
async function locateFault(dir: string, path: string, fault: string): Promise<string> {
  const { lineInJson } = await import('./line-in-json.ts');
  const line = lineInJson(await readFile(join(dir, path), 'utf8').catch(() => ''), fault);
  return line === undefined ? path : `${path}:${line}`;
}

/** Parses a sample; `sample` is set only when it has no faults. */
function parseSample(read: ReadJson, name: string): { sample?: Sample; faults: string[] } {
  if (!read.ok) return { faults: [read.fault] };
  const fault = jsonFault(read.value);
  if (fault !== undefined) return { faults: [fault] };
  const parsed = Sample.safeParse(read.value);
  if (!parsed.success) return { faults: schemaIssues(parsed.error, SAMPLE_KEYS) };
  const { id } = parsed.data;
  if (id === name) return { sample: parsed.data, faults: [] };
  return { faults: [`/id: it is "${id}"; it must be "${name}", as the file is named`] };
}

/** The world a sample starts from, or why there is none. */
function startWorld({ start }: Sample, { loaded, large }: Worlds): Omit<LoadedSample, 'sample'> | string {
  if ('world' in start) return { world: start.world };
  const base = findWorld(loaded, start.base);
  if (base === undefined) {
    return `/start/base: there is no world "${start.base}" in samples/worlds (there are: ${[...loaded.keys()].join(', ')})`;
  }
  const patched = applyPatch(base, start.patch);
  if (!patched.ok) return `/start/patch: ${patched.fault}`;
  return omitUndefined({ world: patched.world, base: large.get(base) });
}
