/** Node ends a process for an error that nobody listens to; a lost connection must not be one. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { isOutage } from '../../../src/adapters/postgres/store-errors.ts';
import { reconnectingClient } from '../../../src/adapters/bullmq/reconnecting-client.ts';

test('the loss of its connection ends no process, and whoever opened it hears of it', () => {
  const heard: unknown[] = [];
  const Steady = reconnectingClient((error) => heard.push(error));
  const lost = new Error('terminating connection due to administrator command');
  expect(new Steady({ connectionString: 'postgres://me@127.0.0.1:1/none' }).emit('error', lost)).toBe(true);
  expect(new Steady().emit('error', lost)).toBe(true);
  expect(heard).toEqual([lost, lost]);
});

/** Greets as PostgreSQL does, and says nothing more. */
const GREETING = Buffer.from('5200000008000000005a0000000549', 'hex');

test('a connection on which nothing comes any more fails its query, and one at rest is left alone', async () => {
  const server = createServer((socket) =>
    socket.once('data', () => socket.write(GREETING)).on('error', () => undefined),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const Steady = reconnectingClient(() => undefined, 200);
  const connectionString = `postgres://me@127.0.0.1:${port}/none`;
  const client = new Steady({ connectionString, connectionTimeoutMillis: 0 });
  try {
    await client.connect();
    await new Promise((resolve) => insideStream(client).once('timeout', resolve));
    const error: unknown = await client.query('SELECT 1').catch((fault: unknown) => fault);
    expect(error).toMatchObject({ message: expect.stringContaining('the connection is lost') as string });
    // A store waits for the server then, and its step does not fail.
    expect(isOutage(error)).toBe(true);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

/** An answer without rows, and ready for the next query. */
const ANSWER = Buffer.from('430000000d53454c4543542030005a0000000549', 'hex');

test('a query that is sent in the moment in which the silence is up gets its whole time', async () => {
  const server = createServer((socket) =>
    socket
      .once('data', () => {
        socket.write(GREETING);
        socket.on('data', () => socket.write(ANSWER));
      })
      .on('error', () => undefined),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const Steady = reconnectingClient(() => undefined, 200);
  const client = new Steady({ connectionString: `postgres://me@127.0.0.1:${port}/none`, connectionTimeoutMillis: 0 });
  try {
    await client.connect();
    const answered = client.query('SELECT 1');
    // As somebody who looks every so often: due right before the socket's own timer, which the answer sets anew.
    const next = new Promise((resolve) => setTimeout(resolve, 200)).then(() => client.query('SELECT 1'));
    await answered;
    setTimeout(() => {
      for (const until = performance.now() + 60; performance.now() < until;);
    }, 180);
    await expect(next).resolves.toMatchObject({ command: 'SELECT' });
  } finally {
    await client.end();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a connection whose other half is never closed is ended all the same', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    socket.once('data', () => socket.write(GREETING)).on('error', () => undefined),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const Steady = reconnectingClient(() => undefined);
  const client = new Steady({ connectionString: `postgres://me@127.0.0.1:${port}/none` });
  const ours = new Promise((resolve) => server.once('connection', resolve)) as Promise<Socket>;
  await client.connect();
  await client.end();
  (await ours).destroy();
  await new Promise((resolve) => server.close(resolve));
});

function insideStream(client: object): NodeJS.EventEmitter {
  return (client as { connection: { stream: NodeJS.EventEmitter } }).connection.stream;
}
