/** Servers of tools that a scenario names for its subject: the sandbox that asks them, and what agents are shown of them. */
import { z } from 'zod';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { InspectedServer } from '../../ports/tools/tool-worlds.ts';
import type { Brief } from '../../scenario/brief.ts';
import { fill } from '../../transcript/fill-template.ts';
import { ToolDefinition } from '../../transcript/message.ts';
import { HarnessError } from '../../errors.ts';
import type { Deps, StepContext } from '../deps.ts';
import { scenarioDirOf } from './participants.ts';

/** What the servers offered when the run first needed to know: later steps show their agents the same. */
export const SERVED_FILE = 'scenario/tool_servers.json';

export const ServedTools = z.strictObject({
  version: z.literal(1),
  servers: z.array(z.strictObject({ server: z.string(), tools: z.array(ToolDefinition), state: z.unknown() })),
});

/** More is not shown whole: a prompt is paid with every call. */
const MOST_CHARS = 40_000;

type Place = { run: Pick<RunFolder, 'dir'>; brief: Brief; deps: Pick<Deps, 'sandbox' | 'toolWorlds'> };

/** The sandbox of a run, with the servers of its scenario where it names any. */
export async function sandboxOf({ run, brief, deps }: Place): Promise<Sandbox> {
  const sandbox = await deps.sandbox();
  if (brief.tools === undefined) return sandbox;
  return deps.toolWorlds?.(brief.tools, scenarioDirOf(run)).serve(sandbox) ?? sandbox;
}

/** Empty where the scenario names no server. Contract: `infrastructure`, retryable, when one cannot be used. */
export async function servedToolsText({ run, brief, deps, signal }: Omit<StepContext, 'state'>): Promise<string> {
  if (brief.tools === undefined) return '';
  const text = (await run.read(SERVED_FILE)) ?? (await lookNow({ run, brief, deps, signal }));
  const { servers } = ServedTools.parse(JSON.parse(text));
  const shown = [servers, servers.map(withoutSchemas)].map((some) => some.map(blockOf).join('\n'));
  const servedTools = shown.find(({ length }) => length <= MOST_CHARS) ?? `${(shown[1] ?? '').slice(0, MOST_CHARS)}…`;
  return fill(deps.prompts.served_tools, { servedTools, file: SERVED_FILE }).trim();
}

async function lookNow({ run, brief, deps, signal }: Omit<StepContext, 'state'>): Promise<string> {
  const worlds = brief.tools && deps.toolWorlds?.(brief.tools, scenarioDirOf(run));
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

type Shown = Pick<InspectedServer, 'server' | 'state'> & { tools: readonly object[] };

function withoutSchemas(served: z.infer<typeof ServedTools>['servers'][number]): Shown {
  return { ...served, tools: served.tools.map(({ name, description }) => ({ name, description })) };
}

function blockOf({ server, tools, state }: Shown): string {
  const lines = tools.map((tool) => JSON.stringify(tool));
  const about =
    state === undefined
      ? 'it has no state, so no world holds it: its calls change nothing'
      : `its state as it starts: ${JSON.stringify(state)}`;
  return [`server ${server}; ${about}`, ...lines].join('\n');
}
