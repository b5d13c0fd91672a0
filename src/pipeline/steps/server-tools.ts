/** Tools of servers and of the project for the agents of one step. Those of servers are the same at every try, and answered once, because a server need not answer the same again. */
import { z } from 'zod';
import { canonicalJson } from '../../disk/canonical-json.ts';
import { sha256 } from '../../disk/sha256.ts';
import { HarnessError } from '../../errors.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import { MOST_OFFERED, searchable } from '../../agent/tools/search-tools.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { ToolAnswer, ToolHost } from '../../ports/tools/tool-host.ts';
import { PLUGIN_PREFIX } from '../../ports/plugins/plugins.ts';
import { SERVER_PREFIX, type OpenToolServers } from '../../ports/tools/tool-servers.ts';
import { NO_TOOLS, openStepTools } from './project-tools.ts';
import { ImageBlock, ToolDefinition } from '../../transcript/message.ts';
import type { Deps } from '../deps.ts';

export type ServerTools = {
  /** For one conversation: `lane` names it, `names` are the tools of its definition. */
  hostOf: (lane: string, names: readonly string[]) => ToolHost;
  close: () => Promise<void>;
};

type Step = {
  attempt: Pick<Attempt, 'recall' | 'remember'>;
  deps: Pick<Deps, 'sandbox' | 'toolServers' | 'progress' | 'prompts'>;
  signal: AbortSignal;
};

/** What a step offered at its first try: later tries must send the same, or nothing that was paid for fits any longer. */
const Offered = z.array(z.object({ server: z.string(), definitions: z.array(ToolDefinition) }));
type Offered = z.infer<typeof Offered>;

const Answer = z.object({ content: z.string(), is_error: z.boolean(), images: z.array(ImageBlock).optional() });

/** Contract: servers start only for an agent that names one, the sandbox for one that names a tool of the project; whoever opens closes. */
export async function openServerTools(agent: LoadedAgent, step: Step): Promise<ServerTools> {
  const own = await openStepTools(agent, step.deps, step.signal);
  try {
    const servers = await openServers(agent, step);
    return {
      hostOf: (lane, names) => joined(own.hostOf(names), servers.hostOf(lane, names)),
      close: async () => void (await Promise.allSettled([own.close(), servers.close()])),
    };
  } catch (error) {
    await own.close();
    throw error;
  }
}

function joined(one: ToolHost, other: ToolHost): ToolHost {
  const isFirst = (name: string): boolean => one.definitions.some((tool) => tool.name === name);
  return {
    definitions: [...one.definitions, ...other.definitions],
    call: (name, input, signal) => (isFirst(name) ? one : other).call(name, input, signal),
  };
}

async function openServers(agent: LoadedAgent, { attempt, deps, signal }: Step): Promise<ServerTools> {
  const names = serversOf([...agent.definition.tools, ...(agent.subagent?.agent.definition.tools ?? [])]);
  if (names.length === 0) return { hostOf: () => NO_TOOLS, close: () => Promise.resolve() };
  if (deps.toolServers === undefined)
    throw new HarnessError('config_invalid', `${SERVER_PREFIX}${names.join(', ')}: no servers of tools are open here.`);
  const open = await deps.toolServers.open(names, signal);
  try {
    for (const problem of open.offered.flatMap(({ problems }) => problems))
      deps.progress({ type: 'state', status: 'notice', detail: `server of tools: ${problem}` });
    const offered = await sameAsBefore(attempt, open);
    const hostOf = (lane: string, tools: readonly string[]): ToolHost => {
      const definitions = offered.flatMap(({ server, definitions: own }) =>
        tools.includes(server.startsWith(PLUGIN_PREFIX) ? server : `${SERVER_PREFIX}${server}`) ? own : [],
      );
      const all = answeredOnce({ ...open.host, definitions }, lane, attempt);
      return definitions.length > MOST_OFFERED ? searchable(all, deps.prompts.tools) : all;
    };
    return { hostOf, close: () => open.close() };
  } catch (error) {
    await open.close();
    throw error;
  }
}

/** Servers by their names, plugins with their prefix. */
export function serversOf(tools: readonly string[]): string[] {
  const named = tools.flatMap((tool) => {
    if (tool.startsWith(SERVER_PREFIX)) return [tool.slice(SERVER_PREFIX.length)];
    return tool.startsWith(PLUGIN_PREFIX) ? [tool] : [];
  });
  return [...new Set(named)];
}

async function sameAsBefore(attempt: Step['attempt'], { offered }: OpenToolServers): Promise<Offered> {
  const before = Offered.safeParse(await attempt.recall('servers/offered'));
  if (before.success) return before.data;
  const now = offered.map(({ server, definitions }) => ({ server, definitions: [...definitions] }));
  await attempt.remember('servers/offered', now);
  return now;
}

/**
 * A step that is made again repeats its calls in their order: each gets the answer that it had. A call that ended between
 * the server's answer and its record is made again.
 */
export function answeredOnce(host: ToolHost, lane: string, attempt: Step['attempt']): ToolHost {
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
