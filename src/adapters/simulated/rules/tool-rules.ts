/** Rules for tool definitions and tool choice (docs/internals/api-rules.md §2.4). */
import type { Submission } from '../request/submission.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import { usesIn } from './pair-rules.ts';
import { isJsonObject } from '../../../scenario/json/json-value.ts';

const MAX_STRICT = { tools: 20, optional: 24, unions: 16 };

export const TOOL_RULES: readonly Rule<Submission>[] = [
  { id: 'tools_defined', check: toolsDefined },
  { id: 'tool_name_format', check: nameFormat },
  { id: 'tool_names_unique', check: namesUnique },
  { id: 'strict_limits', check: strictLimits },
  { id: 'tool_choice_needs_tools', check: choiceNeedsTools },
  { id: 'tool_choice_known', check: choiceKnown },
  { id: 'forced_choice_supported', check: forcedChoice },
  { id: 'forced_choice_not_with_enabled', check: forcedWithEnabled },
];

/** A strict reading of an undocumented rule: a history with tool blocks must come with its tools. */
function toolsDefined({ request, turns }: Submission): ApiError | undefined {
  const uses = turns.some((turn) => usesIn(turn).length > 0);
  if (uses && (request.tools ?? []).length === 0)
    return invalidRequest('Requests which include `tool_use` or `tool_result` blocks must define tools');
  return undefined;
}

function nameFormat({ request }: Submission): ApiError | undefined {
  const index = (request.tools ?? []).findIndex(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
  if (index === -1) return undefined;
  return invalidRequest(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
}

function namesUnique({ request }: Submission): ApiError | undefined {
  const names = (request.tools ?? []).map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : invalidRequest(`tools: Tool names must be unique. ${twice} occurs twice.`);
}

function strictLimits({ request }: Submission): ApiError | undefined {
  const strict = (request.tools ?? []).filter((tool) => tool.strict === true);
  if (strict.length > MAX_STRICT.tools)
    return invalidRequest(`tools: at most ${MAX_STRICT.tools} strict tools are allowed`);
  const weight = { optional: 0, unions: 0 };
  for (const tool of strict) {
    const found = weighStrict(tool.input_schema);
    if (found.fault !== undefined) return invalidRequest(`tools: strict tool ${tool.name}: ${found.fault}`);
    weight.optional += found.optional;
    weight.unions += found.unions;
  }
  if (weight.optional > MAX_STRICT.optional) {
    return invalidRequest(
      `tools: strict tools may have ${MAX_STRICT.optional} optional parameters, found ${weight.optional}`,
    );
  }
  if (weight.unions > MAX_STRICT.unions)
    return invalidRequest(`tools: strict tools may have ${MAX_STRICT.unions} union parameters, found ${weight.unions}`);
  return undefined;
}

function choiceNeedsTools({ request }: Submission): ApiError | undefined {
  if (request.tool_choice !== undefined && (request.tools ?? []).length === 0)
    return invalidRequest('tool_choice: may only be specified while providing `tools`');
  return undefined;
}

function choiceKnown({ request }: Submission): ApiError | undefined {
  const choice = request.tool_choice;
  if (choice?.type !== 'tool' || request.tools?.some(({ name }) => name === choice.name) === true) return undefined;
  return invalidRequest(`tool_choice.name: tool ${choice.name} is not among \`tools\``);
}

function isForced({ request }: Submission): boolean {
  return request.tool_choice?.type === 'any' || request.tool_choice?.type === 'tool';
}

function forcedChoice(submission: Submission): ApiError | undefined {
  if (isForced(submission) && !submission.model.forcedChoice)
    return invalidRequest('tool_choice: type "tool" and "any" are not supported for this model.');
  return undefined;
}

function forcedWithEnabled(submission: Submission): ApiError | undefined {
  if (isForced(submission) && submission.request.thinking?.type === 'enabled')
    return invalidRequest('Thinking may not be enabled when tool_choice forces tool use.');
  return undefined;
}

/** The size of a strict tool's schema, and its first unsupported feature (docs/internals/api-rules.md §2.4). */
type StrictWeight = { optional: number; unions: number; fault?: string };

/** Lookaround, backreferences and word boundaries cannot be compiled into a grammar. */
const UNSUPPORTED_PATTERN = /\(\?[=!<]|\\[1-9bB]/;

/** Walks objects, arrays and unions; the first fault wins. */
function weighStrict(schema: unknown): StrictWeight {
  if (!isJsonObject(schema)) return { optional: 0, unions: 0 };
  const fault = findSchemaFault(schema);
  if (fault !== undefined) return { optional: 0, unions: 0, fault };
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const own: StrictWeight = {
    optional: Object.keys(properties).filter((key) => !required.includes(key)).length,
    unions: Array.isArray(schema['anyOf']) || Array.isArray(schema['type']) ? 1 : 0,
  };
  const anyOf = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return [...Object.values(properties), schema['items'], ...anyOf].map(weighStrict).reduce(addWeights, own);
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
  const fault = a.fault ?? b.fault;
  return { optional: a.optional + b.optional, unions: a.unions + b.unions, ...(fault === undefined ? {} : { fault }) };
}
