/** Loads a project's `tandem.config.ts` once and checks it, names the file in every fault, and gives agents their plugins. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
// By name it could not even be linked by a Node that is too old to have it.
import * as nodeModule from 'node:module';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { findSyntaxError } from '../disk/find-syntax-error.ts';
import { createConfigError, isHarnessError, describeError } from '../errors.ts';
import { getOrCreate } from '../get-or-create.ts';
import { nearestWord } from '../evaluation/components/schema-issues.ts';
import { PLUGIN_PREFIX } from '../ports/plugins/plugins.ts';
import type { PluginKind, PluginPass, Plugins, TandemConfig } from '../ports/plugins/plugins.ts';
import { isWritableByOthers, type Home, findFile } from './home.ts';
import { readFile } from 'node:fs/promises';
import { Script } from 'node:vm';
import type { AgentDefinition } from '../agent/definition.ts';
import type { PassAttempt, PluginPasses } from '../context/passes/cut-draft.ts';
import type { Policy } from '../context/policy.ts';

const FILES = ['ts', 'mts', 'mjs', 'js'].map((ending) => `tandem.config.${ending}`);
/** Time limit for loading, so that a file that never finishes cannot block a command. */
const LOAD_MS = 20_000;

const Name = z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/, 'expected small letters, digits, - and _');
const code = <Value>() => z.custom<Value>((value) => typeof value === 'function', 'expected a function');
type PluginEntry<Kind extends PluginKind> = NonNullable<TandemConfig[Kind]>[string];

const ToolSchema = z.strictObject({
  description: z.string().min(1),
  input_schema: z.looseObject({ type: z.literal('object') }),
  seconds: z.number().positive().max(3600).optional(),
  run: code<PluginEntry<'tools'>['run']>(),
});
const PluginsSchema = z.strictObject({
  passes: z.record(Name, code<PluginEntry<'passes'>>()).default({}),
  tools: z.record(Name, ToolSchema).default({}),
  subjects: z.record(Name, code<PluginEntry<'subjects'>>()).default({}),
});

/** Kinds that earlier versions had, and what takes their place. */
const REMOVED_KINDS: Readonly<Record<string, string>> = {
  graders: '. This kind was removed: name a model in the grader, or write a checker',
  notices: '. This kind was removed: send notices to a webhook of yours (docs/notices.md)',
  sandboxes: '. This kind was removed: choose bubblewrap or quickjs (sandbox.use)',
};

export const PLUGIN_KINDS = Object.keys(PluginsSchema.shape) as PluginKind[];

const pluginsByProject = new Map<string, Promise<Plugins>>();

/** Contract: `config_invalid` when there is a file that cannot be used; without a file there are no plugins. */
export function loadPlugins(home: Home): Promise<Plugins> {
  return getOrCreate(pluginsByProject, home.project, () => readPlugins(home));
}

async function readPlugins({ project, distrusted }: Home): Promise<Plugins> {
  const found = FILES.filter((name) => existsSync(join(project, name)));
  const [file] = found;
  const fault = createFaultFactory(project, file ?? '');
  if (file === undefined) return { ...PluginsSchema.parse({}), file, fault };
  if (found.length > 1) throw createConfigError(`${found.join(' and ')}: there can be one; take the others away.`);
  if (distrusted !== undefined)
    throw createConfigError(`${file}: it is not loaded, because of its project ${distrusted}.`);
  refuseForeign(project, project);
  const path = join(project, file);
  const parsed = PluginsSchema.safeParse(await importPlugins(path, project));
  if (parsed.success) return { ...parsed.data, file, fault };
  const text = readFileSync(path, 'utf8').split('\n');
  const complaints = parsed.error.issues.map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : issue.path.map(String);
    const line = text.findIndex((one) => keys.length > 0 && new RegExp(`\\b${keys.at(-1)}\\b`).test(one)) + 1;
    const near =
      issue.code === 'unrecognized_keys' ? nearestWord(keys[0] ?? '', Object.keys(PluginsSchema.shape)) : undefined;
    const hint = REMOVED_KINDS[keys[0] ?? ''] ?? (near === undefined ? '' : `. Did you mean "${near}"?`);
    const what = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return `${file}${line === 0 ? '' : `:${line}`}: ${issue.path.join('.') || 'default export'}: ${what}${hint}`;
  });
  throw createConfigError(complaints.join('\n'));
}

