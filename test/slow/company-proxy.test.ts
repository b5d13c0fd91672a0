/** Behind a company's proxy: `HTTPS_PROXY` is a real one that tunnels to a gateway with a certificate of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lastJson } from '../support/cli.ts';
import { relayedDesk, type RelayedDesk } from '../support/relay.ts';

let desk: RelayedDesk;
let env: Record<string, string>;
const tunnels: string[] = [];
const servers: Server[] = [];

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function listening<S extends Server>(server: S): Promise<S> {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

beforeAll(async () => {
  desk = await relayedDesk();
  const dir = await mkdtemp(join(tmpdir(), 'tandem-tls-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const names = ['-subj', '/CN=gateway.test', '-addext', 'subjectAltName=DNS:gateway.test'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      key,
      '-out',
      cert,
      ...names,
    ],
    { stdio: 'ignore' },
  );
  const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (secure) => {
    const plain = connect(Number(new URL(desk.url).port), '127.0.0.1');
    secure.pipe(plain).pipe(secure);
    for (const socket of [secure, plain]) socket.on('error', () => undefined);
  });
  const gateway = await listening(tls);
  const proxy = createServer((_request, response) => response.writeHead(405).end());
  proxy.on('connect', ({ url = '' }, client) => {
    tunnels.push(url);
    const through = connect(portOf(gateway), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      through.pipe(client).pipe(through);
    });
    for (const socket of [client, through]) socket.on('error', () => undefined);
  });
  await listening(proxy);
  env = {
    ANTHROPIC_BASE_URL: 'https://gateway.test/v1',
    HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
    NODE_EXTRA_CA_CERTS: cert,
  };
});

afterAll(async () => {
  for (const server of servers) server.close();
  await desk.close();
});

test('a run goes through it to the gate, by a name that only the proxy knows', async () => {
  const done = await desk.tandem(['run', 'desk', '--id', 'one', '--on-gate', 'exit', '--json'], env);
  expect(done.stderr).toContain('https://gateway.test');
  expect([done.code, lastJson(done)['status']]).toEqual([4, 'awaiting_approval']);
  expect(tunnels.length).toBeGreaterThan(0);
  expect(new Set(tunnels)).toEqual(new Set(['gateway.test:443']));
});

test('no answer comes by another way, and what is on this machine does not go through it', async () => {
  const { HTTPS_PROXY: _none, ...without } = env;
  expect((await desk.tandem(['run', 'desk', '--id', 'two', '--on-gate', 'exit'], without)).code).toBe(6);
  const before = tunnels.length;
  const local = { ...env, HTTP_PROXY: env['HTTPS_PROXY'] ?? '', ANTHROPIC_BASE_URL: desk.url };
  expect((await desk.tandem(['run', 'desk', '--id', 'three', '--on-gate', 'exit'], local)).code).toBe(4);
  expect(tunnels).toHaveLength(before);
});

test('an answer of a policy is refused there before anything is written; so is a proxy that is no address', async () => {
  const policy = await desk.tandem(['run', 'desk', '--id', 'four', '--on-gate', 'auto:demo'], env);
  expect(policy.stderr).toContain('is accepted only while the model is on loopback');
  const odd = await desk.tandem(['run', 'desk', '--id', 'four', '--on-gate', 'exit'], {
    ...env,
    HTTPS_PROXY: 'nonsense',
  });
  expect([policy.code, odd.code]).toEqual([2, 2]);
  expect(odd.stderr).toContain('HTTPS_PROXY');
  expect(existsSync(join(desk.project, 'scenarios/desk/runs/four'))).toBe(false);
});
