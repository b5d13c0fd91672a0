/** Keeping a session's requests within the window: asks the core what to do, makes the summary call, appends what came of it. */
import {
  checkWindow,
  planCompaction,
  checkBreaker,
  shouldCompact,
  type Budget,
  type Core,
  type Cut,
  type Pressure,
} from '../context/index.ts';
import { HarnessError } from '../errors.ts';
import type { Model, ModelFacts } from '../ports/model.ts';
import type { Progress } from '../ports/progress.ts';
import { estimateFloor } from '../transcript/tokens.ts';
import type { ToolDefinition } from '../transcript/message.ts';
import { assemble, type Fixed } from './assemble.ts';
import type { LoadedAgent } from './definition.ts';
import type { Fitter } from './loop.ts';
import type { Session } from './session.ts';
import { fallBack, summarise, type Compacting } from './summarise.ts';

export type FitterOptions = {
  agent: LoadedAgent;
  facts: ModelFacts;
  tools: readonly ToolDefinition[];
  model: Model;
  progress: Progress;
};

/** Throws `context_overflow` at once when the window could never hold this agent (S0.22). */
export function createFitter({ agent, facts, tools, model, progress }: FitterOptions): Fitter {
  const { definition, policy, prompts, fields, systemPrompt } = agent;
  const maxTokens = Math.min(definition.max_tokens, facts.maxOutput);
  const fixed: Fixed = { agent: definition.name, system: systemPrompt, tools, maxTokens, facts };
  const budget: Budget = { window: facts.window, maxOutput: maxTokens, floor: estimateFloor([systemPrompt], tools) };
  const core: Core = { policy, prompts, fields, budget };
  checkWindow(policy, budget);
  const compacting: Compacting = { core, fixed, model, progress };
  return {
    fit: async (session, force, signal) => {
      const before = shouldCompact(session.entries, core);
      if (before.due || force) await compact(session, before, force, compacting, signal);
      const after = shouldCompact(session.entries, core);
      if (after.urgent) throw tooLarge(definition.name, after, budget);
      return { ...assemble(session.entries, fixed), contextTokens: after.total, triggerTokens: after.trigger };
    },
  };
}

async function compact(
  session: Session,
  pressure: Pressure,
  force: boolean,
  compacting: Compacting,
  signal: AbortSignal,
): Promise<void> {
  const { core, fixed, progress } = compacting;
  const breaker = checkBreaker(session.entries, core.policy);
  if (breaker.state === 'stuck') throw breaker.error;
  const plan = planCompaction(session.entries, core, { reason: force ? 'window' : 'threshold' });
  if (plan.type === 'overflow') throw plan.error;
  if (plan.type !== 'cut') return;
  const cut: Cut = force ? { ...plan, pressure: { ...plan.pressure, urgent: true } } : plan;
  progress({
    type: 'compaction',
    agent: fixed.agent,
    outcome: 'started',
    tokensBefore: pressure.total,
    tokensAfter: 0,
    detail: cut.occasion.reason,
  });
  if (breaker.state === 'open') await fallBack(session, cut, breaker.cause, compacting);
  else await summarise(session, cut, compacting, signal);
}

function tooLarge(agent: string, { total, hard }: Pressure, budget: Budget): HarnessError {
  return new HarnessError(
    'context_overflow',
    `The next request of agent ${agent} would have about ${total} tokens, and ${hard} fit beside its answer (window ${budget.window}).`,
    {
      details: { agent, total, hard, ...budget },
    },
  );
}
