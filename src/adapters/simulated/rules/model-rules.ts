/** Rules for parameters that the model refuses in this version of the API (docs/internals/api-rules.md §1.2 and §1.3). */
import type { Submission } from '../request/submission.ts';
import type { ContentBlock, IndexedBlock, MergedTurn } from '../request/shape.ts';
import type { Rules } from '../request/refusal.ts';

export const BINDING_BETA = 'thinking-binding-controls-2026-08-01';
const MIN_BUDGET = 1024;
const TASK_BUDGET_BETA = 'task-budgets-2026-03-13';
const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

export const MODEL_RULES: Rules<Submission> = {
  sampling_removed: ({ request, version }) => {
    const found = SAMPLING.find((name) => request[name] !== undefined);
    if (found === undefined || version === '2023-06-01') return undefined;
    return `${found}: sampling parameters are not accepted under anthropic-version ${version}`;
  },

  sampling_default_only: ({ request, model }) => {
    const found = SAMPLING.find((name) => request[name] !== undefined && (name === 'top_k' || request[name] !== 1));
    return model.samplingFixed && found && `${found}: only the default value is supported for this model`;
  },

  document_in_assistant: (submission) => {
    const found = findBlock(submission, 'assistant', ({ type }) => type === 'document');
    return found && `${found.at}: \`document\` blocks are not allowed in assistant messages`;
  },

  citations_in_user: (submission) => {
    const isCiting = (block: ContentBlock) => block.type === 'text' && (block.citations ?? []).length > 0;
    const found = findBlock(submission, 'user', isCiting);
    return found && `${found.at}.citations: not allowed in user messages`;
  },

  thinking_type: ({ request, model }) => {
    const type = request.thinking?.type;
    if (type === undefined || model.thinking.accepts.includes(type)) return undefined;
    return `thinking.type: ${type} is not supported for this model; use ${model.thinking.accepts.join(' or ')}`;
  },

  thinking_budget: ({ request, endpoint }) => {
    if (request.thinking?.type !== 'enabled') return undefined;
    const budget = request.thinking.budget_tokens;
    if (budget < MIN_BUDGET) return `thinking.enabled.budget_tokens: Input should be at least ${MIN_BUDGET}`;
    const isTooMuch = endpoint === 'messages' && budget >= request.max_tokens;
    return isTooMuch && '`max_tokens` must be greater than `thinking.budget_tokens`';
  },

  thinking_disabled_effort: ({ request, model }) => {
    const effort = request.output_config?.effort;
    const isDisabled = request.thinking?.type === 'disabled' && model.thinking.disabledNeedsEffort === true;
    if (!isDisabled || (effort !== 'xhigh' && effort !== 'max')) return undefined;
    return `thinking.type: disabled is not supported with effort ${effort}`;
  },

  block_binding_beta: ({ request, betas }) =>
    request.thinking !== undefined &&
    'block_binding' in request.thinking &&
    !betas.has(BINDING_BETA) &&
    `thinking.block_binding: Extra inputs are not permitted without the beta ${BINDING_BETA}`,

  effort_supported: ({ request, model }) => {
    const effort = request.output_config?.effort ?? undefined;
    if (effort === undefined || model.efforts.includes(effort)) return undefined;
    return `output_config.effort: ${effort} is not supported for this model`;
  },

  format_not_with_prefill: ({ request, turns }) =>
    (request.output_config?.format ?? undefined) !== undefined &&
    turns.at(-1)?.role === 'assistant' &&
    'output_config.format: cannot be combined with an assistant message prefill',

  /** https://platform.claude.com/docs/en/build-with-claude/task-budgets */
  task_budget: ({ request, model, betas }) => {
    const budget = request.output_config?.task_budget ?? undefined;
    const at = 'output_config.task_budget';
    if (budget === undefined) return undefined;
    if (!betas.has(TASK_BUDGET_BETA)) return `${at}: Extra inputs are not permitted`;
    if (!model.taskBudget) return `${at}: not supported for this model`;
    return (budget.remaining ?? 0) > budget.total && `${at}.remaining: must not be greater than total`;
  },

  max_tokens_maximum: ({ request, model }) =>
    request.max_tokens > model.maxOutput &&
    `max_tokens: ${request.max_tokens} > ${model.maxOutput}, which is the maximum allowed number of output tokens for ${model.id}`,
};

/** Finds a block that the newer version of the API refuses in messages of that role. */
function findBlock(
  { turns, version }: Submission,
  of: MergedTurn['role'],
  isRefused: (block: ContentBlock) => boolean,
): IndexedBlock | undefined {
  if (version === '2023-06-01') return undefined;
  return turns.flatMap(({ role, blocks }) => (role === of ? blocks : [])).find(({ block }) => isRefused(block));
}
