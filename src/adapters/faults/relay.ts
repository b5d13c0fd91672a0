/** A server on loopback between a client and a Messages API: it passes everything on, and makes some of it go wrong. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, usageError } from '../../errors.ts';
import { parseJson } from '../../parse-json.ts';
import { createFaultChoice, FAULTS, type FaultRate } from './choose-fault.ts';
import {
  asJson,
  eventsOfMessage,
  messageOfEvents,
  readEvents,
  usageIn,
  type AnswerEvents,
  type Json,
} from './events.ts';
import { apiError, type Fault, type FaultReply } from './fault.ts';
import { createFuture, type Future } from './future.ts';
import { breakOff, pass, sendInstead, sendJson, stream } from './send.ts';

export type RelayOptions = {
  /** The server behind: a simulator, or any Messages API. */
  upstream: string;
  faults: readonly FaultRate[];
  seed: number;
  /** 0 takes a free one. */
  port?: number;
  onRequest?: (record: RelayRecord) => void;
};

/** One call of the model: what went wrong with it, and what the server behind counted. */
export type RelayRecord = { path: string; status: number; model?: string; fault?: string; usage?: Json };

export type FaultRelay = {
  url: string;
  /** Every call of a model, in the order of their ends. */
  records: readonly RelayRecord[];
  close(): Promise<void>;
};

type Relaying = RelayOptions & {
  choose: (request: string) => string | undefined;
  future: Future;
  closing: AbortSignal;
};
type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse; body: string };

/** Contract: `usage` when it cannot listen. Serves loopback only. */
export async function startFaultRelay(options: RelayOptions): Promise<FaultRelay> {
  const closing = new AbortController();
  const records: RelayRecord[] = [];
  const relaying: Relaying = {
    ...options,
    onRequest: (record) => {
      records.push(record);
      options.onRequest?.(record);
    },
    choose: createFaultChoice(options.faults, options.seed),
    future: createFuture(),
    closing: closing.signal,
  };
  const server = createServer((incoming, outgoing) => {
    serve(relaying, incoming, outgoing).catch((error: unknown) => outgoing.destroy(new Error(messageOf(error))));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw usageError(`The relay cannot listen on port ${options.port ?? 0}: ${messageOf(error)}.`);
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

async function serve(relaying: Relaying, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const exchange = { incoming, outgoing, body: Buffer.concat(chunks).toString('utf8') };
  const path = new URL(incoming.url ?? '/', relaying.upstream).pathname;
  if (incoming.method === 'POST' && path.endsWith('/v1/messages')) return call(relaying, exchange);
  const models = incoming.method === 'GET' && path.includes('/v1/models/') ? modelsFault(relaying) : undefined;
  if (models !== undefined) return sendInstead(outgoing, models);
  await pass(outgoing, await ask(relaying, exchange));
}

function modelsFault({ choose, faults }: Relaying): FaultReply | undefined {
  const kinds = faults.filter(({ kind }) => FAULTS[kind] !== undefined && 'models' in FAULTS[kind]);
  if (kinds.length === 0) return undefined;
  const fault = FAULTS[choose('/v1/models') ?? ''];
  return fault !== undefined && 'models' in fault ? fault.models : undefined;
}

async function call(relaying: Relaying, exchange: Exchange): Promise<void> {
  const { future, choose, onRequest } = relaying;
  const returned = future.takeBack(asJson(parseJson(exchange.body)));
  const kind = choose(exchange.body);
  const fault = kind === undefined ? undefined : FAULTS[kind];
  const record: RelayRecord = { path: '/v1/messages', status: 200, ...modelOf(returned.body) };
  if (kind !== undefined && fault !== undefined && !('models' in fault)) record.fault = kind;
  const done = (status: number, usage?: Json): void =>
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
  const answer = await ask(relaying, { ...exchange, body: JSON.stringify(returned.body) });
  await play({ answer, fault, request: returned.body, done }, relaying, exchange.outgoing);
}

type Played = {
  answer: Response;
  fault: Fault | undefined;
  request: Json;
  done: (status: number, usage?: Json) => void;
};

/** What came from behind, made worse as the fault says. An error from behind is passed on as it is. */
async function play(
  { answer, fault, request, done }: Played,
  { future, closing }: Relaying,
  outgoing: ServerResponse,
): Promise<void> {
  const text = await answer.text();
  if (answer.status !== 200) {
    done(answer.status);
    return sendInstead(outgoing, { status: answer.status, headers: headersOf(answer), body: text });
  }
  const streamed = (answer.headers.get('content-type') ?? '').includes('text/event-stream');
  const came = streamed ? readEvents(text) : eventsOfMessage(asJson(parseJson(text)));
  done(200, usageIn(came));
  const events: AnswerEvents = fault !== undefined && 'answer' in fault ? fault.answer(came, request) : came;
  future.note(finalBlocks(events));
  const headers = headersOf(answer);
  const broken = fault !== undefined && 'broken' in fault ? fault.broken(events) : undefined;
  if (broken?.waitMs !== undefined) await wait(broken.waitMs, undefined, { signal: closing });
  if (streamed) return stream(outgoing, headers, { events, broken, closing });
  sendJson(outgoing, headers, {
    text: JSON.stringify(messageOfEvents(events)),
    torn: broken !== undefined && broken.after !== 'end',
  });
}

/** The name of a thinking block is its signature, which comes in a piece of its own. */
function finalBlocks(events: AnswerEvents): Json[] {
  return events.flatMap((event) => {
    if (event['type'] !== 'content_block_start') return [];
    const sealed = events.find(
      (each) => each['index'] === event['index'] && asJson(each['delta'])['type'] === 'signature_delta',
    );
    const signature = asJson(sealed?.['delta'])['signature'];
    return [{ ...asJson(event['content_block']), ...(signature === undefined ? {} : { signature }) }];
  });
}

function modelOf({ model }: Json): { model?: string } {
  return typeof model === 'string' ? { model } : {};
}

const HOP = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding', 'expect']);

async function ask({ upstream, closing }: Relaying, { incoming, body }: Exchange): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (typeof value === 'string' && !HOP.has(name)) headers.set(name, value);
  const method = incoming.method ?? 'GET';
  const target = upstream.replace(/\/$/, '') + (incoming.url ?? '/');
  return fetch(target, { method, headers, signal: closing, ...(method === 'GET' ? {} : { body }) });
}

function headersOf(answer: Response): Record<string, string> {
  const headers = Object.fromEntries(answer.headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive'])
    delete headers[name];
  return headers;
}
