/** A server of tools with a state, called through a sandbox as the evaluation calls it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openToolWorlds } from '../../src/adapters/mcp/tool-worlds.ts';
import type { WorldSetup } from '../../src/adapters/mcp/world-server.ts';
import type { Sandbox, SandboxOutcome, OpenSandbox } from '../../src/ports/sandbox.ts';
import type { JsonObject } from '../../src/scenario/json/json-value.ts';
import { scratch } from './scratch.ts';

const live = new AbortController().signal;
export const PROGRAM = 'test/support/world-server.mjs';

export function setupOf(mode: string, more: Partial<WorldSetup> = {}): WorldSetup {
  return {
    name: 'shop',
    command: [process.execPath, PROGRAM, mode],
    cwd: '.',
    env: { PATH: process.env['PATH'] ?? '' },
    startMs: 20_000,
    callMs: 20_000,
    reset: { tool: 'set_world' },
    state: { tool: 'read_world' },
    redact: (text) => text,
    ...more,
  };
}

/** Nothing else is asked of it here. */
const none: OpenSandbox = {
  call: async () => ({ ok: false, kind: 'bad_module', message: 'not here' }),
  askAll: async () => [],
  close: async () => undefined,
};
export const inner: Sandbox = { kind: 'none', gaps: [], open: async () => none };

type Calling = { tool: string; input?: JsonObject; world?: JsonObject; lane?: AbortSignal };
type Shop = {
  call: (calling: Calling) => Promise<SandboxOutcome>;
  describe: (tool: string) => Promise<SandboxOutcome>;
};

export async function openShop(setup: WorldSetup): Promise<Shop> {
  const dir = await scratch();
  const session = await openToolWorlds([setup]).serve(inner).open(dir);
  onTestFinished(() => session.close());
  // Written once: a file that is being written is read as an empty one by calls at the same time.
  const written = new Map<string, Promise<void>>();
  const moduleOf = async (tool: string): Promise<string> => {
    const file = { server: 'shop', tool, examples: [{ input: {}, world: 'base' }] };
    const done = written.get(tool) ?? writeFile(join(dir, `${tool}.mcp.json`), JSON.stringify(file));
    written.set(tool, done);
    await done;
    return `${tool}.mcp.json`;
  };
  return {
    async call({ tool, input = {}, world = { shop: { sum: 0 } }, lane }) {
      const call = { module: await moduleOf(tool), name: 'run', args: [input, world], timeoutMs: 5000 };
      return session.call(lane === undefined ? call : { ...call, lane }, live);
    },
    async describe(tool) {
      return session.call({ module: await moduleOf(tool), name: 'tool', args: [], timeoutMs: 5000 }, live);
    },
  };
}

export const sumAfter = (outcome: SandboxOutcome): unknown =>
  outcome.ok ? (outcome.args[1] as JsonObject)['shop'] : outcome;
