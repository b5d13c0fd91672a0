/** Reads a components folder: files as data, modules by asking the sandbox what they export; never throws for their faults. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckerSpec, ToolSpec } from '../../scenario/component.ts';
import { isJsonObject, jsonFault, type JsonObject } from '../../scenario/json/json-value.ts';
import { applyPatch } from '../../scenario/json/patch.ts';
import { problem } from '../../scenario/attribution/problem-code.ts';
import type { Layer, Problem } from '../../scenario/result.ts';
import { Sample } from '../../scenario/sample.ts';
import { LARGE_WORLD_CHARS, MAX_WORLD_BYTES } from '../../scenario/world-limits.ts';
import type { Sandbox, SandboxSession } from '../../ports/sandbox.ts';
import {
  listComponentFiles,
  MODULE_ENDINGS,
  readJsonFiles,
  type ComponentFile,
  type ReadJson,
} from './component-files.ts';
import { CALL_TIMEOUT_MS, worldNamed, type Components, type LargeWorld, type LoadedSample } from './components.ts';
import { schemaIssues } from './schema-issues.ts';
import { openSessions } from './open-sessions.ts';
import type { z } from 'zod';

/** What could be loaded, and what could not. */
export type LoadedComponents = { components: Components; problems: Problem[] };

export async function loadComponents(dir: string, sandbox: Sandbox, signal: AbortSignal): Promise<LoadedComponents> {
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
): Promise<LoadedComponents> {
  const lists = await Promise.all([
    listComponentFiles(dir, 'tools', MODULE_ENDINGS, 2),
    listComponentFiles(dir, 'checkers', MODULE_ENDINGS, 3),
    listComponentFiles(dir, 'samples/worlds', ['.json'], 4, MAX_WORLD_BYTES),
    listComponentFiles(dir, 'samples', ['.json'], 4),
  ]);
  const [toolFiles, checkerFiles, worldFiles, sampleFiles] = lists.map(({ files }) => files) as FourLists;
  // Files are read while the hosts of the sandbox start.
  const [tools, checkers, [worlds, samples]] = await Promise.all([
    describeAll(session, toolFiles, { name: 'tool', key: 'name', schema: ToolSpec, layer: 2 }, signal),
    describeAll(session, checkerFiles, { name: 'checker', key: 'id', schema: CheckerSpec, layer: 3 }, signal),
    loadSamplesAndWorlds(dir, worldFiles, sampleFiles),
  ]);
  const found = [...lists, tools, checkers, worlds, samples].flatMap(({ problems }) => problems);
  const paths = new Map([...toolFiles, ...checkerFiles].map(({ path }) => [path.replace(/\.\w+$/, ''), path]));
  const loaded = { tools: tools.loaded, checkers: checkers.loaded, samples: samples.loaded, worlds: worlds.loaded };
  return { components: { ...loaded, large: worlds.large, paths }, problems: found };
}

type FourLists = [ComponentFile[], ComponentFile[], ComponentFile[], ComponentFile[]];

async function loadSamplesAndWorlds(
  dir: string,
  worldFiles: readonly ComponentFile[],
  sampleFiles: readonly ComponentFile[],
) {
  const worlds = await loadWorlds(dir, worldFiles);
  return [worlds, await loadSamples(dir, sampleFiles, worlds)] as const;
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
      refuse(outcome.message.startsWith(`${path} `) ? outcome.message.slice(path.length + 1) : outcome.message);
      continue;
    }
    // A few of each kind: it would cost more to compile the schema than to walk it.
    const parsed = kind.schema.safeParse(outcome.value, { jitless: true });
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

async function loadWorlds(dir: string, files: readonly ComponentFile[]): Promise<Worlds & { problems: Problem[] }> {
  const loaded = new Map<string, JsonObject>();
  const large = new Map<JsonObject, LargeWorld>();
  const problems: Problem[] = [];
  for (const { path, name, ...read } of await readJsonFiles(dir, files)) {
    const fault = read.ok
      ? isJsonObject(read.value)
        ? jsonFault(read.value)
        : 'a world must be an object'
      : read.fault;
    if (fault !== undefined || !read.ok) {
      problems.push(problem('world-invalid', path, `${path}: ${fault}`));
      continue;
    }
    const world = read.value as JsonObject;
    loaded.set(name, world);
    const text = read.chars < LARGE_WORLD_CHARS ? '' : JSON.stringify(world);
    if (text.length >= LARGE_WORLD_CHARS)
      large.set(world, { name, world, sha256: createHash('sha256').update(text).digest('hex') });
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
  const problems: Problem[] = [];
  for (const { path, name, ...read } of await readJsonFiles(dir, files)) {
    const { sample, faults } = sampleOf(read, name);
    const start = sample === undefined ? undefined : startWorld(sample, worlds);
    if (sample !== undefined && typeof start === 'object') loaded.push({ sample, ...start });
    const told = typeof start === 'string' ? [['world-invalid', start] as const] : [];
    for (const [code, fault] of [...faults.map((one) => ['schema', one] as const), ...told]) {
      problems.push(problem(code, name, `${await placeOf(dir, path, fault)}: ${fault}`, { sample: name }));
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

/** `samples/x.json:12` where the line can be told. */
async function placeOf(dir: string, path: string, fault: string): Promise<string> {
  const { lineInJson } = await import('./line-in-json.ts');
  const line = lineInJson(await readFile(join(dir, path), 'utf8').catch(() => ''), fault);
  return line === undefined ? path : `${path}:${line}`;
}

/** `sample` only when nothing is wrong with it. */
function sampleOf(read: ReadJson, name: string): { sample?: Sample; faults: string[] } {
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
  const base = worldNamed(loaded, start.base);
  if (base === undefined) {
    return `/start/base: there is no world "${start.base}" in samples/worlds (there are: ${[...loaded.keys()].join(', ')})`;
  }
  const patched = applyPatch(base, start.patch);
  if (!patched.ok) return `/start/patch: ${patched.fault}`;
  const named = large.get(base);
  return { world: patched.world, ...(named === undefined ? {} : { base: named }) };
}
