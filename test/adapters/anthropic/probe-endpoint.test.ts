import { afterEach, expect, test } from 'vitest';
import { probeEndpoint } from '../../../src/adapters/anthropic/endpoint.ts';
import { refuses, says, startScriptedServer, type Reply, type ScriptedServer } from '../../support/scripted-server.ts';

const MARK = { 'tandem-simulator': '1' };
const models = { data: [{ id: 'claude-opus-5-5' }], has_more: false };
const signal = new AbortController().signal;

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function probe(reply: Reply) {
  server = await startScriptedServer([reply]);
  return probeEndpoint({ baseUrl: server.url, apiKey: 'sk-ant-secret-key', timeoutMs: 5_000 }, signal);
}

test.each<[string, Reply, { reachable: boolean; simulated: boolean }]>([
  ['the offline model', says(models, 200, MARK), { reachable: true, simulated: true }],
  ['an API that is real', says(models), { reachable: true, simulated: false }],
  [
    'an offline model that refuses the key',
    refuses(401, 'authentication_error', 'no', MARK),
    { reachable: true, simulated: true },
  ],
  ['a web page', says('<html>hi</html>', 200, MARK), { reachable: false, simulated: false }],
  ['an API that is overloaded', refuses(529, 'overloaded_error'), { reachable: true, simulated: false }],
  ['a gateway with nothing behind it', says('<html>Bad Gateway</html>', 502), { reachable: false, simulated: false }],
  ['an API that is out of order', refuses(500, 'api_error'), { reachable: true, simulated: false }],
  ['a server that hangs up', (response) => response.destroy(), { reachable: false, simulated: false }],
])('knows %s', async (_title, reply, expected) => {
  const result = await probe(reply);
  expect(result).toMatchObject(expected);
  expect(result.detail).not.toBe('');
  expect(result.detail).not.toContain('secret');
  expect(server?.received.map(({ path }) => path)).toEqual(['/v1/models?limit=1']);
});

test('an abort rejects with its reason', async () => {
  const controller = new AbortController();
  server = await startScriptedServer([() => controller.abort('enough')]);
  const options = { baseUrl: server.url, apiKey: 'k', timeoutMs: 5_000 };
  await expect(probeEndpoint(options, controller.signal)).rejects.toBe('enough');
});
