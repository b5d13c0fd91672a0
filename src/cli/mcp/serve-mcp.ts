/** `tandem mcp`: serves the Model Context Protocol over standard input and output or over HTTP. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { toAccess } from '../../app/web/open-review.ts';
import { isLoopback } from '../../config/endpoint.ts';
import { findHome } from '../../config/home.ts';
import { loadReviewers, type Reviewers } from '../../config/reviewers.ts';
import { describeError, usageError } from '../../errors.ts';
import { optionalPackage } from '../../optional-package.ts';
import { createToolEndpoint, type ToolCaller } from '../../web/create-tool-endpoint.ts';
import { startListening } from '../../web/listen.ts';
import { commandActor } from '../actor.ts';
import { waitForAbort, type Call, type JsonFlag, type BooleanFlags, type TextFlags } from '../command-context.ts';
import { EXIT } from '../exit-code.ts';
import { parseListenAddress, listAllowedHosts, formatOrigin } from '../serve/listen-address.ts';
import { createToken, readOrCreateToken } from '../serve/token-file.ts';
import { limitCalls } from './limit-calls.ts';
import { createToolServer, type McpServerModule, type ToolServerDeps } from './tool-server.ts';

type McpOptions = BooleanFlags<'readOnly'> & TextFlags<'listen' | 'tokenFile'> & JsonFlag;

/** Resolves when the client closes the connection, or the command is stopped. */
export async function mcpCommand(options: McpOptions, call: Call): Promise<number> {
  const { io, signal } = call;
  const { library, stdio } = await loadMcpModules();
  const home = findHome(io.cwd);
  let folder: Promise<string> | undefined;
  const serving: ToolServerDeps = {
    ...{ library, signal, readOnly: options.readOnly === true, where: { cwd: io.cwd, env: io.env } },
    store: openStore(home).store,
    logs: () => (folder ??= mkdtemp(join(tmpdir(), 'tandem-mcp-'))),
    limit: limitCalls({ each: 8, all: 24 }),
  };
  if (options.listen !== undefined)
    return serveHttp({ ...serving, hide: home.project }, { ...options, listen: options.listen }, call);
  const here: ToolCaller = { name: getCallerName(call), scope: undefined, mayAct: () => true };
  const server = createToolServer(serving, here);
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

/** Returns the name of the person or agent at this terminal. */
function getCallerName({ io }: Call): string {
  return commandActor(io).replace(/^(?:user|agent):/, '');
}

/** An agent sends more requests than a person clicks. */
const LIMITS = { requests: 600, signIns: 10 };
const MOST_BYTES = 256 * 1024;
/** Limit of event streams; this server sends none. */
const MOST_STREAMS = 16;

/** Requests are stateless: there are no sessions that could be hijacked, forgotten or piled up. */
async function serveHttp(
  serving: ToolServerDeps,
  options: McpOptions & { listen: string },
  { io, signal }: Call,
): Promise<number> {
  const reviewers = await loadReviewers(findHome(io.cwd));
  const { host, port } = parseListenAddress(options.listen);
  const loopback = isLoopback(host);
  if (!loopback) refuseUnprotectedAddress(host, reviewers);
  const token =
    options.tokenFile === undefined ? createToken() : await readOrCreateToken(resolve(io.cwd, options.tokenFile));
  const local = loopback ? { name: commandActor(io).replace(/^(?:user|agent):/, ''), token } : undefined;
  const handler = serving.library.createMcpHandler(
    ({ authInfo }) => createToolServer(serving, authInfo?.extra?.['caller'] as ToolCaller),
    {
      ...{ maxRequestBodySize: MOST_BYTES, maxSubscriptions: MOST_STREAMS },
      onerror: (error) => io.err(describeError(error)),
    },
  );
  const hosts: string[] = [];
  const app = createToolEndpoint({
    ...{ hosts, limits: LIMITS, clock: { now: () => new Date() }, access: toAccess(reviewers, local) },
    // The web server has checked the token, and the code behind it does not need it.
    answer: (request, caller) =>
      handler.fetch(request, { authInfo: { token: '', clientId: caller.name, scopes: [], extra: { caller } } }),
  });
  const server = await startListening({ app, close: () => undefined }, { host, port });
  hosts.push(...listAllowedHosts(host, server.port, reviewers));
  printMcpAddress(
    options,
    { url: `${formatOrigin(host, server.port)}/mcp`, port: server.port, token: local?.token },
    io,
  );
  await waitForAbort(signal);
  await handler.close();
  await server.close();
  return EXIT.met;
}

function refuseUnprotectedAddress(host: string, { reviewers }: Reviewers): void {
  if (reviewers.some((one) => one.token_sha256 !== undefined || one.agent_token_sha256 !== undefined)) return;
  throw usageError(
    `--listen ${host}: tools are served beyond this machine only when it is known whose agents come in. Name reviewers with agent_token_sha256 in config/reviewers.yaml, or listen on 127.0.0.1 and use ssh -L.`,
  );
}

type McpAddress = { url: string; port: number; token: string | undefined };

function printMcpAddress({ json }: McpOptions, { url, port, token }: McpAddress, io: Call['io']): void {
  if (json === true) return io.out(JSON.stringify({ url, port, ...(token !== undefined && { token }) }));
  io.out(`Tools         ${url}`);
  io.out(
    token === undefined ? 'Tokens: agent_token_sha256 in config/reviewers.yaml.' : `Authorization Bearer ${token}`,
  );
  io.err('Ctrl-C stops it; runs that it started go on.');
}