/** Imports the file unless another user can change it or a file that it imports. */
async function importPlugins(path: string, project: string): Promise<unknown> {
  let latest = path;
  const hooks = nodeModule.registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) {
        latest = fileURLToPath(url);
        refuseForeign(latest, project);
      }
      return next(url, context);
    },
  });
  const late = new AbortController();
  try {
    refuseForeign(path, project);
    const tooLate = delay(LOAD_MS, undefined, { signal: late.signal }).then(() => {
      throw new Error(`it has not loaded within ${LOAD_MS / 1000} s`);
    });
    // The timeout that loses the race may still reject.
    tooLate.catch(() => undefined);
    // The export may be a promise, which may reject as the file itself may throw.
    const loading = import(pathToFileURL(path).href).then((module: { default?: unknown }) => module.default);
    return (await Promise.race([loading, tooLate])) ?? {};
  } catch (error) {
    if (isHarnessError(error)) throw error;
    const unread = isSyntaxError(error) ? findSyntaxError(project, relative(project, latest)) : undefined;
    const place = findThrowingLine(error, project) ?? (await unread) ?? relative(project, path);
    throw createConfigError(`${place}: cannot be loaded: ${describeError(error)}`, error);
  } finally {
    late.abort();
    hooks.deregister();
  }
}

/** Compares the name, because the error may come from another realm. */
function isSyntaxError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'SyntaxError';
}

function refuseForeign(path: string, project: string): void {
  if (!isWritableByOthers(path)) return;
  const shown = relative(project, path) || project;
  throw createConfigError(
    `${shown}: another user can write to it, so no plugin is loaded. Make it yours (chmod o-w, chown).`,
  );
}

function createFaultFactory(project: string, file: string): Plugins['fault'] {
  return (kind, name, error) => {
    if (isHarnessError(error)) return error;
    return createConfigError(
      `${findThrowingLine(error, project) ?? file}: the plugin ${kind}.${name} failed: ${describeError(error)}`,
      error,
    );
  };
}

/** Returns the project's line that threw, such as `plugins/look-up.mjs:12`; undefined if the stack lacks it. */
function findThrowingLine(error: unknown, project: string): string | undefined {
  const root = `${realpathSync(project)}/`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frame = stack.split('\n').find((line) => line.includes(root) && !line.includes(`${root}node_modules/`));
  return frame === undefined ? undefined : /^[^:\s)]+:\d+/.exec(frame.slice(frame.indexOf(root) + root.length))?.[0];
}

/** Finds a plugin by name. Contract: `config_invalid` with the nearest name, reported at `where`. */
export function findPlugin<Kind extends PluginKind>(
  plugins: Plugins,
  { kind, name }: { kind: Kind; name: string },
  where: string,
): PluginEntry<Kind> {
  const all = plugins[kind] as Readonly<Record<string, PluginEntry<Kind>>>;
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  const near = nearestWord(name, Object.keys(all));
  const there = Object.keys(all).join(', ') || 'none';
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw createConfigError(
    `${where}: no plugin ${kind}.${name} in ${plugins.file ?? FILES[0]}.${hint} There are: ${there}.`,
  );
}

/** Contract: loads no code of the project for a policy that names no plugin. */
export async function loadPluginPasses(home: Home, { name, passes }: Policy): Promise<PluginPasses | undefined> {
  const names = passes.flatMap((spec) => (spec.pass === 'plugin' ? [spec.plugin] : []));
  if (names.length === 0) return undefined;
  const plugins = await loadPlugins(home);
  const where = `config/context/${name}.yaml`;
  return Object.fromEntries(
    names.map((one) => [one, withNamedFaults(findPlugin(plugins, { kind: 'passes', name: one }, where), one, plugins)]),
  );
}

/** Contract: `config_invalid` for an unknown plugin tool; loads no code of the project for an agent that names none. */
export async function checkPluginTools(home: Home, { tools, subagent }: AgentDefinition, shown: string): Promise<void> {
  const named = [...tools, ...(subagent?.tools ?? [])].filter((name) => name.startsWith(PLUGIN_PREFIX));
  if (named.length === 0) return;
  const plugins = await loadPlugins(home);
  const text = await readFile(findFile(home, shown), 'utf8');
  const line = text.split('\n').findIndex((one) => named.some((name) => one.includes(name))) + 1;
  const where = line === 0 ? shown : `${shown}:${line}`;
  for (const name of named) findPlugin(plugins, { kind: 'tools', name: name.slice(PLUGIN_PREFIX.length) }, where);
}

/** Time limit between two proposals of a pass, which only counts and compares. */
const PASS_MS = 10_000;
const STEP = new Script('step()');

/** Contract: code that runs longer than `ms` is stopped with an error. */
function runWithTimeout<Value>(ms: number, step: () => Value): Value {
  let value: Value | undefined;
  try {
    STEP.runInNewContext({ step: () => void (value = step()) }, { timeout: ms });
  } catch (error) {
    // The error comes from another realm, so `instanceof` does not recognise it.
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`it did not come back within ${ms / 1000} s`, { cause: error });
  }
  return value as Value;
}

function withNamedFaults(pass: PluginPass, name: string, plugins: Plugins): PluginPass {
  return function* attempts(draft, context): Generator<PassAttempt, void> {
    try {
      const attempts = pass(draft, context)[Symbol.iterator]();
      for (;;) {
        const { done, value } = runWithTimeout(PASS_MS, () => attempts.next());
        if (done === true) return;
        yield value;
      }
    } catch (error) {
      throw plugins.fault('passes', name, error);
    }
  };
}
