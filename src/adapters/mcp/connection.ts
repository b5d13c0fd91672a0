/** One tool server: started at its first use, started again after it died, and never waited for beyond its limits. */
import { z } from 'zod';
import { optionalPackage } from '../../optional-package.ts';
import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client';
import { describeError } from '../../errors.ts';
import { unlessAborted } from '../../ports/unless-aborted.ts';
import { neutraliseText } from '../../report/text/sanitise.ts';
import type { ServerTool } from './offered-tools.ts';
import { ProgramTransport } from './program-transport.ts';

/**
 * `redact` removes the server's secrets, which it may repeat and which must not reach a transcript or a log. Errors of
 * this file and the list of tools are redacted; answers are not.
 */
export type ServerOptions = {
  name: string;
  startMs: number;
  callMs: number;
  redact: (text: string) => string;
} & (
  | { command: readonly string[]; cwd: string; env: Readonly<Record<string, string>> }
  | { url: string; headers: Readonly<Record<string, string>> }
);

export type Connection = {
  /** Starts the server and lists its tools; rejects with one sentence when it does not answer properly. */
  tools: (signal: AbortSignal) => Promise<ServerTool[]>;
  call: (tool: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<CallToolResult>;
  close: () => Promise<void>;
};

/** The longest message of a server, and the most pages of its list of tools. */
const MAX_BYTES = 16_000_000;
const MAX_PAGES = 10;

/** A request failed on a working connection: the server refused it, or did not answer. */
export class RequestFault extends Error {}

type McpClientModule = typeof import('@modelcontextprotocol/client');
type OpenConnection = { client: Client; transport: Transport; isForgotten: () => boolean };
/** The library has its own time limits for most operations; after this margin waiting ends. */
const GRACE_MS = 1000;

export function connectTo(options: ServerOptions): Connection {
  let opened: Promise<OpenConnection> | undefined;
  const open = (signal: AbortSignal): Promise<OpenConnection> => {
    if (opened !== undefined) return opened;
    const mine = openClient(options, signal, () => {
      if (opened === mine) opened = undefined;
    });
    opened = mine;
    return mine;
  };
  return {
    tools: async (signal) => {
      const { client } = await open(signal);
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const found = await withRequestFault(options, 'listing its tools', () =>
        withTimeLimit(options.startMs, signal, (limits) => listTools(client, limits)),
      );
      return mapTexts(found, options.redact);
    },
    call: async (name, input, signal) => {
      const { client, isForgotten } = await open(signal);
      const called = (limits: RequestLimits) => client.callTool({ name, arguments: input }, limits);
      try {
        return await withRequestFault(options, name, () => withTimeLimit(options.callMs, signal, called));
      } finally {
        if (isForgotten()) await client.close();
      }
    },
    close: async () => {
      const last = await opened?.catch(() => undefined);
      opened = undefined;
      await last?.client.close();
      await last?.transport.close();
    },
  };
}

/** The library's own list refuses all tools of a server for one that it cannot read. */
const ToolsPage = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().optional().catch(undefined),
      inputSchema: z.unknown().optional(),
    }),
  ),
  nextCursor: z.string().optional(),
});

async function listTools(client: Client, limits: RequestLimits): Promise<ServerTool[]> {
  const tools: ServerTool[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, ToolsPage, limits);
    tools.push(...page.tools);
    if (page.nextCursor === undefined || page.nextCursor === cursor) return tools;
    cursor = page.nextCursor;
  }
  throw new Error(`its list has more than ${MAX_PAGES} pages`);
}

async function openClient(options: ServerOptions, signal: AbortSignal, onEnd: () => void): Promise<OpenConnection> {
  const load = () => import('@modelcontextprotocol/client');
  const library = await optionalPackage(`mcp:${options.name}`, '@modelcontextprotocol/client@2', load);
  let forgotten = false;
  const transport: Transport =
    'command' in options
      ? new ProgramTransport({ ...options, maxBytes: MAX_BYTES })
      : addressTransport(library, options, () => (forgotten = true));
  const client = new library.Client(
    { name: 'tandem', version: '0' },
    // Schemas of a server are not compiled, because a stranger could make that expensive.
    { capabilities: {}, jsonSchemaValidator: TRUSTING },
  );
  // Messages other than answers are ignored; a broken stream fails the call.
  Object.assign(client, { onclose: onEnd, onerror: () => undefined });
  try {
    await withTimeLimit(options.startMs, signal, (limits) => client.connect(transport, limits));
    return { client, transport, isForgotten: () => forgotten };
  } catch (error) {
    onEnd();
    await transport.close().catch(() => undefined);
    signal.throwIfAborted();
    throw new Error(`${options.name} does not start: ${describeReason(error, transport, options)}`, { cause: error });
  }
}

type RequestLimits = { signal: AbortSignal; timeout: number; maxTotalTimeout: number };

/** Contract: an abort rejects with the signal's own reason, and the time limit holds even when the library hangs. */
async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal,
  work: (limits: RequestLimits) => Promise<T>,
): Promise<T> {
  const end = Promise.withResolvers<never>();
  const late = setTimeout(() => end.reject(new Error(`it did not answer in ${ms / 1000} s`)), ms + GRACE_MS);
  try {
    return await unlessAborted(Promise.race([work({ signal, timeout: ms, maxTotalTimeout: ms }), end.promise]), signal);
  } finally {
    clearTimeout(late);
  }
}

const TRUSTING: NonNullable<NonNullable<ConstructorParameters<McpClientModule['Client']>[1]>['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Contract: rejects with a `RequestFault` of one sentence. */
async function withRequestFault<T>({ name, redact }: ServerOptions, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RequestFault(`${name}: ${what}: ${oneLine(describeError(error), redact)}`, { cause: error });
  }
}

function describeReason(error: unknown, transport: Transport, { redact }: ServerOptions): string {
  const words = transport instanceof ProgramTransport ? transport.readLastWords().trim() : '';
  const reason = oneLine(describeError(error), redact);
  return words === '' ? reason : `${reason}; it wrote: ${oneLine(words, redact)}`;
}

/** The text is redacted before it is cut, because half a key would not be recognized. */
export function oneLine(text: string, redact: (text: string) => string): string {
  return redact(neutraliseText(text).replaceAll(/\s+/g, ' ').trim()).slice(0, 500).toWellFormed();
}

/** A copy of a JSON value with every text in it changed. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_key, one: unknown) => (typeof one === 'string' ? change(one) : one)) as T;
}

/** The shortest pause before a server that asks to be called again at once. */
const LEAST_PAUSE_MS = 250;

/** `onForgotten`: called when the server does not know the session any more, so that a new one is opened. */
function addressTransport(
  { StreamableHTTPClientTransport }: McpClientModule,
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  onForgotten: () => void,
): Transport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (input, init) => {
      // No stream for unsolicited messages is opened, because they are ignored.
      if (init?.method === 'GET' && !new Headers(init.headers).has('last-event-id'))
        return new Response(null, { status: 405 });
      // Redirects are refused unless the library asks for them, because headers and body are for this address only.
      const response = await fetch(input, { redirect: 'error', ...init });
      if (response.status === 404) onForgotten();
      return capResponse(response);
    },
    reconnectionScheduler: (reconnect, ms) => {
      const waiting = setTimeout(reconnect, Math.max(ms, LEAST_PAUSE_MS)).unref();
      return () => clearTimeout(waiting);
    },
  });
}

/** Cuts an answer that is too long, and lets the call fail. */
function capResponse(response: Response): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) controller.error(new Error(`an answer of more than ${MAX_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(cap), { status, statusText, headers });
}
