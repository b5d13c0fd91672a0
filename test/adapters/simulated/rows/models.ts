/** Rules about what one model or version does not take. */
import { go, talk, asks, on, old, document, type Row } from './row.ts';
import { assistant, user } from '../wire.ts';

export const MODELS_ROWS: Row[] = [
  {
    rule: 'sampling_removed',
    case: 'temperature 0 (S0.8)',
    bad: asks({ temperature: 0 }),
    good: old('claude-haiku-4-5', { temperature: 0 }),
  },
  {
    rule: 'sampling_removed',
    case: 'even the default',
    bad: on('claude-haiku-4-5', { top_p: 1 }),
    good: old('claude-haiku-4-5', { top_p: 1, top_k: 5 }),
  },
  {
    rule: 'sampling_default_only',
    case: 'temperature 0 under the old version',
    bad: old('claude-opus-5-5', { temperature: 0 }),
    good: old('claude-opus-5-5', { temperature: 1 }),
  },
  {
    rule: 'sampling_default_only',
    case: 'any top_k under the old version',
    bad: old('claude-opus-5-5', { top_k: 1 }),
    good: old('claude-opus-4-6', { top_k: 1 }),
  },
  {
    rule: 'document_in_assistant',
    case: 'under the new version',
    bad: talk(go, assistant(document), go),
    good: old('claude-opus-5-5', { messages: [go, assistant(document), go] }),
  },
  {
    rule: 'citations_in_user',
    case: 'under the new version',
    bad: talk(user({ type: 'text', text: 'go', citations: [{}] })),
    good: talk(user({ type: 'text', text: 'go', citations: [] })),
  },
  {
    rule: 'thinking_type',
    case: 'disabled where it is always on',
    bad: asks({ thinking: { type: 'disabled' } }),
    good: on('claude-opus-4-8', { thinking: { type: 'disabled' } }),
  },
  {
    rule: 'thinking_type',
    case: 'a budget on 5.5',
    bad: asks({ max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
    good: asks({ thinking: { type: 'adaptive' } }),
  },
  {
    rule: 'thinking_type',
    case: 'between_tools elsewhere than Sonnet 5.5',
    bad: asks({ thinking: { type: 'between_tools' } }),
    good: on('claude-sonnet-5-5', { thinking: { type: 'between_tools' } }),
  },
  {
    rule: 'thinking_type',
    case: 'adaptive on 4.5',
    bad: on('claude-haiku-4-5', { thinking: { type: 'adaptive' } }),
    good: on('claude-haiku-4-5', { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
  },
  {
    rule: 'thinking_budget',
    case: 'below 1,024',
    bad: on('claude-haiku-4-5', { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1000 } }),
    good: on('claude-haiku-4-5', { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } }),
  },
  {
    rule: 'thinking_budget',
    case: 'not below max_tokens',
    bad: on('claude-haiku-4-5', { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 2000 } }),
    good: on('claude-haiku-4-5', { max_tokens: 2001, thinking: { type: 'enabled', budget_tokens: 2000 } }),
  },
  {
    rule: 'thinking_disabled_effort',
    case: 'off at effort max',
    bad: on('claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'max' } }),
    good: on('claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'high' } }),
  },
  {
    rule: 'block_binding_beta',
    case: 'without its beta',
    bad: asks({ thinking: { type: 'adaptive', block_binding: {} } }),
    good: {
      ...asks({ thinking: { type: 'adaptive', block_binding: {} } }),
      sent: { headers: { 'anthropic-beta': 'x, thinking-binding-controls-2026-08-01' } },
    },
  },
  {
    rule: 'effort_supported',
    case: 'a model without effort',
    bad: on('claude-haiku-4-5', { output_config: { effort: 'low' } }),
    good: asks({ output_config: { effort: 'low' } }),
  },
  {
    rule: 'format_not_with_prefill',
    case: 'JSON after a prefill',
    bad: on('claude-haiku-4-5', {
      messages: [go, assistant('{')],
      output_config: { format: { type: 'json_schema', schema: {} } },
    }),
    good: asks({ output_config: { format: { type: 'json_schema', schema: {} } } }),
  },
  {
    rule: 'task_budget',
    case: 'without its beta',
    bad: asks({ output_config: { task_budget: { type: 'tokens', total: 20_000 } } }),
    good: {
      ...asks({ output_config: { task_budget: { type: 'tokens', total: 20_000 } } }),
      sent: { headers: { 'anthropic-beta': 'task-budgets-2026-03-13' } },
    },
  },
  {
    rule: 'task_budget',
    case: 'a model that counts none',
    bad: {
      ...on('claude-sonnet-5', { output_config: { task_budget: { type: 'tokens', total: 20_000 } } }),
      sent: { headers: { 'anthropic-beta': 'task-budgets-2026-03-13' } },
    },
    good: {
      ...on('claude-opus-4-7', { output_config: { task_budget: { type: 'tokens', total: 20_000 } } }),
      sent: { headers: { 'anthropic-beta': 'task-budgets-2026-03-13' } },
    },
  },
  {
    rule: 'task_budget',
    case: 'more left than there was',
    bad: {
      ...asks({ output_config: { task_budget: { type: 'tokens', total: 20_000, remaining: 20_001 } } }),
      sent: { headers: { 'anthropic-beta': 'task-budgets-2026-03-13' } },
    },
    good: {
      ...asks({ output_config: { task_budget: { type: 'tokens', total: 20_000, remaining: 0 } } }),
      sent: { headers: { 'anthropic-beta': 'task-budgets-2026-03-13' } },
    },
  },
  {
    rule: 'max_tokens_maximum',
    case: 'more than the model gives',
    bad: asks({ max_tokens: 128_001 }),
    good: asks({ max_tokens: 128_000 }),
  },
];
