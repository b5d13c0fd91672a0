/** Opens the tool servers of one agent session: they start and end together, and are called one by one. */
import { createConfigError, HarnessError, describeError } from '../../errors.ts';
import type { ToolAnswer } from '../../ports/tools/tool-host.ts';
import type { OpenToolServers, ToolServers } from '../../ports/tools/tool-servers.ts';
import { connectTo, type Connection, type ServerOptions } from './connection.ts';
import { restoreNames } from './sendable-schema.ts';
import { toolAnswer } from './tool-answer.ts';
import { type ServerOffer, offerTools } from './offered-tools.ts';

/** `allowed`: the tools that may be offered, by the server's names; absent: all. */
export type ServerSetup = ServerOptions & { allowed?: readonly string[]; maxChars: number };

type RunningServer = { setup: ServerSetup; connection: Connection; offer: ServerOffer };

export function openToolServers(setups: readonly ServerSetup[]): ToolServers {
  return {
    async open(names, signal) {
      const chosen = names.map((name) => findSetup(name, setups));
      const running = await Promise.all(chosen.map((setup) => startServer(setup, signal)));
      const close = async (): Promise<void> => {
        await Promise.allSettled(running.map(({ connection }) => connection.close()));
      };
      if (signal.aborted) {
        await close();
        throw signal.reason;
      }
      return { offered: running.map(({ offer }) => offer), host: createHost(running), close };
    },
  };
}

function findSetup(name: string, setups: readonly ServerSetup[]): ServerSetup {
  const found = setups.find((setup) => setup.name === name);
  if (found !== undefined) return found;
  const known = setups.map((setup) => setup.name).join(', ') || 'none';
  throw createConfigError(`No server of tools is named "${name}"; mcp: in config/default.yaml has: ${known}.`);
}

/** A server that fails loses its tools, but never fails the run. */
async function startServer(setup: ServerSetup, signal: AbortSignal): Promise<RunningServer> {
  const connection = connectTo(setup);
  try {
    const offer = offerTools(setup.name, await connection.tools(signal), setup.allowed);
    return { setup, connection, offer };
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    return { setup, connection, offer: { ...offerTools(setup.name, []), problems: [describeError(error)] } };
  }
}

function createHost(running: readonly RunningServer[]): OpenToolServers['host'] {
  return {
    definitions: running.flatMap(({ offer }) => offer.definitions),
    async call(name, input, signal): Promise<ToolAnswer> {
      signal.throwIfAborted();
      const server = running.find(({ offer }) => offer.owners.has(name));
      const owned = server?.offer.owners.get(name);
      if (server === undefined || owned === undefined)
        return { content: `${name}: its server does not answer now.`, is_error: true };
      try {
        const own = restoreNames(input, owned.names);
        return toolAnswer(await server.connection.call(owned.tool, own, signal), server.setup);
      } catch (error) {
        signal.throwIfAborted();
        return { content: describeError(error), is_error: true };
      }
    },
  };
}
