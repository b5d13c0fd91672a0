/** Serves the review page on a real socket. */
import { serve } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { usageError } from '../errors.ts';
import type { Review } from './create-review.ts';

export type RunningServer = { port: number; close: () => Promise<void> };

export type ListenOptions = {
  host: string;
  port: number;
  /** The whole request must arrive within this time, so that a slow client cannot hold a socket for ever. */
  requestMs?: number;
};

const HEADERS_MS = 10_000;
/** Enough for an edit of three large files over a slow connection. */
const REQUEST_MS = 30_000;
/** Interval at which expired connections are looked for. */
const CHECK_MS = 2000;

export function startListening(review: Pick<Review, 'app' | 'close'>, at: ListenOptions): Promise<RunningServer> {
  const { host, port, requestMs = REQUEST_MS } = at;
  return new Promise((settle, fail) => {
    const times = {
      ...{ headersTimeout: Math.min(HEADERS_MS, requestMs), requestTimeout: requestMs },
      connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
    };
    const server = serve(
      { fetch: review.app.fetch, hostname: host, port, serverOptions: times },
      ({ port: taken }: AddressInfo) =>
        settle({ port: taken, close: () => stopServer(server as Server, review.close) }),
    );
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = `Cannot listen on ${host}:${port} (${cause.code ?? cause.message})`;
      fail(usageError(`${why}: choose another port with --listen.`, { cause }));
    });
  });
}

async function stopServer(server: Server, close: () => void): Promise<void> {
  close();
  const closed = new Promise<void>((settle) => server.close(() => settle()));
  // Event streams never end by themselves, so their connections are closed.
  server.closeAllConnections();
  await closed;
}
