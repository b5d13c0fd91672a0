/** What answers and errors say of the provider's limits, by the headers on the wire. */
import { expect, test } from 'vitest';
import { readAllowances } from '../../../src/adapters/anthropic/anthropic-model.ts';
import { contractRequest } from '../../contracts/model.contract.ts';
import { modelOn } from '../../support/model-on-server.ts';
import { refuses } from '../../support/scripted-server.ts';

const LEFT = {
  'anthropic-ratelimit-requests-limit': '50',
  'anthropic-ratelimit-requests-remaining': '3',
  'anthropic-ratelimit-requests-reset': '2026-11-22T12:00:00Z',
  'anthropic-ratelimit-input-tokens-limit': '30000',
  'anthropic-ratelimit-input-tokens-remaining': '1000',
};

test('each number with its limit; nothing where there is none, or no number', () => {
  expect(readAllowances(new Headers(LEFT))).toEqual({
    requests: { limit: 50, remaining: 3 },
    inputTokens: { limit: 30_000, remaining: 1000 },
  });
  expect(readAllowances(new Headers({ 'anthropic-ratelimit-tokens-limit': '-1' }))).toBeUndefined();
  const strange = { 'anthropic-ratelimit-tokens-limit': '100', 'anthropic-ratelimit-tokens-remaining': 'NaN' };
  expect(readAllowances(new Headers(strange))).toBeUndefined();
  expect(readAllowances(undefined)).toBeUndefined();
});

test('they are read from every answer of the wire, errors included', async () => {
  const learnt: unknown[] = [];
  const { model } = await modelOn(
    [refuses(529, 'overloaded_error', 'no', LEFT), refuses(400, 'invalid_request_error', 'no', LEFT)],
    {
      learn: (name, { requests }) => learnt.push([name, requests]),
    },
  );
  await model.call(contractRequest, new AbortController().signal).catch(() => undefined);
  const said = ['claude-opus-5-5', { limit: 50, remaining: 3 }];
  expect(learnt).toEqual([said, said]);
});
