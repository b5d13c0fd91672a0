import { describe, expect, test } from 'vitest';
import { createAnthropicModel } from '../../../src/adapters/anthropic/anthropic-model.ts';
import { contractRequest, contractResponse } from '../../contracts/model.contract.ts';
import { failureOf, KEY, modelOn } from '../../support/model-on-server.ts';
import {
  answers,
  begins,
  cutsAfter,
  eventsOf,
  refuses,
  says,
  streams,
  type Reply,
} from '../../support/scripted-server.ts';

const signal = new AbortController().signal;
const good = answers(contractResponse);

describe('an outage', () => {
  const retry = { tries: 2, minDelayMs: 100, maxDelayMs: 300, outageMs: 1000 };
  const down = refuses(529, 'overloaded_error');
  const drops: Reply = (response) => response.destroy();

  test('is waited for, longer than a few tries take, as long as nothing is paid', async () => {
    const { model, pauses } = await modelOn([down, down, down, down, down, good], { retry });
    expect(await model.call(contractRequest, signal)).toEqual(contractResponse);
    expect(pauses).toEqual([100, 200, 300, 300, 300]);
  });

  test('has an end: then its tries count like others', async () => {
    const { error, tries, pauses } = await failureOf([down], { retry });
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(pauses.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(1000 + 2 * 300);
    expect([tries, (error as Error).message]).toEqual([7, expect.stringContaining('Given up after 7 tries.')]);
  });

  test('in which each try may have been paid is one of a few tries', async () => {
    const { received } = await failureOf([drops], { retry });
    expect(received.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  test('that loses connections is asked for its end at no cost, and not tried out with calls that may be paid', async () => {
    const replies = [drops, drops, drops, says('{"data":[]}', 200), good];
    const { model, received, pauses } = await modelOn(replies, { retry });
    expect(await model.call(contractRequest, signal)).toEqual(contractResponse);
    expect(received.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET', 'POST']);
    expect(pauses).toEqual([100, 300, 300]);
  });
});

describe('what is tried again', () => {
  test.each([
    ['429', refuses(429, 'rate_limit_error')],
    ['408', refuses(408, 'api_error')],
    ['409', refuses(409, 'conflict_error')],
    ['500', refuses(500, 'api_error')],
    ['504', refuses(504, 'timeout_error')],
    ['529', refuses(529, 'overloaded_error')],
    ['502 with a page of a proxy', says('<html>bad gateway</html>', 502)],
    [
      'an error inside the stream',
      streams([
        ...eventsOf(contractResponse).slice(0, 3),
        { type: 'error', error: { type: 'overloaded_error', message: 'later' } },
      ]),
    ],
    ['an error inside the stream that is no JSON', (response) => begins([{ type: 'error', error: 'gone' }])(response)],
    ['a stream that ends before message_stop', streams(eventsOf(contractResponse).slice(0, -1))],
    ['a stream that ends without a word', streams([])],
    [
      'a stream without a stop reason',
      streams(eventsOf(contractResponse).filter(({ type }) => type !== 'message_delta')),
    ],
    ['a connection that drops inside the stream', cutsAfter(eventsOf(contractResponse).slice(0, 4))],
    ['a connection that drops before the answer', (response) => response.destroy()],
    [
      'tool input that is no JSON',
      streams(
        eventsOf(contractResponse).map((event) =>
          JSON.parse(JSON.stringify(event).replace('"partial_json":"{', '"partial_json":"{ oops')),
        ),
      ),
    ],
  ] satisfies [string, Reply][])('%s', async (_title, reply) => {
    const { model, received, pauses, notices } = await modelOn([reply, reply, good]);
    expect(await model.call(contractRequest, signal)).toEqual(contractResponse);
    expect(received).toHaveLength(3);
    expect(received[1]?.body).toEqual(received[0]?.body);
    expect(pauses).toEqual([100, 200]);
    expect(notices.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 100],
      [2, 200],
    ]);
  });

  test('the pause doubles up to its limit, and half of it is chance', async () => {
    const slow = await failureOf([refuses(529, 'overloaded_error')]);
    expect(slow.pauses).toEqual([100, 200, 300]);
    const fast = await failureOf([refuses(529, 'overloaded_error')], { random: () => 0 });
    expect(fast.pauses).toEqual([50, 100, 150]);
  });

  test.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['fractions of a second', { 'retry-after': '0.25' }, 250],
    ['milliseconds, which win', { 'retry-after-ms': '1500', 'retry-after': '7' }, 1_500],
  ])('never earlier than the API asks, in %s', async (_unit, headers, asked) => {
    const { model, pauses } = await modelOn([refuses(429, 'rate_limit_error', 'slow down', headers), good], {
      random: () => 0,
    });
    await model.call(contractRequest, signal);
    expect(pauses).toEqual([asked]);
  });

  test('a pause longer than ten minutes is left to the caller', async () => {
    const { error, tries, pauses } = await failureOf([
      refuses(429, 'rate_limit_error', 'slow', { 'retry-after': '3600' }),
    ]);
    expect(error).toMatchObject({
      code: 'model_unavailable',
      retryable: true,
      details: { retryAfterMs: 3_600_000, tries: 1 },
    });
    expect([tries, pauses]).toEqual([1, []]);
  });

  test('an endpoint that is silent before the answer, or inside it, is given up after the timeout', async () => {
    const silent: Reply = () => undefined;
    const stalls = begins(eventsOf(contractResponse).slice(0, 3));
    const { model, received, notices } = await modelOn([silent, stalls, good], { timeoutMs: 300 });
    expect(await model.call(contractRequest, signal)).toEqual(contractResponse);
    expect(received).toHaveLength(3);
    expect(notices.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('timed out'),
      expect.stringContaining('no byte came for 300 ms'),
    ]);
  });

  test('pings for ever are no silence, and still the answer has a limit', async () => {
    const pings: Reply = (response) => {
      begins(eventsOf(contractResponse).slice(0, 2))(response);
      const timer = setInterval(() => response.write('event: ping\ndata: {"type":"ping"}\n\n'), 10);
      response.on('close', () => clearInterval(timer));
    };
    const { model, notices } = await modelOn([pings, good], { timeoutMs: 500, wholeAnswerMs: 600 });
    expect(await model.call(contractRequest, signal)).toEqual(contractResponse);
    expect(notices[0]?.reason).toContain('the answer was not complete after 600 ms');
  });

  test('an address where nobody listens', async () => {
    const { server: gone, ...rest } = await modelOn([good]);
    await gone.close();
    await expect(rest.model.call(contractRequest, signal)).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(rest.pauses).toHaveLength(3);
  });

  test('after the last try the error says how many there were, and what the API said', async () => {
    const { error, tries } = await failureOf([refuses(529, 'overloaded_error', 'Overloaded')]);
    expect(tries).toBe(4);
    expect(error).toMatchObject({
      code: 'model_unavailable',
      retryable: true,
      message: expect.stringMatching(
        /529 overloaded_error: Overloaded \(req_test\)\. Given up after 4 tries\. Run again later\./,
      ),
      details: { status: 529, type: 'overloaded_error', requestId: 'req_test', tries: 4 },
    });
  });
});

