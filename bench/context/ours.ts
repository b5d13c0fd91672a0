/** Tandem's own policies on a scenario: the shipped files, replayed call by call. */
import { readdirSync } from 'node:fs';
import { findHome } from '../../src/config/home.ts';
import { loadCore } from '../../src/config/load-core.ts';
import { plantedFacts } from '../../src/context-lab/replay/facts.ts';
import { perfectSummariser, SUMMARISERS, type Summariser } from '../../src/context-lab/replay/summariser.ts';
import { replay } from '../../src/context-lab/replay/replay.ts';
import { view } from '../../src/context/index.ts';
import { dollars } from './price.ts';
import { type Asked, type BenchScenario } from './scenarios.ts';

/** Every shipped policy but `demo`, which is `two-agent` with small numbers. */
export const POLICIES: readonly string[] = readdirSync(new URL('../../config/context', import.meta.url))
  .map((file) => file.replace(/\.yaml$/, ''))
  .filter((name) => name !== 'demo');

/** A summary that is valid, and holds nothing of what was planted. */
export const FORGETFUL = 'forgetful';
const forget: Summariser = (request, _known, fields) => perfectSummariser(request, [], fields);

export async function ourRow(
  scenario: BenchScenario,
  { policy = 'two-agent', summariser = 'perfect', trigger, auto = false }: Asked,
) {
  const core = await loadCore(findHome(new URL('../..', import.meta.url).pathname), policy, 'execute');
  if (trigger !== undefined) core.policy.trigger.tokens = trigger;
  if (auto) core.policy.trigger.auto = true;
  const facts = plantedFacts(scenario.messages, scenario.facts);
  const { window, maxOutput, fixed } = scenario;
  const made = replay(scenario.messages, {
    core: { ...core, budget: { window, maxOutput, floor: fixed }, model: { systemMessages: true } },
    rules: { boundThinking: core.policy.thinking === 'strip', prefill: false },
    summariser: summariser === FORGETFUL ? forget : SUMMARISERS[summariser as keyof typeof SUMMARISERS],
    facts,
    ratio: 1,
    priceOf: dollars,
  });
  const { calls, rewrites, stopped } = made;
  const input = calls.reduce((sum, call) => sum + call.tokens, 0);
  const shown = rewrites.reduce(
    (sum, { usage }) => sum + usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    0,
  );
  return {
    policy: auto ? `${policy} auto` : trigger === undefined ? policy : `${policy}@${Math.round(trigger / 1000)}k`,
    faults: calls.filter(({ fault }) => fault !== undefined).length,
    fits: stopped === undefined && calls.every(({ tokens }) => tokens <= window - maxOutput),
    factsPlanted: facts.length,
    factsKept: facts.length - made.facts.lost.length,
    factsAfterOne: { planted: made.facts.first.asked, kept: made.facts.first.kept },
    factsLost: made.facts.lost,
    rounds: rewrites.filter(({ entry }) => entry !== undefined).length,
    staleThinking: calls.reduce((sum, call) => sum + call.staleThinking, 0),
    summariserTokens: shown,
    inputTokens: input,
    costUsd: Math.round(made.cost * 100) / 100,
    cacheRead:
      Math.round(
        (calls.reduce((sum, { usage }) => sum + usage.cache_read_input_tokens, 0) / Math.max(1, input)) * 1000,
      ) / 1000,
    lastRequest: view(made.entries).messages,
    ...(stopped === undefined ? {} : { note: `stopped before ${stopped.before}: ${stopped.message.slice(0, 160)}` }),
  };
}
