/** Who is let in to tools over HTTP, without a socket. */
import { expect, test } from 'vitest';
import { sha256 } from '../../src/disk/sha256.ts';
import { createToolEndpoint, type ToolCaller } from '../../src/web/create-tool-endpoint.ts';

const HOST = '127.0.0.1:7421';
const local = { name: 'tester', token: 'the-token-of-this-machine' };
const reviewers = [
  { name: 'ada', role: 'reviewer' as const, tokenSha256: sha256('page'), agentTokenSha256: sha256('agent') },
  { name: 'bob', role: 'viewer' as const, scenarios: ['desk'], agentTokenSha256: sha256('bobs') },
];

function open(limits = { requests: 100, signIns: 3 }) {
  const seen: ToolCaller[] = [];
  const app = createToolEndpoint({
    ...{ hosts: [HOST], limits, clock: { now: () => new Date(0) }, access: { reviewers, local } },
    answer: async (_request, caller) => {
      seen.push(caller);
      return new Response('{}');
    },
  });
  const ask = async (headers: Record<string, string>, path = '/mcp') =>
    app.request(`http://${HOST}${path}`, { method: 'POST', headers: { host: HOST, ...headers } });
  return { seen, ask, as: (token: string) => ask({ authorization: `Bearer ${token}` }) };
}

test('a token says whose agent it is, and with that what it may', async () => {
  const { seen, as } = open();
  for (const token of ['page', 'agent', 'bobs', local.token]) expect((await as(token)).status).toBe(200);
  expect(seen.map(({ name }) => name)).toEqual(['ada', 'ada', 'bob', 'tester']);
  expect(seen.map(({ scope }) => scope && [...scope])).toEqual([undefined, undefined, ['desk'], undefined]);
  expect(seen.map(({ mayAct }) => mayAct('desk'))).toEqual([true, true, false, false]);
});

test('without a token, from elsewhere, and too often nobody is let in', async () => {
  const { seen, ask, as } = open({ requests: 2, signIns: 1 });
  const good = { authorization: `Bearer ${local.token}` };
  for (const [headers, status] of [
    [{}, 401],
    [{ cookie: 'tandem-review=x', 'x-user': 'ada' }, 401],
    [{ ...good, host: 'evil.example' }, 421],
    [{ ...good, origin: 'https://evil.example' }, 403],
    [{ ...good, 'sec-fetch-site': 'cross-site' }, 403],
  ] as const) {
    const answer = await ask(headers);
    expect([headers, answer.status]).toEqual([headers, status]);
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
  }
  expect([(await as('wrong')).status, (await as('wrong')).status]).toEqual([401, 429]);
  expect(seen).toEqual([]);
  expect([(await as('agent')).status, (await as('page')).status, (await as('agent')).status]).toEqual([200, 200, 429]);
  expect((await ask({}, '/else')).status).toBe(404);
});