describe('what is never tried again', () => {
  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [422, 'invalid_request_error'],
  ])('%i %s', async (status, type) => {
    const { error, tries, pauses } = await failureOf([
      refuses(status, type, 'messages.0: no', { 'x-should-retry': 'true' }),
      good,
    ]);
    expect(error).toMatchObject({
      code: 'model_refused',
      retryable: false,
      details: { status, type, requestId: 'req_test' },
    });
    expect(String(error)).toContain('messages.0: no');
    expect([tries, pauses]).toEqual([1, []]);
  });

  test.each(['enforced_spend_limit_reached', 'contract_spend_limit_reached'])(
    '429 with %s: a person must raise it',
    async (code) => {
      const { error, tries } = await failureOf([refuses(429, 'rate_limit_error', 'limit', {}, code), good]);
      expect(error).toMatchObject({ code: 'model_refused', details: { status: 429, error_code: code } });
      expect(String(error)).toContain('Raise the spend limit');
      expect(tries).toBe(1);
    },
  );

  test('a refusal inside the stream, known by its type alone', async () => {
    const refusal = { type: 'error', error: { type: 'invalid_request_error', message: 'bad' } };
    const { error, tries } = await failureOf([streams([...eventsOf(contractResponse).slice(0, 2), refusal]), good]);
    expect(error).toMatchObject({
      code: 'model_refused',
      details: { type: 'invalid_request_error', requestId: 'req_test' },
    });
    expect(tries).toBe(1);
  });

  test('a broken stream names the request that it belongs to', async () => {
    const { error } = await failureOf([cutsAfter(eventsOf(contractResponse).slice(0, 2))]);
    expect(error).toMatchObject({ details: { type: 'broken_stream', requestId: 'req_test' } });
  });

  test('what fails inside the client, as one error of ours', async () => {
    const { model, received } = await modelOn([good]);
    const broken = { ...contractRequest, messages: null as never };
    await expect(model.call(broken, signal)).rejects.toMatchObject({ name: 'HarnessError', code: 'infrastructure' });
    expect(received).toHaveLength(0);
  });

  test('what the server says is in vain', async () => {
    const { error, tries } = await failureOf([refuses(500, 'api_error', 'no', { 'x-should-retry': 'false' }), good]);
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(tries).toBe(1);
  });
});

describe('an abort', () => {
  test('while the answer streams rejects with its reason and makes no other try', async () => {
    const { model, received, server: endpoint } = await modelOn([begins(eventsOf(contractResponse).slice(0, 4)), good]);
    const controller = new AbortController();
    const call = model.call(contractRequest, controller.signal);
    await endpoint.arrived(1);
    controller.abort('stopped by a person');
    await expect(call).rejects.toBe('stopped by a person');
    expect(received).toHaveLength(1);
  });

  test('while waiting between two tries rejects at once', async () => {
    const controller = new AbortController();
    const reason = new TypeError('a reason that looks like a bug');
    const { server } = await modelOn([refuses(529, 'overloaded_error', 'x', { 'retry-after': '500' }), good]);
    const model = createAnthropicModel({
      baseUrl: server.url,
      apiKey: KEY,
      timeoutMs: 5_000,
      retry: { tries: 3, minDelayMs: 60_000, maxDelayMs: 60_000 },
      onRetry: () => setImmediate(() => controller.abort(reason)),
    });
    await expect(model.call(contractRequest, controller.signal)).rejects.toBe(reason);
    expect(server.received).toHaveLength(1);
  });
});
