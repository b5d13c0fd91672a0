/** Rules for tool definitions and tool choice (docs/internals/api-rules.md §2.4). */
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
