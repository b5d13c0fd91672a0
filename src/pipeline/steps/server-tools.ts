/** Offers tools of servers and of the project to the agents of one step. Server tools and their answers are recorded, because a server may answer differently at a later try. */
import { z } from 'zod';
import { canonicalJson, sha256 } from '../../disk/sha256.ts';
import { HarnessError } from '../../errors.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { ToolAnswer, ToolHost } from '../../ports/tools/tool-host.ts';
import { SERVER_PREFIX, type OpenToolServers } from '../../ports/tools/tool-servers.ts';
import { PLUGIN_PREFIX } from '../../ports/plugins/plugins.ts';
import { ImageBlock, ToolDefinition } from '../../transcript/message.ts';
import type { Deps } from '../deps.ts';
import { openProjectTools, type ProjectTools } from '../../evaluation/proof/open-project-tools.ts';
import { clipText, neutraliseText } from '../../report/text/sanitise.ts';

export type ServerTools = {
  /** Creates the host of one conversation: `lane` names it, `names` are the tools of its definition. */
  hostOf: (lane: string, names: readonly string[]) => ToolHost;
  close: () => Promise<void>;
};

type ServerToolsInput = {
  attempt: Pick<Attempt, 'recall' | 'remember'>;
  deps: Pick<Deps, 'sandbox' | 'toolServers' | 'progress'>;
  signal: AbortSignal;
};

/** The offer at a step's first try: later tries must send the same, because their paid answers belong to it. */
const Offered = z.array(z.object({ server: z.string(), definitions: z.array(ToolDefinition) }));
type Offered = z.infer<typeof Offered>;

const Answer = z.object({ content: z.string(), is_error: z.boolean(), images: z.array(ImageBlock).optional() });

/** Contract: servers start only for an agent that names one, the sandbox only for one with a tool of the project; the caller closes. */
export async function openServerTools(agent: LoadedAgent, step: ServerToolsInput): Promise<ServerTools> {
  const own = await openStepTools(agent, step.deps, step.signal);
  try {
    const servers = await openServers(agent, step);
    return {
      hostOf: (lane, names) => joinHosts(own.hostOf(lane, names), servers.hostOf(lane, names)),
      close: async () => void (await Promise.allSettled([own.close(), servers.close()])),
    };
  } catch (error) {
    await own.close();
    throw error;
  }
}

function joinHosts(one: ToolHost, other: ToolHost): ToolHost {
  const isFirst = (name: string): boolean => one.definitions.some((tool) => tool.name === name);
  return {
    definitions: [...one.definitions, ...other.definitions],
    call: (name, input, signal) => (isFirst(name) ? one : other).call(name, input, signal),
  };
}

async function openServers(agent: LoadedAgent, { attempt, deps, signal }: ServerToolsInput): Promise<ServerTools> {
  const names = listServers([...agent.definition.tools, ...(agent.subagent?.agent.definition.tools ?? [])]);
  if (names.length === 0) return NO_SERVERS;
  if (deps.toolServers === undefined)
    throw new HarnessError('config_invalid', `${SERVER_PREFIX}${names.join(', ')}: no servers of tools are open here.`);
  const open = await deps.toolServers.open(names, signal);
  try {
    for (const problem of open.offered.flatMap(({ problems }) => problems))
      deps.progress({ type: 'state', status: 'notice', detail: `server of tools: ${problem}` });
    const offered = await recallOffered(attempt, open);
    const hostOf = (lane: string, tools: readonly string[]): ToolHost => {
      const definitions = offered.flatMap(({ server, definitions: own }) =>
        tools.includes(server.startsWith(PLUGIN_PREFIX) ? server : `${SERVER_PREFIX}${server}`) ? own : [],
      );
      return withRecordedAnswers({ ...open.host, definitions }, lane, attempt);
    };
    return { hostOf, close: () => open.close() };
  } catch (error) {
    await open.close();
    throw error;
  }
}

/** Lists servers by their names, plugins with their prefix. */
export function listServers(tools: readonly string[]): string[] {
  const named = tools.flatMap((tool) => {
    if (tool.startsWith(SERVER_PREFIX)) return [tool.slice(SERVER_PREFIX.length)];
    return tool.startsWith(PLUGIN_PREFIX) ? [tool] : [];
  });
  return [...new Set(named)];
}

async function recallOffered(attempt: ServerToolsInput['attempt'], { offered }: OpenToolServers): Promise<Offered> {
  const before = Offered.safeParse(await attempt.recall('servers/offered'));
  if (before.success) return before.data;
  const now = offered.map(({ server, definitions }) => ({ server, definitions: [...definitions] }));
  await attempt.remember('servers/offered', now);
  return now;
}

/**
 * A repeated step makes its calls in the same order, and each gets its recorded answer. A call that ended between the
 * server's answer and its record is made again.
 */
export function withRecordedAnswers(host: ToolHost, lane: string, attempt: ServerToolsInput['attempt']): ToolHost {
  const times = new Map<string, number>();
  return {
    ...host,
    async call(name, input, signal): Promise<ToolAnswer> {
      const digest = sha256(canonicalJson([lane, name, input])).slice(0, 24);
      const time = (times.get(digest) ?? 0) + 1;
      times.set(digest, time);
      const key = `servers/${digest}-${time}`;
      const before = Answer.safeParse(await attempt.recall(key));
      if (before.success) {
        const { images, ...rest } = before.data;
        return { ...rest, ...(images && { images }) };
      }
      const answer = await host.call(name, input, signal);
      await attempt.remember(key, answer);
      return answer;
    },
  };
}

const MOST_CHARS = 60_000;

/**
 * Contract: `config_invalid` with file and line when a tool does not prove itself. Answers are not stored: a repeated
 * step calls again and gets the same, because a tool has neither clock nor chance nor network.
 */
async function openStepTools(
  { projectTools }: Pick<LoadedAgent, 'projectTools'>,
  { sandbox }: Pick<Deps, 'sandbox'>,
  signal: AbortSignal,
): Promise<ServerTools> {
  if (projectTools === undefined) return NO_SERVERS;
  const open = await openProjectTools(projectTools, await sandbox(), signal);
  if (open.problems.length === 0)
    return { hostOf: (_lane, names) => createToolHost(open, names), close: () => open.close() };
  await open.close();
  throw new HarnessError('config_invalid', open.problems.join('\n'));
}

const NO_TOOLS: ToolHost = {
  definitions: [],
  call: async (name) => ({ content: `No tool is named ${name}.`, is_error: true }),
};
export const NO_SERVERS: ServerTools = { hostOf: () => NO_TOOLS, close: () => Promise.resolve() };

/** Keeps the world between the calls of one conversation. */
function createToolHost({ tools, call }: ProjectTools, names: readonly string[]): ToolHost {
  let world = {};
  const definitions = tools
    .filter(({ name }) => names.includes(name))
    .map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  return {
    definitions,
    async call(name, input, signal): Promise<ToolAnswer> {
      const { output, is_error, world: after } = await call({ tool: name, args: input, world }, signal);
      world = after;
      const text = typeof output === 'string' ? output : JSON.stringify(output);
      return { content: clipText(neutraliseText(text), MOST_CHARS), is_error };
    },
  };
}
