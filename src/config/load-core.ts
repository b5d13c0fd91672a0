/** Loads what a context policy needs to run without an agent: the policy, its prompts, and the fields of a summary. */
import { readFile } from 'node:fs/promises';
import type { Core } from '../context/core.ts';
import type { Policy } from '../context/policy.ts';
import { SummaryFields } from '../context/summary/summary.ts';
import { findFile, type Home } from './home.ts';
import { loadContextPrompts, loadPolicy } from './load-agent.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { loadPluginPasses } from './load-plugins.ts';
import { readYamlFile } from './yaml-file.ts';

/** `agent` supplies the summary fields when the policy has none; else they come from `prompts/summary_fields.yaml`. */
export async function loadCore(
  home: Home,
  policyOrName: string | Policy,
  agent?: string,
): Promise<Omit<Core, 'budget'>> {
  const policy = typeof policyOrName === 'string' ? await loadPolicy(home, policyOrName) : policyOrName;
  const shown = agent === undefined ? 'prompts/summary_fields.yaml' : `agents/${agent}/summary.yaml`;
  return {
    policy,
    ...omitUndefined({ passes: await loadPluginPasses(home, policy) }),
    prompts: await loadContextPrompts(home, policy),
    fields: await readYamlFile(findFile(home, shown), SummaryFields, shown),
  };
}

/** Loads the text for a model whose thinking could not be carried along. */
export function loadThinkingReminder(home: Home): Promise<string> {
  return readFile(findFile(home, 'prompts/reminder_thinking.md'), 'utf8');
}
