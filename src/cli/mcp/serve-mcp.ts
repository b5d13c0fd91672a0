/** `tandem mcp`: serves the Model Context Protocol over standard input and output. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionalPackage } from '../../optional-package.ts';
import { commandActor, waitForAbort, type BooleanFlags, type Call, EXIT } from '../command-context.ts';
import { createToolServer, type McpServerModule } from './tool-server.ts';

/** Resolves when the client closes the connection, or the command is stopped. */
export async function mcpCommand({ readOnly }: BooleanFlags<'readOnly'>, { io, signal }: Call): Promise<number> {
  const { library, stdio } = await loadMcpModules();
  // The person or agent at this terminal: every act in a journal is that of an agent, which no gate takes for a decision.
  const caller = commandActor(io).replace(/^(?:user|agent):/, '');
  let folder: Promise<string> | undefined;
  const server = createToolServer({
    ...{ library, signal, readOnly: readOnly === true },
    where: { cwd: io.cwd, env: { ...io.env, TANDEM_AGENT: `mcp-${caller}` } },
    logs: () => (folder ??= mkdtemp(join(tmpdir(), 'tandem-mcp-'))),
  });
  const closed = new Promise<void>((settle) => {
    process.stdin.once('end', settle).once('close', settle);
  });
  await server.connect(new stdio.StdioServerTransport());
  await Promise.race([closed, waitForAbort(signal)]);
  await server.close();
  return EXIT.met;
}

function loadMcpModules(): Promise<{
  library: McpServerModule;
  stdio: typeof import('@modelcontextprotocol/server/stdio');
}> {
  return optionalPackage('tandem mcp', '@modelcontextprotocol/server@2', async () => ({
    library: await import('@modelcontextprotocol/server'),
    stdio: await import('@modelcontextprotocol/server/stdio'),
  }));
}
