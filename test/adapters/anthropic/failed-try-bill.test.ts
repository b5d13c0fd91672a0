/** What a try without an answer has cost, by the bytes of the wire: row by row of the table in bill.ts. */
import { createServer, type AddressInfo } from 'node:net';
import { APIConnectionError } from '@anthropic-ai/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { billFailedTry } from '../../../src/adapters/anthropic/failed-try-bill.ts';
import type { TryBill } from '../../../src/ports/model.ts';
import { contractRequest, contractResponse } from '../../contracts/model.contract.ts';
import { modelOn } from '../../support/model-on-server.ts';
import { answers, cutsAfter, eventsOf, refuses, says, streams, type Reply } from '../../support/scripted-server.ts';

const { signal } = new AbortController();
const events = eventsOf(contractResponse);
const upTo = (type: string) => events.slice(0, events.findIndex((event) => event['type'] === type) + 1);
const STARTED = { ...contractResponse.usage, output_tokens: 1 };
const FAULT = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

/** The bills of the failed tries before the one that answers. */
async function billsOf(reply: Reply, tries: number): Promise<TryBill[]> {
  const { model } = await modelOn([reply, answers(contractResponse)], {
    timeoutMs: 1000,
    retry: { tries, minDelayMs: 1, maxDelayMs: 1 },
  });
  const bills: TryBill[] = [];
  const onFailedTry = async (bill: TryBill) => void bills.push(bill);
  await model.call(contractRequest, signal, { onFailedTry }).catch(() => undefined);
  return bills;
}

const withInput = (partial_json: string) =>
  events.map((event) =>
    event['type'] === 'content_block_delta' ? { ...event, delta: { type: 'input_json_delta', partial_json } } : event,
  );
const badInput = withInput('{"file_pa');
const deep = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

test.each<[string, Reply, TryBill]>([
  ['400', refuses(400, 'invalid_request_error'), { billed: 'none' }],
  ['429', refuses(429, 'rate_limit_error'), { billed: 'none' }],
  ['500 of the API', refuses(500, 'api_error'), { billed: 'none' }],
  ['529', refuses(529, 'overloaded_error'), { billed: 'none' }],
  ['504: it may have been at work', refuses(504, 'timeout_error'), { billed: 'unknown' }],
  ['502 of a gateway', says('<html>Bad gateway</html>', 502), { billed: 'unknown' }],
  ['a connection lost before the answer', (response) => response.destroy(), { billed: 'unknown' }],
  ['silence', () => undefined, { billed: 'unknown' }],
  ['an error in the stream', streams([...upTo('message_start'), FAULT]), { billed: 'unknown', usage: STARTED }],
  ['an error before it began', streams([FAULT]), { billed: 'unknown' }],
  ['a cut answer', cutsAfter(upTo('content_block_delta')), { billed: 'unknown', usage: STARTED }],
  ['a cut after the last counts', cutsAfter(upTo('message_delta')), { billed: 'known', usage: contractResponse.usage }],
  [
    'a call with a number that no JSON holds',
    streams(withInput('{"n":[-1e999]}')),
    { billed: 'known', usage: contractResponse.usage },
  ],
  [
    'a call that is nested too deep to be sent',
    streams(withInput(deep(9000))),
    { billed: 'known', usage: contractResponse.usage },
  ],
  ['a whole answer of no use', streams(badInput), { billed: 'known', usage: contractResponse.usage }],
])('%s', async (_name, reply, bill) => {
  expect(await billsOf(reply, 1)).toEqual([bill]);
});

test('an endpoint that is not there costs nothing', async () => {
  const { model, server } = await modelOn([], { retry: { tries: 1, minDelayMs: 1, maxDelayMs: 1 } });
  await server.close();
  const bills: TryBill[] = [];
  const onFailedTry = async (bill: TryBill) => void bills.push(bill);
  await expect(model.call(contractRequest, signal, { onFailedTry })).rejects.toThrow('ECONNREFUSED');
  expect(bills).toEqual([{ billed: 'none' }]);
});

test.each([
  ['connect', 'none'],
  ['read', 'unknown'],
  ['write', 'unknown'],
])('a network that is lost at %s: %s', (syscall, billed) => {
  const cause = Object.assign(new Error(`${syscall} EHOSTUNREACH`), { code: 'EHOSTUNREACH', syscall });
  const thrown = new APIConnectionError({ cause: new TypeError('fetch failed', { cause }) });
  expect(billFailedTry(thrown, { ended: false })).toEqual({ billed });
});

test('a server that leaves before TLS is agreed was sent nothing, so nothing is paid', async () => {
  const server = createServer((socket) => socket.destroy());
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const { model } = await modelOn([], {
    baseUrl: `https://127.0.0.1:${port}`,
    retry: { tries: 1, minDelayMs: 1, maxDelayMs: 1 },
  });
  const bills: TryBill[] = [];
  const onFailedTry = async (bill: TryBill) => void bills.push(bill);
  await expect(model.call(contractRequest, signal, { onFailedTry })).rejects.toThrow('ECONNRESET');
  expect(bills).toEqual([{ billed: 'none' }]);
});

test('counts that are null are not 0: the answer says that its cost is not known', async () => {
  const usage = { input_tokens: null, output_tokens: null };
  const without = events.map((event) => {
    if (event['type'] === 'message_start') return { ...event, message: { ...(event['message'] as object), usage } };
    return event['type'] === 'message_delta' ? { ...event, usage } : event;
  });
  const { model } = await modelOn([streams(without)]);
  expect(await model.call(contractRequest, signal)).toMatchObject({ usageUnknown: true });
});

test('each try is billed before the next one asks for money, and one that gets none ends the call', async () => {
  const { model, received } = await modelOn([refuses(529, 'overloaded_error')]);
  const heard: string[] = [];
  const refused = new Error('no money');
  const calling = model.call(contractRequest, signal, {
    onFailedTry: async ({ billed }) => void heard.push(billed),
    onNextTry: async () => {
      heard.push('next');
      if (received.length === 2) throw refused;
    },
  });
  await expect(calling).rejects.toBe(refused);
  expect(heard).toEqual(['none', 'next', 'none', 'next']);
});

test('a caller may lower what comes out at most; the request stays as it is', async () => {
  const { model, received } = await modelOn([answers(contractResponse)]);
  await model.call(contractRequest, signal, { maxTokens: () => 500 });
  expect(received[0]?.body['max_tokens']).toBe(500);
  expect(contractRequest.max_tokens).toBe(64_000);
});
