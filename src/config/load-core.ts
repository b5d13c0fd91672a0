/** What a context policy needs to run without an agent: the policy, its prompts, and the fields of a summary. */
import type { Core } from '../context/core.ts';
import { SummaryFields } from '../context/summary/summary.ts';
import { findFile, type Home } from './home.ts';
import { loadContextPrompts, loadPolicy } from './load-agent.ts';
import { readYamlFile } from './yaml-file.ts';

/** `agent` supplies the summary fields when the policy has none. */
export async function loadCore(home: Home, policyName: string, agent: string): Promise<Omit<Core, 'budget'>> {
  const policy = await loadPolicy(home, policyName);
  const shown = `agents/${agent}/summary.yaml`;
  return {
    policy,
    prompts: await loadContextPrompts(home, policy),
    fields: await readYamlFile(findFile(home, shown), SummaryFields, shown),
  };
}
