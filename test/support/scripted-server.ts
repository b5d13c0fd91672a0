/** A Messages API endpoint of a few lines that answers from a list: what a test says, and nothing checked. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { ModelResponse } from '../../src/ports/model.ts';

export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  /** As it came. */
  text: string;
};
export type Reply = (response: ServerResponse) => void;
export type ScriptedServer = {
  url: string;
  received: Received[];
  /** Resolves when so many requests have come. */
  arrived: (count: number) => Promise<void>;
  close: () => Promise<void>;
};

const Body = z.record(z.string(), z.unknown());

/** The n-th request gets the n-th reply, the last one again and again. */
export async function startScriptedServer(replies: readonly Reply[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const body = text === '' ? {} : Body.parse(JSON.parse(text));
      received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body, text });
      (replies[received.length - 1] ?? replies.at(-1) ?? refuses(500, 'api_error', 'no reply'))(response);
      for (const { resolve } of waiting.filter(({ count }) => count <= received.length)) resolve();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    received,
    arrived: async (count) => {
      if (received.length >= count) return;
      await new Promise<void>((resolve) => {
        waiting.push({ count, resolve });
      });
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

type Headers = Record<string, string>;

/** A whole JSON answer, as the Models endpoint gives it. */
export function says(body: unknown, status = 200, headers: Headers = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** An error in the API's own shape. */
export function refuses(status: number, type: string, message = 'no', headers: Headers = {}, code?: string): Reply {
  const details = code === undefined ? {} : { details: { error_code: code } };
  return says({ type: 'error', error: { type, message, ...details }, request_id: 'req_test' }, status, headers);
}

/** Begins an event stream and leaves it open. */
export function begins(events: readonly Record<string, unknown>[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_test' });
    response.write(': open\n\n');
    for (const event of events) response.write(frame(event));
  };
}

/** The same, and ends it properly. */
export function streams(events: readonly Record<string, unknown>[]): Reply {
  return (response) => {
    begins(events)(response);
    response.end();
  };
}

/** The same, and drops the connection without an end. */
export function cutsAfter(events: readonly Record<string, unknown>[]): Reply {
  return (response) => {
    begins(events)(response);
    setImmediate(() => response.destroy());
  };
}

/** A whole streamed answer. */
export function answers(response: ModelResponse): Reply {
  return streams(eventsOf(response));
}

/** The events of one streamed message (docs/internals/api-rules.md §4). */
export function eventsOf(response: ModelResponse): Record<string, unknown>[] {
  const { id, model, content, usage, stopReason } = response;
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  return [
    { type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    ...content.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block:
          block.type === 'tool_use' ? { ...block, input: {} } : block.type === 'unknown' ? block.wire : block,
      },
      ...(block.type === 'tool_use'
        ? [
            {
              type: 'content_block_delta',
              index,
              delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
            },
          ]
        : []),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

function frame(event: Record<string, unknown>): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
}
