/** The review page behind a real socket. */
import { serve } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { HarnessError } from '../errors.ts';
import type { Review } from './create-review.ts';

export type Listening = { port: number; close: () => Promise<void> };

/** A browser that is slow to say what it wants must not hold a socket for ever. */
const HEADERS_MS = 10_000;

export function listen({ app, close }: Pick<Review, 'app' | 'close'>, host: string, port: number): Promise<Listening> {
  return new Promise((settle, fail) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, ({ port: taken }: AddressInfo) =>
      settle({ port: taken, close: () => stop(server as Server, close) }),
    );
    (server as Server).headersTimeout = HEADERS_MS;
    server.once('error', (cause: NodeJS.ErrnoException) =>
      fail(
        new HarnessError(
          'usage',
          `Cannot listen on ${host}:${port} (${cause.code ?? cause.message}): choose another port with --listen.`,
          { cause },
        ),
      ),
    );
  });
}

async function stop(server: Server, close: () => void): Promise<void> {
  close();
  const closed = new Promise<void>((settle) => server.close(() => settle()));
  // Event streams never end by themselves.
  server.closeAllConnections();
  await closed;
}
