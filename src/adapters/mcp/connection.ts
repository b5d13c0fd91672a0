/** One server: started when it is first needed, started again after it died, and never waited for longer than its limits. */
import { optionalPackage } from '../../optional-package.ts';
import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client';
import { messageOf } from '../../errors.ts';
import { neutralise } from '../../report/text/sanitise.ts';
import { addressTransport } from './address-transport.ts';
import type { ServerTool } from './offered-tools.ts';
import { ProgramTransport } from './program-transport.ts';

/**
 * `redact` takes out what the server was given in confidence: a server that repeats it must not bring it into a transcript or a
 * log. What is thrown here has gone through it, and so has the list of tools; answers have not.
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
  /** Starts the server; rejects with one sentence when it does not answer as one. */
  tools: (signal: AbortSignal) => Promise<ServerTool[]>;
  call: (tool: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<CallToolResult>;
  close: () => Promise<void>;
};

/** The longest message of a server, and the most pages of its list of tools. */
const MAX_BYTES = 16_000_000;
const MAX_PAGES = 10;

/** A request failed on a connection that stood: the server said no, or did not answer. */
export class RequestFault extends Error {}

type Library = typeof import('@modelcontextprotocol/client');
type Open = { client: Client; transport: Transport; isForgotten: () => boolean };
/** The library has its own time limits for most operations; after this margin waiting ends. */
const GRACE_MS = 1000;

export function connectTo(options: ServerOptions): Connection {
  let opened: Promise<Open> | undefined;
  const open = (signal: AbortSignal): Promise<Open> => {
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
      const listed = (limits: Limits) => client.listTools(undefined, limits);
      const found = await within(options, 'listing its tools', () => inTime(options.startMs, signal, listed));
      return redactedTexts(found.tools, options.redact);
    },
    call: async (name, input, signal) => {
      const { client, isForgotten } = await open(signal);
      const called = (limits: Limits) => client.callTool({ name, arguments: input }, limits);
      try {
        return await within(options, name, () => inTime(options.callMs, signal, called));
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

async function openClient(options: ServerOptions, signal: AbortSignal, onEnd: () => void): Promise<Open> {
  const library = await load(options.name);
  let forgotten = false;
  const transport = transportTo(options, library, () => (forgotten = true));
  const client = new library.Client(
    { name: 'tandem', version: '0' },
    // Schemas of a server are its own affair: compiling them would be work that a stranger sets us.
    { capabilities: {}, jsonSchemaValidator: TRUSTING, listMaxPages: MAX_PAGES },
  );
  // Messages other than answers are ignored; a broken stream fails the call.
  Object.assign(client, { onclose: onEnd, onerror: () => undefined });
  try {
    await inTime(options.startMs, signal, (limits) => client.connect(transport, limits));
    return { client, transport, isForgotten: () => forgotten };
  } catch (error) {
    onEnd();
    await transport.close().catch(() => undefined);
    signal.throwIfAborted();
    throw new Error(`${options.name} does not start: ${reasonOf(error, transport, options)}`, { cause: error });
  }
}

function load(name: string): Promise<Library> {
  const library = () => import('@modelcontextprotocol/client');
  return optionalPackage(`mcp:${name}`, '@modelcontextprotocol/client@2', library);
}

function transportTo(options: ServerOptions, library: Library, onForgotten: () => void): Transport {
  return 'command' in options
    ? new ProgramTransport({ ...options, maxBytes: MAX_BYTES })
    : addressTransport(library, { ...options, maxBytes: MAX_BYTES }, onForgotten);
}

type Limits = { signal: AbortSignal; timeout: number; maxTotalTimeout: number };

/** Contract: an abort rejects with the signal's own reason; it is over in time whatever the library waits for. */
async function inTime<T>(ms: number, signal: AbortSignal, work: (limits: Limits) => Promise<T>): Promise<T> {
  const end = Promise.withResolvers<never>();
  const stop = (): void => end.reject(signal.reason);
  const late = setTimeout(() => end.reject(new Error(`it did not answer in ${ms / 1000} s`)), ms + GRACE_MS);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work({ signal, timeout: ms, maxTotalTimeout: ms }), end.promise]);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
  }
}

const TRUSTING: NonNullable<NonNullable<ConstructorParameters<Library['Client']>[1]>['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** Contract: rejects with one sentence. */
async function within<T>({ name, redact }: ServerOptions, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RequestFault(`${name}: ${what}: ${oneLine(messageOf(error), redact)}`, { cause: error });
  }
}

function reasonOf(error: unknown, transport: Transport, { redact }: ServerOptions): string {
  const words = transport instanceof ProgramTransport ? transport.lastWords.trim() : '';
  return [oneLine(messageOf(error), redact), ...(words === '' ? [] : [`it wrote: ${oneLine(words, redact)}`])].join(
    '; ',
  );
}

/** Redacted before it is cut: half a key would be known to nobody as one. */
export function oneLine(text: string, redact: (text: string) => string): string {
  return redact(neutralise(text).replaceAll(/\s+/g, ' ').trim()).slice(0, 500).toWellFormed();
}

function redactedTexts<T>(value: T, redact: (text: string) => string): T {
  const clean = (_key: string, one: unknown): unknown => (typeof one === 'string' ? redact(one) : one);
  return JSON.parse(JSON.stringify(value), clean) as T;
}
