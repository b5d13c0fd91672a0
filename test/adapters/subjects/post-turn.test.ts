import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { WireExchange } from '../../../src/ports/model.ts';
import { postTurn } from '../../../src/adapters/subjects/post-turn.ts';

const { signal } = new AbortController();

test('an overload is tried again when the endpoint says so, a refusal never, and its status is passed on', async () => {
  const came: number[] = [];
  const answers = [429, 200, 403];
  const server = createServer((_request, response) => {
    came.push(performance.now());
    const status = answers[came.length - 1] ?? 500;
    response.writeHead(status, status === 429 ? { 'retry-after': '0.6' } : {}).end('text');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  expect(await postTurn(url, { headers: {}, body: '{}' }, signal)).toEqual({ ok: true, text: 'text' });
  const [first = 0, second = 0] = came;
  expect(second - first).toBeGreaterThan(550);
  expect(await postTurn(url, { headers: {}, body: '{}' }, signal)).toMatchObject({
    ok: false,
    stop: 'infrastructure',
    status: 403,
  });
  expect(came).toHaveLength(3);
});

test('who wants to hear gets each try, its status and bytes, and no secret that the endpoint repeats', async () => {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer a-secret-of-length' };
  let came = 0;
  const server = createServer((request, response) => {
    came += 1;
    if (came === 1) response.writeHead(500).end();
    else if (came === 3) response.writeHead(401).end(`Received=${request.headers.authorization}, which is no key.`);
    else response.end(`application/json and ${request.headers.authorization}`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const heard: [string, number | undefined, string][] = [];
  const onExchange = ({ request, status, answer }: WireExchange): void =>
    void heard.push([request, status, Buffer.from(answer).toString()]);
  expect(await postTurn(url, { headers, body: '{}', onExchange }, signal)).toMatchObject({
    text: 'application/json and Bearer (secret)',
  });
  expect(await postTurn(url, { headers, body: '{}' }, signal)).toMatchObject({
    detail: 'the endpoint answered 401: Received=Bearer (secret), which is no key.',
  });
  expect(heard).toEqual([
    ['{}', 500, ''],
    ['{}', 200, 'application/json and Bearer (secret)'],
  ]);
});

test('a header that cannot be sent is not quoted, and one of another scheme is hidden without it', async () => {
  const broken = { authorization: 'Bearer planted\nkey-of-length' };
  const reply = await postTurn('http://127.0.0.1:1', { headers: broken, body: '{}' }, signal);
  expect(reply).toMatchObject({ ok: false });
  expect(JSON.stringify(reply)).not.toContain('key-of-length');
  const token = Buffer.from('user:planted-key').toString('base64');
  const server = createServer((_request, response) => void response.end(`You sent ${token}.`));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  expect(await postTurn(url, { headers: { authorization: `Basic ${token}` }, body: '{}' }, signal)).toMatchObject({
    text: 'You sent (secret).',
  });
});
