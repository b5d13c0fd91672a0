/** Tool servers for the agent under evaluation: a component that names a server's tool is answered by it, over the world that it is given. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { rememberSuccess } from '../../disk/serial-queue.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import { getOrCreate } from '../../get-or-create.ts';
import { parseJson } from '../../parse-json.ts';
import { listArguments, type SandboxCall, type SandboxOutcome, type OpenSandbox } from '../../ports/sandbox.ts';
import type { InspectedServer, ToolWorlds } from '../../ports/tools/tool-worlds.ts';
import { SERVED_ENDING, ServedToolFile } from '../../scenario/component.ts';
import { isJsonObject, sameJson } from '../../scenario/json/json-value.ts';
import type { ToolDefinition } from '../../transcript/message.ts';
import { servedTools } from './offered-tools.ts';
import { restoreNames } from './sendable-schema.ts';
import { openWorldPool, type WorldPool } from './world-pool.ts';
import { NO_STATE, openWorldServer, type WorldSetup } from './world-server.ts';

export type { WorldSetup } from './world-server.ts';

export function openToolWorlds(setups: readonly WorldSetup[]): ToolWorlds {
  return {
    look: (signal) => Promise.all(setups.map((setup) => inspectServer(setup, signal))),
    serve: (inner) => ({
      kind: inner.kind,
      gaps: inner.gaps,
      open: async (dir) => servedSession(await inner.open(dir), dir, setups),
    }),
  };
}

const toThrownOutcome = (message: string): SandboxOutcome => ({ ok: false, kind: 'threw', message });

function servedSession(inner: OpenSandbox, dir: string, setups: readonly WorldSetup[]): OpenSandbox {
  const held = new Map<string, HeldPool>();
  return {
    async call(call, signal) {
      if (!call.module.endsWith(SERVED_ENDING)) return inner.call(call, signal);
      const file = ServedToolFile.safeParse(parseJson(await readFile(join(dir, call.module), 'utf8').catch(() => '')));
      if (!file.success)
        return toThrownOutcome(`it is no {server, tool, examples}: ${file.error.issues.map(issueLine).join('; ')}`);
      const setup = setups.find(({ name }) => name === file.data.server);
      const known = setups.map(({ name }) => name).join(', ');
      if (setup === undefined)
        return toThrownOutcome(`scenario.yaml names no server "${file.data.server}"; there are: ${known}`);
      const pool = getOrCreate(held, setup.name, () => holdPool(setup));
      return call.name === 'tool'
        ? describeServed(call, { file: file.data, setup, pool }, signal)
        : callServed(call, { file: file.data, setup, pool }, signal);
    },
    askAll: (inquiry, signal) => inner.askAll(inquiry, signal),
    async close() {
      await Promise.all([inner.close(), ...[...held.values()].map((pool) => pool.release())]);
    },
  };
}

const issueLine = ({ path, message }: { path: PropertyKey[]; message: string }): string =>
  `/${path.map(String).join('/')}: ${message}`;

/** Describes the served tool in the form that the module of any other tool exports as `tool`. */
async function describeServed(
  { module }: SandboxCall,
  { file, setup, pool }: { file: ServedToolFile; setup: WorldSetup; pool: HeldPool },
  signal: AbortSignal,
): Promise<SandboxOutcome> {
  const { tools, left } = await pool.offer(signal);
  const tool = tools.find(({ name }) => name === file.tool);
  if (tool !== undefined) {
    const { description, input_schema } = tool;
    const name = basename(module, SERVED_ENDING);
    return { ok: true, value: { name, description, input_schema, examples: file.examples }, args: [] };
  }
  const why = left.get(file.tool) ?? `there are: ${tools.map(({ name }) => name).join(', ') || 'none'}`;
  return toThrownOutcome(`the server "${setup.name}" has no tool "${file.tool}" for subjects; ${why}`);
}

async function callServed(
  { args, lane }: SandboxCall,
  { file: { server: key, tool }, setup, pool }: { file: ServedToolFile; setup: WorldSetup; pool: HeldPool },
  signal: AbortSignal,
): Promise<SandboxOutcome> {
  const [input, world] = listArguments(args);
  if (!isJsonObject(world) || !isJsonObject(input)) return toThrownOutcome('it is called with an input and a world');
  const state = setup.state === 'none' ? NO_STATE : world[key];
  if (state === undefined)
    return toThrownOutcome(`the world has no "${key}": the state of a server stands in it under the server's name`);
  const names = (await pool.offer(signal)).names.get(tool) ?? new Map<string, string>();
  const outcome = await pool.use(
    { lane, state },
    async (server): Promise<SandboxOutcome> => {
      const called = await server.call(tool, restoreNames(input, names), signal);
      if (!called.ok) return called;
      const after = sameJson(server.state, state) ? world : { ...world, [key]: server.state };
      return { ...called, args: [input, after] };
    },
    signal,
  );
  return typeof outcome === 'string' ? toThrownOutcome(outcome) : outcome;
}

type WorldOffer = ReturnType<typeof servedTools>;
type HeldPool = Pick<WorldPool, 'use'> & {
  offer: (signal: AbortSignal) => Promise<WorldOffer>;
  release: () => Promise<void>;
};

/** Sessions of one process share the processes of a server, because a server at an address has only one state. */
const pools = new Map<string, { pool: WorldPool; users: number; offer: HeldPool['offer'] }>();

function holdPool(setup: WorldSetup): HeldPool {
  const { redact: _redact, ...identity } = setup;
  const key = JSON.stringify(identity);
  const offer = rememberSuccess((signal: AbortSignal) => fetchOffer(setup, signal));
  const shared = getOrCreate(pools, key, () => ({ pool: openWorldPool(setup), users: 0, offer }));
  shared.users += 1;
  return {
    use: shared.pool.use,
    offer: shared.offer,
    release: async () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      pools.delete(key);
      await shared.pool.close();
    },
  };
}

async function fetchOffer(setup: WorldSetup, signal: AbortSignal): Promise<WorldOffer> {
  const server = openWorldServer(setup);
  try {
    return servedTools(await server.tools(signal), listReservedTools(setup));
  } finally {
    await server.close();
  }
}

/** The tools that set and read the state, which no subject may call. */
function listReservedTools({ reset, state }: Pick<WorldSetup, 'reset' | 'state'>): string[] {
  return [reset, state].flatMap((act) => (typeof act === 'object' && 'tool' in act ? [act.tool] : []));
}

async function inspectServer(setup: WorldSetup, signal: AbortSignal): Promise<InspectedServer> {
  const server = openWorldServer(setup);
  const problems: string[] = [];
  const named = `The server of tools "${setup.name}"`;
  let tools: readonly ToolDefinition[] = [];
  try {
    const all = await server.tools(signal);
    const offer = servedTools(all, listReservedTools(setup));
    tools = offer.tools;
    if (tools.length === 0) problems.push(`${named} offers no tool for subjects.`);
    const absent = listReservedTools(setup).filter((name) => !all.some((tool) => tool.name === name));
    problems.push(...absent.map((name) => `${named} has no tool "${name}", which reset or state names.`));
    if (absent.length > 0 || setup.state === 'none') return { server: setup.name, tools, problems };
    const state = await server.read(signal);
    const fault = await server.reset(state, signal);
    return { server: setup.name, tools, state, problems: fault === undefined ? problems : [...problems, `${fault}.`] };
  } catch (error) {
    signal.throwIfAborted();
    if (isHarnessError(error) && error.details['server'] === undefined) throw error;
    return { server: setup.name, tools, problems: [...problems, describeError(error)] };
  } finally {
    await server.close();
  }
}
