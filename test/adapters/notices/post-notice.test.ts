/** What a channel's operator reads when its receiver takes nothing: why, what can be done, and in which variable; never the address. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { postJson } from '../../../src/adapters/notices/post-notice.ts';

const never = new AbortController().signal;
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function listenAs(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function complaintOf(url: string): Promise<string> {
  const target = { url, channel: 'ops', variable: 'OPS_URL', body: '{}', headers: {} };
  const tries = { tries: 2, pauseMs: 1, timeoutMs: 300 };
  const said = await postJson(target, tries, never).then(
    () => 'taken',
    (error: unknown) => (error as Error).message,
  );
  expect(said).not.toContain(new URL(url).host);
  return said;
}

test.each([
  [302, 'put the address to which it leads into OPS_URL'],
  [400, 'is the address in OPS_URL one for this kind of channel'],
  [401, 'get a new address for OPS_URL, or its secret'],
  [404, 'get its address for OPS_URL again'],
  [429, 'fewer kinds: of notices go there, or wait'],
  [503, 'The log of its server says why'],
])('that answers %d', async (status, remedy) => {
  let followed = 0;
  const host = await listenAs((request, response) => {
    if (request.url === '/other') followed += 1;
    response.writeHead(status, status === 302 ? { location: '/other' } : {}).end();
  });
  const said = await complaintOf(`http://${host}/hook`);
  expect(said).toContain(`The ops took no notice: it answered ${status}. `);
  expect(said).toContain(remedy);
  expect(followed, 'a signed body goes where the operator said').toBe(0);
});

test('that is silent, is not there, or speaks no TLS', async () => {
  const silent = await listenAs(() => undefined);
  expect(await complaintOf(`http://${silent}/`)).toBe(
    'The ops took no notice: it did not answer within 0.3 s. Mend the address in OPS_URL, or see that its server is up and no firewall or proxy is between.',
  );
  const gone = await listenAs(() => undefined);
  stops.pop()?.();
  expect(await complaintOf(`http://${gone}/`)).toContain('nothing listens there). Mend the address in OPS_URL');
  const plain = await listenAs((_request, response) => void response.end());
  const said = await complaintOf(`https://${plain}/`);
  expect(said).toBe(
    'The ops took no notice: it could not be reached (TLS fails: wrong version number). What listens there speaks no TLS that we know: mend the port in OPS_URL.',
  );
});
