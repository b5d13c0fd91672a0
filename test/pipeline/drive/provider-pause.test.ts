/** Which failures pause a run, and what its pause says about going on. */
import { expect, test } from 'vitest';
import { HarnessError } from '../../../src/errors.ts';
import { pauseFor } from '../../../src/pipeline/drive/provider-pause.ts';

const away = (message: string, details: Record<string, unknown> = {}) =>
  pauseFor(new HarnessError('model_unavailable', message, { retryable: true, details }))?.detail;

test.each([
  [{}, 'later'],
  [{ retryAfterMs: 0 }, 'later'],
  [{ retryAfterMs: 1 }, 'in 1 min at the earliest'],
  [{ retryAfterMs: 60_000 }, 'in 1 min at the earliest'],
  [{ retryAfterMs: 60_001 }, 'in 2 min at the earliest'],
  [{ retryAfterMs: '60000' }, 'later'],
])('a provider that is away, with %j, is asked again %s', (details, when) => {
  expect(away('Overloaded.', details)).toBe(`Overloaded. Nothing is judged and nothing is lost: go on ${when}.`);
});

test('the message ends as a sentence, whatever its own end is', () => {
  for (const message of ['Overloaded', 'Overloaded.', 'Overloaded!', 'Overloaded?'])
    expect(away(message)).toMatch(/^Overloaded\. Nothing/);
});

test('what is wrong with the account goes on when that is mended; any other failure pauses nothing', () => {
  const account = new HarnessError('model_refused', 'The key is not valid.', { details: { means: 'account' } });
  expect(pauseFor(account)).toMatchObject({
    ...{ type: 'run.paused', reason: 'provider' },
    detail: expect.stringContaining('go on when that is mended.'),
  });
  expect(pauseFor(new HarnessError('model_refused', 'too long'))).toBeUndefined();
  expect(pauseFor(new HarnessError('infrastructure', 'disk'))).toBeUndefined();
  expect(pauseFor(new Error('model_unavailable'))).toBeUndefined();
});
