import { createServer, type RequestListener } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { describeLostPost, postText } from '../../../src/adapters/subjects/post-text.ts';

const { signal } = new AbortController();

async function serve(answer: RequestListener) {
  const sockets = new Set<unknown>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`, sockets };
}

const post = (url: string, body = 'é') => postText(url, { headers: { 'x-own': 'yes' }, body, mostBytes: 100 }, signal);

test('sends the bytes and headers, follows no redirect, and keeps the connection for the next request', async () => {
  const came: string[] = [];
  const { url, sockets } = await serve((request, response) => {
    request.on('data', (chunk: Buffer) =>
      came.push(`${String(request.headers['x-own'])} ${request.headers['content-length']} ${chunk.toString()}`),
    );
    request.on('end', () => response.writeHead(302, { location: '/elsewhere' }).end('moved'));
  });
  for (const _time of [1, 2]) {
    const { status, bytes } = await post(url);
    expect([status, bytes?.toString()]).toEqual([302, 'moved']);
    // The agent takes a connection back once its answer was read to the end.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(came).toEqual(['yes 2 é', 'yes 2 é']);
  expect(sockets.size).toBe(1);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer packed with %s is unpacked, and a bomb is none', async (encoding, pack) => {
  const { url } = await serve((request, response) => {
    request.resume();
    const text = request.url === '/bomb' ? 'x'.repeat(1000) : 'short';
    response.writeHead(200, { 'content-encoding': encoding }).end(pack(text));
  });
  expect((await post(url)).bytes?.toString()).toBe('short');
  await expect(post(`${url}bomb`)).rejects.toThrow('larger than');
});

test('too long, broken off or aborted: none of them hangs', async () => {
  const stop = new AbortController();
  const { url } = await serve((request, response) => {
    request.resume();
    if (request.url === '/long') response.end('x'.repeat(101));
    else if (request.url === '/broken') response.writeHead(200, { 'content-length': '50' }).write('half');
    else response.writeHead(503).write('never ends');
    if (request.url === '/broken') setTimeout(() => response.destroy(), 20);
  });
  expect((await post(`${url}long`)).bytes).toBeUndefined();
  await expect(post(`${url}broken`)).rejects.toThrow('aborted');
  expect(await post(url)).toMatchObject({ status: 503, bytes: Buffer.alloc(0) });
  const silent = await serve(() => undefined);
  const waiting = postText(silent.url, { headers: {}, body: '', mostBytes: 1 }, stop.signal);
  setTimeout(() => stop.abort(), 20);
  await expect(waiting).rejects.toThrow('aborted');
});

test('a name with two addresses says what the first one said', () => {
  expect(describeLostPost(new AggregateError([new Error('first'), new Error('second')]))).toBe('first');
  expect(describeLostPost(new Error('alone'))).toBe('alone');
});
