/** A server on loopback between a client and a Messages API: it forwards everything, and makes some of it fail. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describeError, usageError } from '../../../src/errors.ts';
import { parseJson } from '../../../src/parse-json.ts';
import { createFaultChoice, FAULTS, type FaultRate } from './choose-fault.ts';
import {
  asJson,
  toAnswerEvents,
  joinEvents,
  readEvents,
  readLastUsage,
  type AnswerEvents,
  type JsonRecord,
} from './events.ts';
import { apiError, type Fault, type FaultReply } from './fault.ts';
import { createUnknownFields, type UnknownFields } from './unknown-fields.ts';
import { breakOff, forwardAnswer, sendInstead, sendJson, sendStream } from './write-answer.ts';

export type RelayOptions = {
  /** The server behind: a simulator, or any Messages API. */
  upstream: string;
  faults: readonly FaultRate[];
  seed: number;
  /** 0 takes a free port. */
  port?: number;
  onRequest?: (record: RelayRecord) => void;
};

/** A call of the model: the fault that it got, and the usage that the upstream server counted. */
export type RelayRecord = { path: string; status: number; model?: string; fault?: string; usage?: JsonRecord };

export type FaultRelay = {
  url: string;
  /** All model calls, in the order in which they ended. */
  records: readonly RelayRecord[];
  close(): Promise<void>;
};

type RelayContext = RelayOptions & {
  choose: (request: string) => string | undefined;
  future: UnknownFields;
  closing: AbortSignal;
};
type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse; body: string };

/** Contract: `usage` when it cannot listen. Serves loopback only. */
export async function startFaultRelay(options: RelayOptions): Promise<FaultRelay> {
  const closing = new AbortController();
  const records: RelayRecord[] = [];
  const relaying: RelayContext = {
    ...options,
    onRequest: (record) => {
      records.push(record);
      options.onRequest?.(record);
    },
    choose: createFaultChoice(options.faults, options.seed),
    future: createUnknownFields(),
    closing: closing.signal,
  };
  const server = createServer((incoming, outgoing) => {
    handleRequest(relaying, incoming, outgoing).catch((error: unknown) =>
      outgoing.destroy(new Error(describeError(error))),
    );
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw usageError(`The relay cannot listen on port ${options.port ?? 0}: ${describeError(error)}.`);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    records,
    async close() {
      closing.abort();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function handleRequest(
  relaying: RelayContext,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const exchange = { incoming, outgoing, body: Buffer.concat(chunks).toString('utf8') };
  const path = new URL(incoming.url ?? '/', relaying.upstream).pathname;
  if (incoming.method === 'POST' && path.endsWith('/v1/messages')) return relayCall(relaying, exchange);
  const models = incoming.method === 'GET' && path.includes('/v1/models/') ? modelsFault(relaying) : undefined;
  if (models !== undefined) return sendInstead(outgoing, models);
  await forwardAnswer(outgoing, await forwardRequest(relaying, exchange));
}

function modelsFault({ choose, faults }: RelayContext): FaultReply | undefined {
  const kinds = faults.filter(({ kind }) => FAULTS[kind] !== undefined && 'models' in FAULTS[kind]);
  if (kinds.length === 0) return undefined;
  const fault = FAULTS[choose('/v1/models') ?? ''];
  return fault !== undefined && 'models' in fault ? fault.models : undefined;
}

async function relayCall(relaying: RelayContext, exchange: Exchange): Promise<void> {
  const { future, choose, onRequest } = relaying;
  const returned = future.takeBack(asJson(parseJson(exchange.body)));
  const kind = choose(exchange.body);
  const fault = kind === undefined ? undefined : FAULTS[kind];
  const record: RelayRecord = { path: '/v1/messages', status: 200, ...pickModel(returned.body) };
  if (kind !== undefined && fault !== undefined && !('models' in fault)) record.fault = kind;
  const done = (status: number, usage?: JsonRecord): void =>
    onRequest?.({ ...record, status, ...(usage === undefined ? {} : { usage }) });
  const instead =
    returned.fault === undefined
      ? fault !== undefined && 'instead' in fault
        ? fault.instead
        : undefined
      : apiError(400, 'invalid_request_error', returned.fault);
  if (instead !== undefined) {
    done(instead.status);
    return sendInstead(exchange.outgoing, instead);
  }
  if (fault !== undefined && 'lost' in fault) {
    done(0);
    return breakOff(exchange.outgoing, fault.lost);
  }
  const answer = await forwardRequest(relaying, { ...exchange, body: JSON.stringify(returned.body) });
  await sendFaulted({ answer, fault, request: returned.body, done }, relaying, exchange.outgoing);
}

type FaultedAnswer = {
  answer: Response;
  fault: Fault | undefined;
  request: JsonRecord;
  done: (status: number, usage?: JsonRecord) => void;
};

/** Sends the upstream answer with the fault applied. An upstream error is forwarded unchanged. */
async function sendFaulted(
  { answer, fault, request, done }: FaultedAnswer,
  { future, closing }: RelayContext,
  outgoing: ServerResponse,
): Promise<void> {
  const text = await answer.text();
  if (answer.status !== 200) {
    done(answer.status);
    return sendInstead(outgoing, { status: answer.status, headers: copyHeaders(answer), body: text });
  }
  const streamed = (answer.headers.get('content-type') ?? '').includes('text/event-stream');
  const came = streamed ? readEvents(text) : toAnswerEvents(asJson(parseJson(text)));
  done(200, readLastUsage(came));
  const events: AnswerEvents = fault !== undefined && 'answer' in fault ? fault.answer(came, request) : came;
  future.note(finalBlocks(events));
  const headers = copyHeaders(answer);
  const broken = fault !== undefined && 'broken' in fault ? fault.broken(events) : undefined;
  if (broken?.waitMs !== undefined) await wait(broken.waitMs, undefined, { signal: closing });
  if (streamed) return sendStream(outgoing, headers, { events, broken, closing });
  sendJson(outgoing, headers, {
    text: JSON.stringify(joinEvents(events)),
    torn: broken !== undefined && broken.after !== 'end',
  });
}

/** A thinking block is identified by its signature, which arrives in a delta of its own. */
function finalBlocks(events: AnswerEvents): JsonRecord[] {
  return events.flatMap((event) => {
    if (event['type'] !== 'content_block_start') return [];
    const sealed = events.find(
      (each) => each['index'] === event['index'] && asJson(each['delta'])['type'] === 'signature_delta',
    );
    const signature = asJson(sealed?.['delta'])['signature'];
    return [{ ...asJson(event['content_block']), ...(signature === undefined ? {} : { signature }) }];
  });
}

function pickModel({ model }: JsonRecord): { model?: string } {
  return typeof model === 'string' ? { model } : {};
}

const HOP_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding', 'expect']);

async function forwardRequest({ upstream, closing }: RelayContext, { incoming, body }: Exchange): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (typeof value === 'string' && !HOP_HEADERS.has(name)) headers.set(name, value);
  const method = incoming.method ?? 'GET';
  const target = upstream.replace(/\/$/, '') + (incoming.url ?? '/');
  return fetch(target, { method, headers, signal: closing, ...(method === 'GET' ? {} : { body }) });
}

function copyHeaders(answer: Response): Record<string, string> {
  const headers = Object.fromEntries(answer.headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive'])
    delete headers[name];
  return headers;
}
