/** Keeping a session's requests within the window: layers first, then compaction where the policy wants it, then the request. */
import { createHash } from 'node:crypto';
import {
  checkWindow,
  createFollower,
  limitsOf,
  type Budget,
  type Core,
  type Follower,
  type Moment,
  type Pressure,
} from '../../context/index.ts';
import { HarnessError } from '../../errors.ts';
import type { Model, ModelFacts } from '../../ports/model.ts';
import type { Progress } from '../../ports/progress.ts';
import { createFaultFinder } from '../../transcript/fault-finder.ts';
import { estimateFloor } from '../../transcript/tokens.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import { requestOf, type FixedRequestParts } from '../build-request.ts';
import { compact } from './compact.ts';
import { countIfClose } from './count-tokens.ts';
import type { LoadedAgent } from '../definition.ts';
import { createLayers, type LayerSources } from '../layers.ts';
import type { RequestFitter } from '../loop.ts';
import type { CompactionContext, Summarizer } from './summary-call.ts';
import type { AgentSession } from '../session.ts';

export type FitterOptions = {
  agent: LoadedAgent;
  facts: ModelFacts;
  tools: readonly ToolDefinition[];
  model: Model;
  progress: Progress;
  /** Whether the agent's own Read opens a path now: a summary may not send its reader to one that it does not. */
  readable?: (path: string, signal: AbortSignal) => Promise<boolean>;
  /** For a policy that names a model of its own for summaries (S1.13). */
  summarizer?: Summarizer;
  /** `CODE_LAW.md`, skills and memory, for a policy that has these layers. */
  layers?: LayerSources;
  /** Asked before each call: whether the prompt cache has expired meanwhile, so that a rewrite gives nothing up. */
  moment?: () => Moment;
  /** Takes the time of each compaction, and keeps it where no agent reads. */
  stopwatch?: Pick<Stopwatch, 'now' | 'took'>;
};

export type Stopwatch = {
  now: () => number;
  took: (entry: string, ms: number) => Promise<void>;
  /** What the answer of this entry took: as often as the call is replayed, it is the same. */
  answered: (entry: string, ms: number) => void;
};

/** Throws `context_overflow` at once when the window could never hold this agent (S0.22). */
export function createRequestFitter(options: FitterOptions): RequestFitter {
  const { agent, facts, tools, model, progress, summarizer, moment = () => ({}) } = options;
  const { definition, policy, prompts, fields, systemPrompt } = agent;
  const maxTokens = Math.min(definition.max_tokens, facts.maxOutput);
  const { thinking } = policy;
  const fixed: FixedRequestParts = { agent: definition.name, system: systemPrompt, tools, maxTokens, facts, thinking };
  const budget: Budget = { window: facts.window, maxOutput: maxTokens, floor: estimateFloor([systemPrompt], tools) };
  const core: Core = { policy, prompts, fields, budget, model: { systemMessages: facts.systemMessages === true } };
  checkWindow(policy, budget);
  const follower = createFollower(core);
  const findFault = createFaultFinder();
  const layers = createLayers(core, options.layers ?? {});
  const compacting: CompactionContext = {
    ...{ core, fixed, model, progress, follower },
    ...(summarizer === undefined ? {} : { summarizer }),
    ...(options.readable === undefined ? {} : { readable: options.readable }),
  };
  return {
    context: { policy: policy.name, window: facts.window, ...limitsOf(policy, budget), header: headerOf(fixed) },
    fit: async (session, force, signal) => {
      await layers.bring(session, signal);
      const before = await sized(follower, session.entries, moment(), compacting, signal);
      const work = () => compact(session, before, force, compacting, signal);
      if (before.due || force) await timed(session, work, options.stopwatch);
      const after = before.due || force ? follower.pressure(session.entries) : before;
      if (after.urgent) throw tooLarge(definition.name, after, budget);
      const shown = follower.view(session.entries);
      const request = requestOf(shown, maxTokens, { ...fixed, findFault });
      return { request, epoch: shown.epoch, contextTokens: after.total, triggerTokens: after.trigger };
    },
  };
}

/** A run outlives its program: prompts, tools and models may be others when it goes on. */
function headerOf({ facts, system, tools }: FixedRequestParts): string {
  return createHash('sha256')
    .update(JSON.stringify([facts.id, system, tools]))
    .digest('hex')
    .slice(0, 16);
}

async function timed(
  session: AgentSession,
  work: () => Promise<void>,
  stopwatch: FitterOptions['stopwatch'],
): Promise<void> {
  const [from, began] = [session.entries.length, stopwatch?.now() ?? 0];
  await work();
  const made = session.entries.slice(from).findLast(({ type }) => type === 'compaction');
  if (made !== undefined) await stopwatch?.took(made.id, Math.max(0, Math.round(stopwatch.now() - began)));
}

/** Near a limit the API is asked to count, where it can: an estimate decides only where it is clear (S0.6). */
async function sized(
  follower: Follower,
  entries: Parameters<Follower['view']>[0],
  moment: Moment,
  { fixed, model }: CompactionContext,
  signal: AbortSignal,
): Promise<Pressure> {
  const pressure = follower.pressure(entries, moment);
  const request = () => requestOf(follower.view(entries), fixed.maxTokens, fixed);
  return countIfClose(pressure, model, request, signal);
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
