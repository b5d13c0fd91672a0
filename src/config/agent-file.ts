/** Schema of `agents/<name>/agent.yaml`: every tool that it names must be built in, of the project, or of a server. */
import { AgentDefinition } from '../agent/definition.ts';
import { SUBAGENT_TOOL } from '../agent/tools/subagent.ts';
import { SKILL_TOOL } from '../context/facts/active-skill.ts';
import { nearestWord } from '../evaluation/components/schema-issues.ts';
import { PLUGIN_PREFIX } from '../ports/plugins/plugins.ts';
import { SERVER_PREFIX } from '../ports/tools/tool-servers.ts';
import type { Home } from './home.ts';
import { listProjectTools, type ProjectToolList } from './project-tools.ts';

const FILE_TOOLS = ['read', 'write', 'edit', 'remove', 'rename', 'glob', 'grep'];
const ENDS_OF_TURNS = ['submit_design', 'submit_iteration', 'close_iteration', 'return_to_init'];

/** Every tool that an agent can be given without a server. */
export const AGENT_TOOLS: readonly string[] = [
  ...FILE_TOOLS,
  'todo_write',
  'recall',
  SKILL_TOOL,
  SUBAGENT_TOOL,
  ...ENDS_OF_TURNS,
];

/** `servers` are the names under `mcp:` of the configuration, `own` the project's tools. A built-in name wins. */
export function createAgentSchema(
  servers: readonly string[],
  own: Pick<ProjectToolList, 'files' | 'refused'>,
): typeof AgentDefinition {
  const known = [
    ...new Set([...AGENT_TOOLS, ...servers.map((name) => `${SERVER_PREFIX}${name}`), ...own.files.keys()]),
  ];
  const faultOf = (name: string): string | undefined =>
    known.includes(name) || name.startsWith(PLUGIN_PREFIX) ? own.refused.get(name) : describeUnknownTool(name, known);
  return AgentDefinition.superRefine(({ tools, subagent }, context) => {
    const check = (names: readonly string[], path: readonly string[]): void => {
      for (const [index, name] of names.entries()) {
        const message = faultOf(name);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [...path, index], message });
      }
    };
    check(tools, ['tools']);
    check(subagent?.tools ?? [], ['subagent', 'tools']);
  });
}

/** Returns true for a file of the project: a name that is neither built in nor of a server or plugin. */
export function isProjectTool(name: string): boolean {
  return !AGENT_TOOLS.includes(name) && !name.startsWith(SERVER_PREFIX) && !name.startsWith(PLUGIN_PREFIX);
}

/** Checks a tool name in a file that several agents read; servers and plugins are checked once all files are read. */
export function findToolFault(home: Home, name: string): string | undefined {
  if (name.startsWith(SERVER_PREFIX) || name.startsWith(PLUGIN_PREFIX)) return undefined;
  const { files, refused } = listProjectTools(home, AGENT_TOOLS);
  const known = [...AGENT_TOOLS, ...files.keys()];
  return known.includes(name) ? refused.get(name) : describeUnknownTool(name, known);
}

/** Returns ` Did you mean "write"?`, or an empty text. */
export function formatSuggestion(name: string, known: readonly string[]): string {
  const near = nearestWord(name, known);
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

function describeUnknownTool(name: string, known: readonly string[]): string {
  const hint = formatSuggestion(name, known);
  if (name.startsWith(SERVER_PREFIX)) return `no server of this name under mcp: in config/default.yaml.${hint}`;
  return `no tool is named "${name}".${hint} There are: ${known.join(', ')}.`;
}
