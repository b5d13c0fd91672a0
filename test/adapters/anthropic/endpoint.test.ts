import { expect, test } from 'vitest';
import { createClient } from '../../../src/adapters/anthropic/endpoint.ts';

const options = { baseUrl: 'http://127.0.0.1:9', apiKey: 'sk-ant-key', timeoutMs: 1_000 };

test('the vendor retries nothing and logs nothing, whatever the environment says', () => {
  const client = createClient(options);
  expect(client).toMatchObject({ maxRetries: 0, logLevel: 'off', apiKey: 'sk-ant-key', authToken: null });
});

test('spans are off unless they are asked for', () => {
  expect(createClient(options).openTelemetry.traces.enabled).toBe(false);
  expect(createClient({ ...options, openTelemetry: true }).openTelemetry.traces.enabled).toBe(true);
});

test.each([0, -1, 1.5, Number.NaN])('a timeout of %s ms is refused', (timeoutMs) => {
  expect(() => createClient({ ...options, timeoutMs })).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});
