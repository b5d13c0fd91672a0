/** Starts the offline model: a strict Messages API server on loopback that plays scripts. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { HarnessError, describeError, usageError } from '../../errors.ts';
import { createSimulatedPromptCache } from './cache.ts';
import { createFaultPlan, type HttpOutcome, refusalOutcome, SIMULATOR_HEADER } from './outcome.ts';
import { loadScripts } from './scripts/load-scripts.ts';
import { createResponder, type RequestRecord, type Responder } from './respond.ts';
import { type InjectedFault, type Player, Script, type ScriptInput } from './scripts/script.ts';

export type SimulatorOptions = {
  /** The folder of the scripts and their content files. */
  simulationDir: string | undefined;
  /** Further scripts without files. */
  scripts?: readonly ScriptInput[];
  /** A loopback address; default: 127.0.0.1. */
  host?: string;
  /** The port; 0 takes a free one. */
  port?: number;
  /** The clock that decides on retirement and on the life of cache entries. */
  now?: () => Date;
  /** Whether bound thinking is checked by default; default: true, as for every new account. */
  enforceBinding?: boolean;
  latencyMs?: number;
  faults?: readonly InjectedFault[];
  onRequest?: (record: RequestRecord) => void;
};

export type Simulator = {
  url: string;
  port: number;
  /** The newest requests, oldest first. */
  requests: readonly RequestRecord[];
  close(): Promise<void>;
};

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const KEPT_RECORDS = 10_000;

/** Contract: `config_invalid` names a broken script's file and line; `usage` any address but loopback. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0 } = options;
  if (!LOOPBACK.has(host)) {
    throw usageError(`The simulator serves loopback only, not ${host}; use 127.0.0.1.`);
  }
  const players = readPlayers(options);
  const requests: RequestRecord[] = [];
  const closing = new AbortController();
  const now = options.now ?? (() => new Date());
  const wire: WireOptions = {
    respond: createResponder({
      players,
      cache: createSimulatedPromptCache(),
      faults: createFaultPlan([...players.flatMap(({ script }) => script.faults), ...(options.faults ?? [])]),
      now,
      enforceBinding: options.enforceBinding ?? true,
    }),
    onRequest(record) {
      requests.push(record);
      if (requests.length > KEPT_RECORDS) requests.shift();
      options.onRequest?.(record);
    },
    latencyMs: options.latencyMs ?? 0,
    closing: closing.signal,
  };
  const server = createServer((request, response) => void serveRequest(wire, request, response));
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw usageError(`The simulator cannot listen on ${host}:${port}: ${describeError(cause)}.`, { cause });
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${bound}`,
    port: bound,
    requests,
    async close() {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function readPlayers({ simulationDir: dir, scripts = [] }: SimulatorOptions): Player[] {
  const loaded = dir === undefined ? [] : loadScripts(dir);
  return [
    ...loaded.map((script) => ({ script, dir })),
    ...scripts.map((script, index) => ({ script: readScript(script, index), dir: undefined })),
  ];
}

function readScript(script: ScriptInput, index: number): Script {
  const parsed = Script.safeParse(script);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HarnessError('config_invalid', `scripts[${index}].${issue?.path.join('.')}: ${issue?.message}.`);
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The transport over plain HTTP: it reads bodies and writes chunks. */
type WireOptions = {
  respond: Responder;
  onRequest: (record: RequestRecord) => void;
  /** A delay in milliseconds before every answer of a model, so that a person can watch. */
  latencyMs: number;
  /** Aborts pending delays when the server closes. */
  closing: AbortSignal;
};

async function serveRequest(options: WireOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { outcome, record } = await answerCall(options, request);
    if (outcome.status === 200 && options.latencyMs > 0 && request.method === 'POST') {
      await wait(options.latencyMs, undefined, { signal: options.closing });
    }
    options.onRequest(record);
    await sendOutcome(response, outcome);
  } catch (error) {
    // The client has gone, or the server is closing: nobody receives the answer.
    response.destroy(error instanceof Error ? error : new Error(describeError(error)));
  }
}

async function answerCall(
  { respond }: WireOptions,
  request: IncomingMessage,
): Promise<{ outcome: HttpOutcome; record: RequestRecord }> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  const head = { method: request.method ?? '', path: url?.pathname ?? '', headers: request.headers };
  const body = await readBody(request);
  try {
    const outcome = respond({ ...head, query: url?.searchParams ?? new URLSearchParams(), body });
    return { outcome, record: outcome.record };
  } catch (error) {
    // A fault of the simulator itself is reported, and the server continues.
    const message = `The simulator failed: ${describeError(error)}`;
    const outcome = refusalOutcome({ status: 500, type: 'api_error', message }, 'req_failed');
    return { outcome, record: { path: head.path, status: 500, rule: 'simulator', refusal: message } };
  }
}

/** Null when the body is too large; the rest is read and discarded, so that the client receives the answer. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_BODY_BYTES) chunks.length = 0;
    else chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

async function sendOutcome(response: ServerResponse, { status, headers, chunks, hangUp }: HttpOutcome): Promise<void> {
  response.writeHead(status, { ...headers, ...SIMULATOR_HEADER });
  for (const chunk of chunks) await writeChunk(response, chunk);
  if (hangUp) response.destroy();
  else response.end();
}

/** Resolves when the chunk is handed to the system, so that closing the socket next cannot lose it. */
function writeChunk(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
