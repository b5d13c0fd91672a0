/** Rules for parameters that the model refuses in this version of the API (docs/internals/api-rules.md §1.2 and §1.3). */
import type { Submission } from '../request/submission.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';

export const BINDING_BETA = 'thinking-binding-controls-2026-08-01';
const MIN_BUDGET = 1024;
const TASK_BUDGET_BETA = 'task-budgets-2026-03-13';

export const MODEL_RULES: readonly Rule<Submission>[] = [
  { id: 'sampling_removed', check: samplingRemoved },
  { id: 'sampling_default_only', check: samplingDefaultOnly },
  { id: 'document_in_assistant', check: documentInAssistant },
  { id: 'citations_in_user', check: citationsInUser },
  { id: 'thinking_type', check: thinkingType },
  { id: 'thinking_budget', check: thinkingBudget },
  { id: 'thinking_disabled_effort', check: disabledEffort },
  { id: 'block_binding_beta', check: blockBindingBeta },
  { id: 'effort_supported', check: effortSupported },
  { id: 'format_not_with_prefill', check: formatNotWithPrefill },
  { id: 'task_budget', check: taskBudget },
  { id: 'max_tokens_maximum', check: maxTokensMaximum },
];

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

function samplingRemoved({ request, version }: Submission): ApiError | undefined {
  const found = SAMPLING.find((name) => request[name] !== undefined);
  if (found === undefined || version === '2023-06-01') return undefined;
  return invalidRequest(`${found}: sampling parameters are not accepted under anthropic-version ${version}`);
}

function samplingDefaultOnly({ request, model }: Submission): ApiError | undefined {
  if (!model.samplingFixed) return undefined;
  const found = SAMPLING.find((name) => request[name] !== undefined && (name === 'top_k' || request[name] !== 1));
  if (found === undefined) return undefined;
  return invalidRequest(`${found}: only the default value is supported for this model`);
}

function documentInAssistant({ turns, version }: Submission): ApiError | undefined {
  const found = turns
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ blocks }) => blocks)
    .find(({ block }) => block.type === 'document');
  if (found === undefined || version === '2023-06-01') return undefined;
  return invalidRequest(`${found.at}: \`document\` blocks are not allowed in assistant messages`);
}

function citationsInUser({ turns, version }: Submission): ApiError | undefined {
  const found = turns
    .filter(({ role }) => role === 'user')
    .flatMap(({ blocks }) => blocks)
    .find(({ block }) => block.type === 'text' && (block.citations ?? []).length > 0);
  if (found === undefined || version === '2023-06-01') return undefined;
  return invalidRequest(`${found.at}.citations: not allowed in user messages`);
}

function thinkingType({ request, model }: Submission): ApiError | undefined {
  const type = request.thinking?.type;
  if (type === undefined || model.thinking.accepts.includes(type)) return undefined;
  return invalidRequest(
    `thinking.type: ${type} is not supported for this model; use ${model.thinking.accepts.join(' or ')}`,
  );
}

function thinkingBudget({ request, endpoint }: Submission): ApiError | undefined {
  if (request.thinking?.type !== 'enabled') return undefined;
  const budget = request.thinking.budget_tokens;
  if (budget < MIN_BUDGET)
    return invalidRequest(`thinking.enabled.budget_tokens: Input should be at least ${MIN_BUDGET}`);
  if (endpoint === 'messages' && budget >= request.max_tokens)
    return invalidRequest('`max_tokens` must be greater than `thinking.budget_tokens`');
  return undefined;
}

function disabledEffort({ request, model }: Submission): ApiError | undefined {
  const effort = request.output_config?.effort;
  if (
    request.thinking?.type === 'disabled' &&
    model.thinking.disabledNeedsEffort === true &&
    (effort === 'xhigh' || effort === 'max')
  )
    return invalidRequest(`thinking.type: disabled is not supported with effort ${effort}`);
  return undefined;
}

function blockBindingBeta({ request, betas }: Submission): ApiError | undefined {
  const binding = request.thinking !== undefined && 'block_binding' in request.thinking;
  if (binding && !betas.has(BINDING_BETA))
    return invalidRequest(`thinking.block_binding: Extra inputs are not permitted without the beta ${BINDING_BETA}`);
  return undefined;
}

function effortSupported({ request, model }: Submission): ApiError | undefined {
  const effort = request.output_config?.effort ?? undefined;
  if (effort === undefined || model.efforts.includes(effort)) return undefined;
  return invalidRequest(`output_config.effort: ${effort} is not supported for this model`);
}

function formatNotWithPrefill({ request, turns }: Submission): ApiError | undefined {
  const format = request.output_config?.format ?? undefined;
  if (format !== undefined && turns.at(-1)?.role === 'assistant')
    return invalidRequest('output_config.format: cannot be combined with an assistant message prefill');
  return undefined;
}

/** https://platform.claude.com/docs/en/build-with-claude/task-budgets */
function taskBudget({ request, model, betas }: Submission): ApiError | undefined {
  const budget = request.output_config?.task_budget ?? undefined;
  const at = 'output_config.task_budget';
  if (budget === undefined) return undefined;
  if (!betas.has(TASK_BUDGET_BETA)) return invalidRequest(`${at}: Extra inputs are not permitted`);
  if (!model.taskBudget) return invalidRequest(`${at}: not supported for this model`);
  if ((budget.remaining ?? 0) > budget.total) return invalidRequest(`${at}.remaining: must not be greater than total`);
  return undefined;
}

function maxTokensMaximum({ request, model }: Submission): ApiError | undefined {
  if (request.max_tokens > model.maxOutput)
    return invalidRequest(
      `max_tokens: ${request.max_tokens} > ${model.maxOutput}, which is the maximum allowed number of output tokens for ${model.id}`,
    );
  return undefined;
}
