/** Rules for tool definitions and tool choice (docs/internals/api-rules.md §2.4). */
import type { Submission } from '../request/submission.ts';
import type { Rules } from '../request/refusal.ts';
import { usesIn } from './pair-rules.ts';
import { isJsonObject } from '../../../scenario/json/json-value.ts';

const MAX_STRICT = { tools: 20, optional: 24, unions: 16 };

export const TOOL_RULES: Rules<Submission> = {
  /** A strict reading of an undocumented rule: a history with tool blocks must come with its tools. */
  tools_defined: ({ request: { tools = [] }, turns }) =>
    tools.length === 0 &&
    turns.some((turn) => usesIn(turn).length > 0) &&
    'Requests which include `tool_use` or `tool_result` blocks must define tools',

  tool_name_format: ({ request: { tools = [] } }) => {
    const index = tools.findIndex(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
    return index !== -1 && `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`;
  },

  tool_names_unique: ({ request: { tools = [] } }) => {
    const names = tools.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice !== undefined && `tools: Tool names must be unique. ${twice} occurs twice.`;
  },

  strict_limits: ({ request: { tools = [] } }) => {
    const strict = tools.filter((tool) => tool.strict === true);
    if (strict.length > MAX_STRICT.tools) return `tools: at most ${MAX_STRICT.tools} strict tools are allowed`;
    const weights = strict.map((tool) => ({ name: tool.name, ...weighStrict(tool.input_schema) }));
    const wrong = weights.find(({ fault }) => fault !== undefined);
    if (wrong !== undefined) return `tools: strict tool ${wrong.name}: ${wrong.fault}`;
    const { optional, unions } = weights.reduce(addWeights, NO_WEIGHT);
    if (optional > MAX_STRICT.optional)
      return `tools: strict tools may have ${MAX_STRICT.optional} optional parameters, found ${optional}`;
    return (
      unions > MAX_STRICT.unions &&
      `tools: strict tools may have ${MAX_STRICT.unions} union parameters, found ${unions}`
    );
  },

  tool_choice_needs_tools: ({ request: { tool_choice: choice, tools = [] } }) =>
    choice !== undefined && tools.length === 0 && 'tool_choice: may only be specified while providing `tools`',

  tool_choice_known: ({ request: { tool_choice: choice, tools = [] } }) =>
    choice?.type === 'tool' &&
    !tools.some(({ name }) => name === choice.name) &&
    `tool_choice.name: tool ${choice.name} is not among \`tools\``,

  forced_choice_supported: (submission) =>
    isForced(submission) &&
    !submission.model.forcedChoice &&
    'tool_choice: type "tool" and "any" are not supported for this model.',

  forced_choice_not_with_enabled: (submission) =>
    isForced(submission) &&
    submission.request.thinking?.type === 'enabled' &&
    'Thinking may not be enabled when tool_choice forces tool use.',
};

function isForced({ request }: Submission): boolean {
  return request.tool_choice?.type === 'any' || request.tool_choice?.type === 'tool';
}

/** The size of a strict tool's schema, and its first unsupported feature (docs/internals/api-rules.md §2.4). */
type StrictWeight = { optional: number; unions: number; fault?: string | undefined };
const NO_WEIGHT: StrictWeight = { optional: 0, unions: 0 };

/** Lookaround, backreferences and word boundaries cannot be compiled into a grammar. */
const UNSUPPORTED_PATTERN = /\(\?[=!<]|\\[1-9bB]/;

/** Walks objects, arrays and unions; the first fault wins. */
function weighStrict(schema: unknown): StrictWeight {
  if (!isJsonObject(schema)) return NO_WEIGHT;
  const fault = findSchemaFault(schema);
  if (fault !== undefined) return { ...NO_WEIGHT, fault };
  const { required, properties, type, anyOf, items } = schema;
  const fields = isJsonObject(properties) ? properties : {};
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const choices: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  const own: StrictWeight = {
    optional: Object.keys(fields).filter((key) => !needed.includes(key)).length,
    unions: Array.isArray(anyOf) || Array.isArray(type) ? 1 : 0,
  };
  return [...Object.values(fields), items, ...choices].map(weighStrict).reduce(addWeights, own);
}

function findSchemaFault(schema: Record<string, unknown>): string | undefined {
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    return 'every object needs `additionalProperties: false`';
  }
  const pattern = schema['pattern'];
  if (typeof pattern === 'string' && UNSUPPORTED_PATTERN.test(pattern))
    return `the pattern ${pattern} uses lookaround, a backreference or a word boundary`;
  return undefined;
}

function addWeights(a: StrictWeight, b: StrictWeight): StrictWeight {
  return { optional: a.optional + b.optional, unions: a.unions + b.unions, fault: a.fault ?? b.fault };
}
