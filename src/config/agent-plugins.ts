/** Loads what an agent takes from plugins: passes of its policy, each with its fault named, and tools. */
import { readFile } from 'node:fs/promises';
import { Script } from 'node:vm';
import type { AgentDefinition } from '../agent/definition.ts';
import type { PassAttempt, PluginPasses } from '../context/passes/cut-draft.ts';
import type { Policy } from '../context/policy.ts';
import { PLUGIN_PREFIX, type PluginPass, type Plugins } from '../ports/plugins/plugins.ts';
import { findFile, type Home } from './home.ts';
import { findPlugin, loadPlugins } from './load-plugins.ts';

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
