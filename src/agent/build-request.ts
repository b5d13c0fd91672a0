/** Builds and checks the request for one model call: system prompt with its layers, tools, the view, cache marks. */
import { markForCache, type View } from '../context/index.ts';
import { HarnessError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { ModelFacts, ModelRequest } from '../ports/model.ts';
import { createFaultFinder, findMarkFault, type ProtocolRules } from '../transcript/protocol.ts';
import type { Message, ToolDefinition } from '../transcript/message.ts';

/** Facts of a model in use; without a price no cost is computed. */
export type FittedModel = Omit<ModelFacts, 'price' | 'source'> & Partial<Pick<ModelFacts, 'price'>>;

/** The parts of a request that never change in a session (S0.3). */
export type FixedRequestParts = {
  agent: string;
  system: string;
  tools: readonly ToolDefinition[];
  maxTokens: number;
  facts: FittedModel;
  /** The policy's treatment of thinking that is bound to another prefix. */
  thinking?: 'strip' | 'drop_block';
  /** Set where the model counts it down by itself. */
  taskBudget?: NonNullable<ModelRequest['output_config']>['task_budget'] | undefined;
  /** Caches which messages of this session were checked. */
  findFault?: ReturnType<typeof createFaultFinder>;
};

/** The messages of one request; `passing` holds messages at the end that no later call reads (S2.7). */
export type RequestContent = Pick<View, 'rewrittenThrough' | 'system' | 'paused'> & {
  messages: readonly Message[];
  passing?: number;
  /** The agent's own output cap when absent. */
  maxTokens?: number;
  compaction?: ModelRequest['compaction'];
};

/** Beta of the API's own compaction: needed to request a compaction block and by every request with one. */
const COMPACTION_BETA = 'compact-2026-09-04';
const BINDING_BETA = 'thinking-binding-controls-2026-08-01';
/** https://platform.claude.com/docs/en/build-with-claude/task-budgets */
const TASK_BUDGET_BETA = 'task-budgets-2026-03-13';

/** Throws `protocol_violation` instead of sending what the API would refuse. */
export function buildRequest(outgoing: RequestContent, fixed: FixedRequestParts): ModelRequest {
  const { facts } = fixed;
  const { messages, system, passing = 0, maxTokens = fixed.maxTokens, compaction } = outgoing;
  const marked = markForCache(
    {
      system: [fixed.system, ...system]
        .filter((text) => text.trim() !== '')
        .map((text) => ({ type: 'text' as const, text })),
      tools: fixed.tools,
      messages,
    },
    passing,
  );
  refuseFaultyRequest(marked.messages, outgoing, fixed);
  const betas = listBetas(messages, fixed, compaction);
  return {
    model: facts.id,
    ...marked,
    max_tokens: Math.min(maxTokens, facts.maxOutput),
    ...toThinking(fixed),
    ...omitUndefined({ compaction }),
    ...(fixed.taskBudget === undefined ? {} : { output_config: { task_budget: fixed.taskBudget } }),
    ...(betas.length === 0 ? {} : { betas }),
  };
}

function refuseFaultyRequest(
  marked: Parameters<typeof findMarkFault>[0],
  { messages, rewrittenThrough, paused }: RequestContent,
  { facts, agent, tools, thinking, findFault = createFaultFinder() }: FixedRequestParts,
): void {
  const rules: ProtocolRules = {
    boundThinking: facts.boundThinking && thinking !== 'drop_block',
    prefill: paused === true,
    rewrittenThrough,
    toolNames: tools.map((tool) => tool.name),
    marksBefore: [{ type: 'ephemeral' }, { type: 'ephemeral' }],
  };
  const fault = findFault(messages, rules) ?? findMarkFault(marked, rules);
  if (fault === undefined) return;
  throw new HarnessError(
    'protocol_violation',
    `The request of agent ${agent} was not sent: ${fault.rule} at message ${fault.index}: ${fault.message}`,
    { details: { agent, rule: fault.rule, index: fault.index } },
  );
}

function toThinking({ facts, thinking }: FixedRequestParts): Pick<ModelRequest, 'thinking'> {
  if (thinking === 'drop_block' && facts.boundThinking)
    return { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };
  return facts.thinking === undefined ? {} : { thinking: { type: facts.thinking } };
}

function listBetas(
  messages: readonly Message[],
  { facts, thinking, taskBudget }: FixedRequestParts,
  compaction: ModelRequest['compaction'],
): string[] {
  const block = messages[0]?.content[0]?.type === 'compaction';
  return [
    ...(compaction !== undefined || block ? [COMPACTION_BETA] : []),
    ...(thinking === 'drop_block' && facts.boundThinking ? [BINDING_BETA] : []),
    ...(taskBudget === undefined ? [] : [TASK_BUDGET_BETA]),
  ];
}
