/** Reads a components folder: files as data, modules by asking the sandbox what they export; never throws for their faults. */
import { CheckerSpec, ToolSpec } from '../scenario/component.ts';
import { isJsonObject, jsonFault, type JsonObject } from '../scenario/json-value.ts';
import { applyPatch } from '../scenario/patch.ts';
import { problem } from '../scenario/problem-code.ts';
import type { Layer, Problem } from '../scenario/result.ts';
import { Sample } from '../scenario/sample.ts';
import type { Sandbox, SandboxSession } from '../ports/sandbox.ts';
import { listFiles, MODULE_ENDINGS, readJson, type ComponentFile } from './component-files.ts';
import { CALL_TIMEOUT_MS, worldNamed, type Components, type LoadedSample } from './components.ts';
import { schemaIssues } from './schema-issues.ts';
import { openSessions } from './open-sessions.ts';
import type { z } from 'zod';

export async function loadComponents(
  dir: string,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<{ components: Components; problems: Problem[] }> {
  const session = await openSessions(sandbox, dir, 1);
  try {
    return await loadThrough(session, dir, signal);
  } finally {
    await session.close();
  }
}

/** The same through a session that is already open on `dir`. */
export async function loadThrough(
  session: SandboxSession,
  dir: string,
  signal: AbortSignal,
): Promise<{ components: Components; problems: Problem[] }> {
  const problems: Problem[] = [];
  const list = async (folder: string, endings: readonly string[], layer: Layer): Promise<ComponentFile[]> => {
    const found = await listFiles(dir, folder, endings, layer);
    problems.push(...found.problems);
    return found.files;
  };
  const toolFiles = await list('tools', MODULE_ENDINGS, 2);
  const checkerFiles = await list('checkers', MODULE_ENDINGS, 3);
  const [worldFiles, sampleFiles] = [await list('samples/worlds', ['.json'], 4), await list('samples', ['.json'], 4)];
  const tools = await describeAll(
    session,
    toolFiles,
    { name: 'tool', key: 'name', schema: ToolSpec, layer: 2 },
    signal,
  );
  const checkers = await describeAll(
    session,
    checkerFiles,
    { name: 'checker', key: 'id', schema: CheckerSpec, layer: 3 },
    signal,
  );
  const worlds = await loadWorlds(dir, worldFiles);
  const samples = await loadSamples(dir, sampleFiles, worlds.loaded);
  problems.push(...tools.problems, ...checkers.problems, ...worlds.problems, ...samples.problems);
  const components = {
    tools: tools.loaded,
    checkers: checkers.loaded,
    samples: samples.loaded,
    worlds: worlds.loaded,
    paths: new Map([...toolFiles, ...checkerFiles].map(({ path }) => [path.replace(/\.\w+$/, ''), path])),
  };
  return { components, problems };
}

type Kind<Schema extends z.ZodType> = { name: string; key: 'name' | 'id'; schema: Schema; layer: Layer };

async function describeAll<Schema extends z.ZodType<Record<string, unknown>>>(
  session: SandboxSession,
  files: readonly ComponentFile[],
  kind: Kind<Schema>,
  signal: AbortSignal,
): Promise<{ loaded: z.infer<Schema>[]; problems: Problem[] }> {
  const loaded: z.infer<Schema>[] = [];
  const problems: Problem[] = [];
  for (const { path, name } of files) {
    const refuse = (message: string): void =>
      void problems.push(problem('schema', name, `${path}: ${message}`, { layer: kind.layer }));
    const outcome = await session.call(path, kind.name, [], CALL_TIMEOUT_MS, signal);
    if (!outcome.ok) {
      refuse(outcome.message);
      continue;
    }
    const parsed = kind.schema.safeParse(outcome.value);
    if (!parsed.success) {
      for (const issue of schemaIssues(parsed.error, COMPONENT_KEYS)) refuse(`export "${kind.name}" ${issue}`);
    } else if (parsed.data[kind.key] !== name) {
      refuse(`its ${kind.key} is "${String(parsed.data[kind.key])}"; it must be "${name}", as the file is named`);
    } else if (name === 'expect') {
      refuse('"expect" is the name of the built-in check; choose another');
    } else {
      loaded.push(parsed.data);
    }
  }
  return { loaded, problems };
}

async function loadWorlds(
  dir: string,
  files: readonly ComponentFile[],
): Promise<{ loaded: Map<string, JsonObject>; problems: Problem[] }> {
  const loaded = new Map<string, JsonObject>();
  const problems: Problem[] = [];
  for (const { path, name } of files) {
    const read = await readJson(dir, path);
    const fault = read.ok
      ? isJsonObject(read.value)
        ? jsonFault(read.value)
        : 'a world must be an object'
      : read.fault;
    if (fault === undefined && read.ok) loaded.set(name, read.value as JsonObject);
    else problems.push(problem('world-invalid', path, `${path}: ${fault}`));
  }
  return { loaded, problems };
}

async function loadSamples(
  dir: string,
  files: readonly ComponentFile[],
  worlds: Components['worlds'],
): Promise<{ loaded: LoadedSample[]; problems: Problem[] }> {
  const loaded: LoadedSample[] = [];
  const problems: Problem[] = [];
  for (const { path, name } of files) {
    const read = await readJson(dir, path);
    const faults = read.ok ? sampleFaults(read.value, name) : [read.fault];
    problems.push(...faults.map((fault) => problem('schema', name, `${path}: ${fault}`, { sample: name })));
    if (faults.length > 0 || !read.ok) continue;
    const sample = Sample.parse(read.value);
    const start = startWorld(sample, worlds);
    if (typeof start === 'string') problems.push(problem('world-invalid', name, `${path}: ${start}`, { sample: name }));
    else loaded.push({ sample, world: start });
  }
  return { loaded, problems };
}

const SAMPLE_KEYS = [
  ...Object.keys(Sample.shape),
  ...[Sample.shape.user, Sample.shape.expect].flatMap(({ shape }) => Object.keys(shape)),
  ...['world', 'base', 'patch', 'steps', 'seconds', 'usd', 'tool', 'args', 'when', 'calls', 'says', 'any', 'any_of'],
];
const COMPONENT_KEYS = [...Object.keys(ToolSpec.shape), ...Object.keys(CheckerSpec.shape), 'input', 'world'];

function sampleFaults(value: unknown, name: string): string[] {
  const fault = jsonFault(value);
  if (fault !== undefined) return [fault];
  const parsed = Sample.safeParse(value);
  if (!parsed.success) return schemaIssues(parsed.error, SAMPLE_KEYS);
  return parsed.data.id === name ? [] : [`/id: it is "${parsed.data.id}"; it must be "${name}", as the file is named`];
}

/** The world a sample starts from, or why there is none. */
function startWorld({ start }: Sample, worlds: Components['worlds']): JsonObject | string {
  if ('world' in start) return start.world;
  const base = worldNamed(worlds, start.base);
  if (base === undefined) {
    return `/start/base: there is no world "${start.base}" in samples/worlds (there are: ${[...worlds.keys()].join(', ')})`;
  }
  const patched = applyPatch(base, start.patch);
  return patched.ok ? patched.world : `/start/patch: ${patched.fault}`;
}
