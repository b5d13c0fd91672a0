/** Rules for tool definitions, their input schemas and tool choice (docs/internals/api-rules.md §2.4). */
import { isJsonObject } from '../../../scenario/json/json-value.ts';
import type { Submission } from '../request/submission.ts';
import type { Rules } from '../request/refusal.ts';
import { usesIn } from './pair-rules.ts';

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

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isType = (value: unknown): boolean => typeof value === 'string' && TYPES.has(value);
const isNameList = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isValid(value);
const isSchemaList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isSchemaMap = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every(isSchema);

/** Every other word is allowed and checks nothing. */
const WORDS = new Map<string, (value: unknown) => boolean>([
  ['type', isTypes],
  ['required', isNameList],
  ['enum', Array.isArray],
  ['examples', Array.isArray],
  ...listWords('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', isNumber),
  ...listWords('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains', isCount),
  ...listWords('title description pattern format $ref $id $comment', isText),
  ...listWords('uniqueItems deprecated readOnly writeOnly', isFlag),
  ...listWords('items contains additionalProperties propertyNames not if then else', isSchema),
  ...listWords('allOf anyOf oneOf prefixItems', isSchemaList),
  ...listWords('properties patternProperties dependentSchemas $defs definitions', isSchemaMap),
]);

function isTypes(value: unknown): boolean {
  return isType(value) || (Array.isArray(value) && value.length > 0 && isNameList(value) && value.every(isType));
}

function listWords(words: string, check: (value: unknown) => boolean): [string, (value: unknown) => boolean][] {
  return words.split(' ').map((word) => [word, check]);
}

function isValid(schema: unknown): boolean {
  return isJsonObject(schema) && Object.entries(schema).every(([word, value]) => WORDS.get(word)?.(value) ?? true);
}

export const SCHEMA_RULES: Rules<Submission> = {
  tool_schema_choice: createSchemaRule(
    (schema) => !['oneOf', 'allOf', 'anyOf'].some((word) => word in schema),
    ': does not support oneOf, allOf, or anyOf at the top level',
  ),
  tool_schema_valid: createSchemaRule(isValid, ': JSON schema is invalid. It must match JSON Schema draft 2020-12'),
  tool_schema_names: createSchemaRule(
    hasPlainNames,
    ".properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  ),
};

function createSchemaRule(isRight: (schema: object) => boolean, complaint: string): Rules<Submission>[string] {
  return ({ request: { tools = [] } }) => {
    const wrong = tools.findIndex(({ input_schema: schema }) => !isRight(schema));
    return wrong !== -1 && `tools.${wrong}.custom.input_schema${complaint}`;
  };
}

/** Below a word that is not known there are no schemas. */
function hasPlainNames(schema: unknown): boolean {
  if (!isJsonObject(schema)) return true;
  const { properties } = schema;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  if (!names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))) return false;
  return Object.entries(schema).every(([word, value]) => {
    const check = WORDS.get(word);
    if (check === isSchema) return hasPlainNames(value);
    if (check === isSchemaList && Array.isArray(value)) return value.every(hasPlainNames);
    return check !== isSchemaMap || !isJsonObject(value) || Object.values(value).every(hasPlainNames);
  });
}
