/** Finds what would certainly stop a run before its folder is made: a model, a key, or a context policy that cannot work. */
import { checkWindow, loweredTrigger } from '../context/index.ts';
import type { LoadedAgent } from '../agent/definition.ts';
import { HarnessError, isHarnessError, describeError } from '../errors.ts';
import { readMeaning } from '../ports/answer-meaning.ts';
import type { ModelFacts } from '../ports/model.ts';
import { collectFindings, type ConfigFinding } from '../config/findings.ts';
import type { Brief } from '../scenario/brief.ts';
import { estimateFloor } from '../transcript/tokens.ts';
import type { Deps } from './deps.ts';
import { chooserModelName, messagesModel } from '../scenario/subject.ts';

type StartCheckDeps = Pick<Deps, 'catalogue' | 'model' | 'agents'> & Partial<Pick<Deps, 'simulated'>>;

/** Reports all problems at once; nothing is paid or written. An endpoint that cannot be reached is no reason to refuse. */
export async function checkStart(
  brief: Pick<Brief, 'name' | 'subject' | 'user'>,
  { catalogue, model, agents, simulated = true }: StartCheckDeps,
  signal: AbortSignal,
): Promise<ConfigFinding[]> {
  const findings: ConfigFinding[] = [];
  const factsOf = new Map<string, ModelFacts>();
  for (const named of listNamedModels(brief, agents, simulated)) {
    if (factsOf.has(named.model)) continue;
    const facts = await collectFindings(findings, named.where, () =>
      describeModel(named.model, { catalogue, model }, signal),
    );
    if (facts !== undefined) factsOf.set(named.model, facts);
  }
  for (const agent of listAgents(agents)) {
    const { name, model: named } = agent.definition;
    const isAgent = Object.values(agents).includes(agent);
    const where = `agents/${name}/agent.yaml`;
    const facts = factsOf.get(named);
    const lowered =
      facts &&
      (await collectFindings(findings, where, async () =>
        checkPolicy(agent, facts, isAgent ? `Agent ${name}` : `A sub-agent of ${name}`),
      ));
    if (lowered !== undefined) findings.push({ level: 'warning', where, what: lowered });
  }
  return findings;
}

/** Lists the agents together with their sub-agents. */
function listAgents(agents: StartCheckDeps['agents']): LoadedAgent[] {
  return Object.values(agents).flatMap((agent) => [agent, ...(agent.subagent ? [agent.subagent.agent] : [])]);
}

async function describeModel(
  name: string,
  { catalogue, model }: Pick<StartCheckDeps, 'catalogue' | 'model'>,
  signal: AbortSignal,
): Promise<ModelFacts> {
  const facts = await catalogue.describe(name, signal).catch(refuseAccountFault);
  // An endpoint that describes the model has checked the key as well, so only the table needs this call.
  if (facts.source === 'table') await countOnce(facts, model, signal);
  return facts;
}

/** The models that a run needs, each with the file that names it. */
function listNamedModels(
  { name, subject, user }: Parameters<typeof checkStart>[0],
  agents: StartCheckDeps['agents'],
  simulated: boolean,
): { model: string; where: string }[] {
  const ofAgents = listAgents(agents).flatMap(({ definition, policy }) =>
    [definition.model, definition.fallback_model, policy.summary.model].map((model) => ({
      model,
      where: `agents/${definition.name}/agent.yaml`,
    })),
  );
  const ofTrials = [
    messagesModel(subject),
    user.simulator === 'auto' ? chooserModelName({ subject, user }, simulated) : user.model,
  ].map((model) => ({
    model,
    where: `scenarios/${name}/scenario.yaml`,
  }));
  return [...ofAgents, ...ofTrials].flatMap(({ model, where }) => (model === undefined ? [] : [{ model, where }]));
}

/** Counts tokens once, free of charge, to check the key; a gateway may not offer the call. */
async function countOnce(facts: ModelFacts, model: StartCheckDeps['model'], signal: AbortSignal): Promise<void> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }];
  const request = { model: facts.id, system: [], tools: [], messages, max_tokens: 1 };
  await model.countTokens?.(request, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    const isAccount = readMeaning(error) === 'account' && isHarnessError(error) && error.details['status'] !== 404;
    if (isAccount) refuseAccountFault(error);
  });
}

/**
 * Checks with the smallest possible requests, so that no policy is refused that could work. Returns a sentence when the
 * agent compacts earlier than its configuration says (S0.2).
 */
export function checkPolicy(
  { definition, policy, systemPrompt }: LoadedAgent,
  facts: Pick<ModelFacts, 'id' | 'window' | 'maxOutput'>,
  who = `Agent ${definition.name}`,
): string | undefined {
  const maxOutput = Math.min(definition.max_tokens, facts.maxOutput);
  const budget = { window: facts.window, maxOutput, floor: estimateFloor([systemPrompt], []) };
  try {
    checkWindow(policy, budget);
    const lowered = loweredTrigger(policy, budget);
    return lowered && `${who} (${facts.id}) ${lowered}.`;
  } catch (error) {
    throw new HarnessError('config_invalid', `${who}: ${describeError(error)}`, { cause: error });
  }
}

function refuseAccountFault(error: unknown): never {
  if (readMeaning(error) !== 'account') throw error;
  throw new HarnessError('config_invalid', describeError(error), { cause: error });
}
