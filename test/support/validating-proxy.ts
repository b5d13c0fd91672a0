/** Stands between harness and model: forwards everything, and notes each request that either side would call invalid. */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFault } from '../../src/transcript/protocol.ts';
import type { Message } from '../../src/transcript/message.ts';

export type Proxy = {
  url: string;
  /** Requests for an answer that were forwarded. */
  calls: () => number;
  invalid: string[];
  close: () => Promise<void>;
};

export async function startProxy(target: string): Promise<Proxy> {
  const invalid: string[] = [];
  let calls = 0;
  const server = createServer((incoming, outgoing) => {
    void readBody(incoming).then((body) => {
      if (incoming.method === 'POST' && incoming.url === '/v1/messages') {
        calls += 1;
        invalid.push(...faultsOf(body));
      }
      pass(target, incoming, outgoing, body, (status, text) => {
        if (status >= 400 && status < 500) invalid.push(`${status} ${text}`);
      });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    invalid,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function faultsOf(body: Buffer): string[] {
  const { messages } = JSON.parse(body.toString('utf8')) as { messages: Message[] };
  const fault = findFault(messages, { boundThinking: true, prefill: false });
  return fault === undefined ? [] : [`${fault.rule}: ${fault.message}`];
}

function pass(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: Buffer,
  seen: (status: number, text: string) => void,
): void {
  const url = new URL(incoming.url ?? '/', target);
  const upstream = forward(
    url,
    { method: incoming.method, headers: { ...incoming.headers, host: url.host } },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => {
        parts.push(part);
        outgoing.write(part);
      });
      answer.on('end', () => {
        seen(answer.statusCode ?? 502, Buffer.concat(parts).toString('utf8').slice(0, 500));
        outgoing.end();
      });
    },
  );
  upstream.on('error', () => outgoing.destroy());
  upstream.end(body);
}
