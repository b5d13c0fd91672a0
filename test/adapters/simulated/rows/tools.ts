/** Rules about tool definitions and the choice among them. */
import { asks, on, strict, properties, names, type Row } from './row.ts';
import { TOOL } from '../wire.ts';

export const TOOLS_ROWS: Row[] = [
  {
    rule: 'tool_name_format',
    case: '65 characters',
    bad: asks({ tools: [{ ...TOOL, name: 'x'.repeat(65) }] }),
    good: asks({ tools: [{ ...TOOL, name: 'x'.repeat(64) }] }),
  },
  {
    rule: 'tool_names_unique',
    case: 'twice',
    bad: asks({ tools: [TOOL, TOOL] }),
    good: asks({ tools: [TOOL, { ...TOOL, name: 'write' }] }),
  },
  {
    rule: 'strict_limits',
    case: '21 strict tools',
    bad: asks({ tools: names(21).map((name) => strict({}, name)) }),
    good: asks({ tools: names(20).map((name) => strict({}, name)) }),
  },
  {
    rule: 'strict_limits',
    case: 'additional properties',
    bad: asks({ tools: [strict({ additionalProperties: true })] }),
    good: asks({ tools: [strict({})] }),
  },
  {
    rule: 'strict_limits',
    case: '25 optional parameters',
    bad: asks({ tools: [strict({ properties: properties(25, {}) })] }),
    good: asks({ tools: [strict({ properties: properties(25, {}), required: names(25) })] }),
  },
  {
    rule: 'strict_limits',
    case: '17 unions',
    bad: asks({ tools: [strict({ properties: properties(17, { type: ['string', 'null'] }), required: names(17) })] }),
    good: asks({
      tools: [strict({ properties: properties(16, { anyOf: [{ type: 'string' }] }), required: names(16) })],
    }),
  },
  {
    rule: 'strict_limits',
    case: 'a lookahead, deep inside',
    bad: asks({
      tools: [strict({ properties: { a: { type: 'array', items: { pattern: 'a(?=b)' } } }, required: ['a'] })],
    }),
    good: asks({
      tools: [strict({ properties: { a: { type: 'array', items: { pattern: '^(?:a)$' } } }, required: ['a'] })],
    }),
  },
  {
    rule: 'tool_choice_needs_tools',
    case: 'a choice among none',
    bad: asks({ tool_choice: { type: 'auto' } }),
    good: asks({ tool_choice: { type: 'auto' }, tools: [TOOL] }),
  },
  {
    rule: 'tool_choice_known',
    case: 'a tool that is not there',
    bad: on('claude-opus-4-8', { tool_choice: { type: 'tool', name: 'write' }, tools: [TOOL] }),
    good: on('claude-opus-4-8', { tool_choice: { type: 'tool', name: 'read' }, tools: [TOOL] }),
  },
  {
    rule: 'forced_choice_supported',
    case: 'any, on 5.5',
    says: 'tool_choice: type "tool" and "any" are not supported for this model.',
    bad: asks({ tool_choice: { type: 'any' }, tools: [TOOL] }),
    good: on('claude-opus-4-8', { tool_choice: { type: 'any' }, tools: [TOOL] }),
  },
  {
    rule: 'forced_choice_not_with_enabled',
    case: 'any with manual thinking',
    bad: on('claude-sonnet-4-6', {
      max_tokens: 4000,
      tool_choice: { type: 'any' },
      tools: [TOOL],
      thinking: { type: 'enabled', budget_tokens: 2000 },
    }),
    good: on('claude-sonnet-4-6', { tool_choice: { type: 'any' }, tools: [TOOL], thinking: { type: 'adaptive' } }),
  },
];
