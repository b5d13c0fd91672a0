/** `agents/<name>/agent.yaml` as a person wrote it: every tool that it names exists, here, in the project or at a server. */
import { AgentDefinition } from '../agent/definition.ts';
import { SUBAGENT_TOOL } from '../agent/tools/subagent.ts';
import { SKILL_TOOL } from '../context/facts/active-skill.ts';
import { nearestWord } from '../evaluation/components/nearest-word.ts';
import { PLUGIN_PREFIX } from '../ports/plugins/plugins.ts';
import { SERVER_PREFIX } from '../ports/tools/tool-servers.ts';
import type { Home } from './home.ts';
import { listProjectTools, type ProjectToolList } from './project-tools.ts';

const FILE_TOOLS = ['read', 'write', 'edit', 'remove', 'rename', 'glob', 'grep'];
const ENDS_OF_TURNS = ['submit_design', 'submit_iteration', 'close_iteration', 'return_to_init'];

/** Everything that an agent can be given without a server. */
export const AGENT_TOOLS: readonly string[] = [
  ...FILE_TOOLS,
  'todo_write',
  'recall',
  SKILL_TOOL,
  SUBAGENT_TOOL,
  ...ENDS_OF_TURNS,
];

/** `servers`: the names under `mcp:` of the configuration; `own`: the project's tools. A name of this program's own wins. */
export function agentFile(
  servers: readonly string[],
  own: Pick<ProjectToolList, 'files' | 'refused'>,
): typeof AgentDefinition {
  const known = [
    ...new Set([...AGENT_TOOLS, ...servers.map((name) => `${SERVER_PREFIX}${name}`), ...own.files.keys()]),
  ];
  const faultOf = (name: string): string | undefined =>
    known.includes(name) || name.startsWith(PLUGIN_PREFIX) ? own.refused.get(name) : unknownTool(name, known);
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

/** A name that is neither this program's nor a server's nor a plugin's is a file of the project. */
export function isProjectTool(name: string): boolean {
  return !AGENT_TOOLS.includes(name) && !name.startsWith(SERVER_PREFIX) && !name.startsWith(PLUGIN_PREFIX);
}

/** For a name in a file that several agents read; servers and plugins are known when all files are. */
export function toolFault(home: Home, name: string): string | undefined {
  if (name.startsWith(SERVER_PREFIX) || name.startsWith(PLUGIN_PREFIX)) return undefined;
  const { files, refused } = listProjectTools(home, AGENT_TOOLS);
  const known = [...AGENT_TOOLS, ...files.keys()];
  return known.includes(name) ? refused.get(name) : unknownTool(name, known);
}

/** ` Did you mean "write"?`, or nothing. */
export function meant(name: string, known: readonly string[]): string {
  const near = nearestWord(name, known);
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

function unknownTool(name: string, known: readonly string[]): string {
  const hint = meant(name, known);
  if (name.startsWith(SERVER_PREFIX)) return `no server of this name under mcp: in config/default.yaml.${hint}`;
  return `no tool is named "${name}".${hint} There are: ${known.join(', ')}.`;
}
