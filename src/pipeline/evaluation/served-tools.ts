/** Servers of tools that a scenario names for its subject: the sandbox that asks them, and their description for agents. */
import { z } from 'zod';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { InspectedServer } from '../../ports/tools/tool-worlds.ts';
import type { Brief } from '../../scenario/brief.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { ToolDefinition } from '../../transcript/message.ts';
import { HarnessError } from '../../errors.ts';
import type { Deps, StepContext } from '../deps.ts';
import { getScenarioDir } from './participants.ts';

/** Stores the servers' first offer of the run, so that later steps show their agents the same. */
export const SERVED_FILE = 'scenario/tool_servers.json';

export const ServedTools = z.strictObject({
  version: z.literal(1),
  servers: z.array(z.strictObject({ server: z.string(), tools: z.array(ToolDefinition), state: z.unknown() })),
});

/** Longer descriptions are shortened, because a prompt is paid with every call. */
const MOST_CHARS = 40_000;

type SandboxContext = { run: Pick<RunFolder, 'dir'>; brief: Brief; deps: Pick<Deps, 'sandbox' | 'toolWorlds'> };

/** Opens the sandbox of a run, with the servers of its scenario where it names any. */
export async function openRunSandbox({ run, brief, deps }: SandboxContext): Promise<Sandbox> {
  const sandbox = await deps.sandbox();
  if (brief.tools === undefined) return sandbox;
  return deps.toolWorlds?.(brief.tools, getScenarioDir(run)).serve(sandbox) ?? sandbox;
}

/** Empty where the scenario names no server. Contract: `infrastructure`, retryable, when a server cannot be used. */
export async function describeServedTools({ run, brief, deps, signal }: Omit<StepContext, 'state'>): Promise<string> {
  if (brief.tools === undefined) return '';
  const text = (await run.read(SERVED_FILE)) ?? (await inspectServers({ run, brief, deps, signal }));
  const { servers } = ServedTools.parse(JSON.parse(text));
  const shown = [servers, servers.map(withoutSchemas)].map((some) => some.map(formatServer).join('\n'));
  const servedTools = shown.find(({ length }) => length <= MOST_CHARS) ?? `${(shown[1] ?? '').slice(0, MOST_CHARS)}…`;
  return fillTemplate(deps.prompts.served_tools, { servedTools, file: SERVED_FILE }).trim();
}

async function inspectServers({ run, brief, deps, signal }: Omit<StepContext, 'state'>): Promise<string> {
  const worlds = brief.tools && deps.toolWorlds?.(brief.tools, getScenarioDir(run));
  const looked = (await worlds?.look(signal)) ?? [];
  const [bad] = looked.filter(({ problems }) => problems.length > 0);
  if (bad !== undefined) {
    throw new HarnessError('infrastructure', bad.problems.join(' '), {
      retryable: true,
      details: { server: bad.server },
    });
  }
  const servers = looked.map(({ server, tools, state }) => ({ server, tools, state }));
  const text = `${JSON.stringify({ version: 1, servers }, null, 2)}\n`;
  await run.write(SERVED_FILE, text);
  return text;
}

type ServerSummary = Pick<InspectedServer, 'server' | 'state'> & { tools: readonly object[] };

function withoutSchemas(served: z.infer<typeof ServedTools>['servers'][number]): ServerSummary {
  return { ...served, tools: served.tools.map(({ name, description }) => ({ name, description })) };
}

function formatServer({ server, tools, state }: ServerSummary): string {
  const lines = tools.map((tool) => JSON.stringify(tool));
  const about =
    state === undefined
      ? 'it has no state, so no world holds it: its calls change nothing'
      : `its state as it starts: ${JSON.stringify(state)}`;
  return [`server ${server}; ${about}`, ...lines].join('\n');
}
