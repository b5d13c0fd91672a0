/** Tells at the start of a run how much `trigger: auto` would save its agents. */
import { withModelPrices } from '../agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import { limitsOf } from '../context/index.ts';
import { autoSaving, ORDINARY } from '../context-lab/auto-saving.ts';
import type { ModelFacts } from '../ports/model.ts';
import { estimateFloor } from '../transcript/tokens.ts';
import type { Deps } from './deps.ts';

/** Returns one sentence for each agent with something to say; a model without known facts has nothing. */
export async function listAutoNotices(
  { agents, catalogue }: Pick<Deps, 'catalogue'> & { agents: Readonly<Record<string, LoadedAgent>> },
  signal: AbortSignal,
): Promise<string[]> {
  const notices: string[] = [];
  for (const agent of Object.values(agents)) {
    const facts = await catalogue.describe(agent.definition.model, signal).catch(() => undefined);
    const notice = facts && describeAutoTrigger(agent, facts);
    if (notice !== undefined) notices.push(notice);
  }
  return notices;
}

/** A saving below five percent is not reported. */
const WORTH_SAYING = 0.95;

/** Says where `auto` compacts, or what it would save. */
function describeAutoTrigger(
  { definition: { name, max_tokens }, policy, systemPrompt }: LoadedAgent,
  { id, window, maxOutput, price }: ModelFacts,
): string | undefined {
  const budget = { window, maxOutput: Math.min(max_tokens, maxOutput), floor: estimateFloor([systemPrompt], []) };
  const saving = autoSaving(withModelPrices(policy, { price }), budget);
  if (policy.trigger.auto === true)
    return `Agent ${name} (${id}) compacts where its session is cheapest, and at ${limitsOf(policy, budget).trigger} tokens at the latest.`;
  if (saving === undefined || saving.share > WORTH_SAYING) return undefined;
  const { calls, answer, result } = ORDINARY;
  return (
    `Agent ${name} (${id}) compacts its context at ${saving.ratio} tokens. Long sessions are cheaper with \`trigger: auto\` in agents/${name}/agent.yaml: ` +
    `about ${Math.round((1 - saving.share) * 100)} % for ${calls} steps of ${answer + result} tokens, by compacting near ${saving.auto}.`
  );
}
