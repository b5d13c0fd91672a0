/** The wire: bodies in, chunks out, over plain HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import { type HttpOutcome, refusalOutcome, SIMULATOR_HEADER } from './outcome.ts';
import type { RequestRecord, Responder } from './respond.ts';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_BATCH_BYTES = 256 * 1024 * 1024;

export type WireOptions = {
  respond: Responder;
  onRequest: (record: RequestRecord) => void;
  /** Lets a person watch: every answer of a model waits so long. */
  latencyMs: number;
  /** Ends waits when the server closes. */
  closing: AbortSignal;
};

export function createWire(options: WireOptions): Server {
  return createServer((request, response) => {
    void serve(options, request, response);
  });
}

async function serve(options: WireOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { outcome, record } = await answer(options, request);
    if (outcome.status === 200 && options.latencyMs > 0 && request.method === 'POST') {
      await wait(options.latencyMs, undefined, { signal: options.closing });
    }
    options.onRequest(record);
    await send(response, outcome);
  } catch (error) {
    // The client went away, or the server is closing: no one receives the answer.
    response.destroy(error instanceof Error ? error : new Error(messageOf(error)));
  }
}

async function answer(
  { respond }: WireOptions,
  request: IncomingMessage,
): Promise<{ outcome: HttpOutcome; record: RequestRecord }> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  const head = { method: request.method ?? '', path: url?.pathname ?? '', headers: request.headers };
  const body = await readBody(request, head.path.endsWith('/batches') ? MAX_BATCH_BYTES : MAX_BODY_BYTES);
  try {
    const outcome = respond({ ...head, query: url?.searchParams ?? new URLSearchParams(), body });
    return { outcome, record: outcome.record };
  } catch (error) {
    // A fault of our own is reported; the server continues.
    const message = `The simulator failed: ${messageOf(error)}`;
    const outcome = refusalOutcome({ status: 500, type: 'api_error', message }, 'req_failed');
    return { outcome, record: { path: head.path, status: 500, rule: 'simulator', refusal: message } };
  }
}

/** Null when it is too large; what comes after that is read and thrown away, so the client receives the answer. */
async function readBody(request: IncomingMessage, mostBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > mostBytes) chunks.length = 0;
    else chunks.push(chunk);
  }
  return size > mostBytes ? null : Buffer.concat(chunks).toString('utf8');
}

async function send(response: ServerResponse, { status, headers, chunks, hangUp }: HttpOutcome): Promise<void> {
  response.writeHead(status, { ...headers, ...SIMULATOR_HEADER });
  for (const chunk of chunks) await write(response, chunk);
  if (hangUp) response.destroy();
  else response.end();
}

/** Resolved when the chunk is with the system: a socket that is closed next must not swallow it. */
function write(response: ServerResponse, chunk: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
