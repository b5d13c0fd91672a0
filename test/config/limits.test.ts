import { expect, test } from 'vitest';
import { LimitEntry, findLimit } from '../../src/config/schema.ts';
import { getProviderName } from '../../src/config/endpoint.ts';

const entries = [
  { provider: 'api.anthropic.com', model: 'claude-opus-*', concurrency: 4 },
  { model: 'claude-haiku-5-5', requests_per_minute: 50, tokens_per_minute: 1000 },
].map((entry) => LimitEntry.parse(entry));

test('the first entry that fits counts, and models that one entry fits share its limit', () => {
  const opus = findLimit(entries, 'api.anthropic.com', 'claude-opus-5-5');
  expect(opus).toMatchObject({ lane: 'api.anthropic.com/claude-opus-*', limit: { concurrency: 4 } });
  expect(findLimit(entries, 'api.anthropic.com', 'claude-opus-4').lane).toBe(opus.lane);
  expect(findLimit(entries, 'offline', 'claude-haiku-5-5')).toMatchObject({
    lane: 'offline/claude-haiku-5-5',
    limit: { requestsPerMinute: 50, tokensPerMinute: 1000, concurrency: undefined },
  });
});

test('a model without a limit has a lane of its own, for the pauses of its provider', () => {
  expect(findLimit(entries, 'offline', 'claude-opus-5-5')).toEqual({
    lane: 'offline/claude-opus-5-5',
    limit: { concurrency: undefined, requestsPerMinute: undefined, tokensPerMinute: undefined },
  });
  // A star is the only sign with a meaning.
  expect(findLimit([LimitEntry.parse({ model: 'a.c' })], 'x', 'abc').lane).toBe('x/abc');
});

test('a provider is named by its host', () => {
  expect(getProviderName({ kind: 'simulated' })).toBe('offline');
  expect(getProviderName({ kind: 'api', baseUrl: 'http://127.0.0.1:8080/v1', apiKey: 'k', loopback: true })).toBe(
    '127.0.0.1',
  );
});

test.each([[{ model: 'x', concurrency: 0 }], [{ concurrency: 1 }], [{ model: 'a b' }], [{ model: 'x', rpm: 1 }]])(
  'refuses %j',
  (entry) => expect(LimitEntry.safeParse(entry).success).toBe(false),
);
