/** The connection on which a worker waits for jobs may be closed at any moment: the worker hears of it and goes on. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBackend } from '../../src/adapters/bullmq/open-backend.ts';
import { startPostgres, type Server } from '../support/servers.ts';

/** ReadyForQuery, and what a server says to a session that an administrator ends. */
const READY = Buffer.from('5a0000000549', 'hex');
const FATAL = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
})();

let server: Server;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => server.stop());

/** Passes all on; `onAnswer` may add to what the server says on a connection, which are counted from 1. */
async function proxyOf(url: string, onAnswer: (connection: number, chunk: Buffer, socket: Socket) => Buffer) {
  const { hostname, port } = new URL(url);
  let connections = 0;
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    connections += 1;
    const number = connections;
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) open.add(socket.on('error', () => undefined));
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => client.write(onAnswer(number, chunk, client)));
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: through.href,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

/** A worker whose connections go through the proxy, and a queue that reaches the server itself. */
async function play(space: string, onAnswer: Parameters<typeof proxyOf>[1]) {
  const proxy = await proxyOf(server.url, onAnswer);
  const heard: string[] = [];
  const note = (error: Error): void => void heard.push(error.message);
  const address = { kind: 'postgres' as const, shown: 'test', space };
  const direct = await openBackend({ ...address, url: server.url }, note);
  const queue = direct.queue('lane');
  await queue.waitUntilReady();
  const backend = await openBackend({ ...address, url: proxy.url }, note);
  const done = Promise.withResolvers<string>();
  const worker = backend.worker('lane', async (job) => done.resolve(job.data.run), {});
  worker.on('error', note);
  return {
    ...{ heard, queue, worker, done: done.promise },
    close: async () => {
      await Promise.allSettled([queue.close(), backend.close(), direct.close()]);
      await proxy.close();
    },
  };
}

test('closed right after the greeting, in the same packet', async () => {
  let isOver = false;
  const { heard, queue, worker, done, close } = await play('tandem_greeting', (connection, chunk, socket) => {
    // The first one is the pool's, the second one listens.
    if (connection !== 2 || isOver || !chunk.includes(READY)) return chunk;
    isOver = true;
    setImmediate(() => socket.end());
    return Buffer.concat([chunk, FATAL]);
  });
  try {
    await expect.poll(() => isOver, { timeout: 10_000 }).toBe(true);
    await queue.add('step', { run: 'run-1' });
    expect(await done).toBe('run-1');
    expect(heard).toContain('terminating connection due to administrator command');
  } finally {
    await worker.close(true);
    await close();
  }
});

test('closed while the worker says goodbye', async () => {
  let goodbye: Socket | undefined;
  const { heard, worker, close } = await play('tandem_goodbye', (connection, chunk, socket) => {
    if (connection === 2) goodbye = socket;
    return chunk;
  });
  try {
    await expect.poll(() => goodbye !== undefined, { timeout: 10_000 }).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const closed = worker.close(true);
    // Its listeners are gone by now, and the server is faster than its end.
    await Promise.resolve();
    goodbye?.write(FATAL);
    await closed;
    expect(heard.filter((message) => !message.includes('terminating'))).toEqual([]);
  } finally {
    await close();
  }
});
