/** Tells how much `trigger: auto` would save an agent; for pages of advice, not for the screen of a run. */
import { withModelPrices } from '../agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import { limitsOf } from '../context/index.ts';
import { autoSaving, ORDINARY } from '../context-lab/auto-saving.ts';
import type { ModelFacts } from '../ports/model.ts';
import { estimateFloor } from '../transcript/tokens.ts';

/** A saving below five percent is not reported. */
const WORTH_SAYING = 0.95;

/** Says where `auto` compacts, or what it would save; undefined when there is nothing to gain. */
export function describeAutoTrigger(
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
