/** Rules about tool definitions and the choice among them. */
import { asks, on, type Row } from './row.ts';
import { TOOL, type Json } from '../wire.ts';

const takes = (schema: Json) => asks({ tools: [{ ...TOOL, input_schema: { type: 'object', ...schema } }] });
const invalid = (name: string, bad: Json, good: Json): Row => ({
  rule: 'tool_schema_valid',
  case: name,
  says: 'draft 2020-12',
  bad: takes({ properties: { a: bad } }),
  good: takes({ properties: { a: good } }),
});

/** Schemas as servers of tools write them, and as the API takes them. */
const SCHEMA_ROWS: Row[] = [
  invalid('a boolean exclusiveMinimum', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }),
  invalid('an empty list of items', { items: [] }, { items: {} }),
  invalid('a list of items', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }),
  invalid('the type any', { type: 'any' }, {}),
  invalid('an empty list of types', { type: [] }, { type: ['string', 'null'] }),
  invalid('required on a property', { type: 'string', required: true }, { type: 'string' }),
  invalid('an empty choice', { anyOf: [] }, { anyOf: [{ type: 'string' }] }),
  invalid('a length as text', { minLength: '1' }, { minLength: 1 }),
  invalid('a property that is no schema', { properties: { b: 'string' } }, { properties: { b: { type: 'string' } } }),
  {
    rule: 'tool_schema_choice',
    case: 'anyOf at the top',
    bad: takes({ anyOf: [{ type: 'object' }] }),
    good: takes({ properties: { a: { anyOf: [{ type: 'object' }] } } }),
  },
  ...['$filter', 'filter[name]', 'x'.repeat(65)].map((name): Row => ({
    rule: 'tool_schema_names',
    case: name,
    says: 'Property keys should match pattern',
    bad: takes({ properties: { a: { type: 'object', properties: { [name]: {} } } } }),
    good: takes({ properties: { a: { type: 'object', enum: [{ [name]: 1 }], properties: { 'a.b-c_1': {} } } } }),
  })),
];

export const TOOLS_ROWS: Row[] = [
  ...SCHEMA_ROWS,
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
