import { expect, test } from 'vitest';
import { silentUser } from '../../../src/evaluation/trial/simulated-user.ts';

test('a silent user never answers, and its silence is nobody’s fault', async () => {
  const act = async () => ({ output: null, is_error: false });
  const answer = await silentUser.answer({ said: 'Your order?', act, leftMs: 1000 }, new AbortController().signal);
  expect(answer.says).toBeUndefined();
  expect(answer.end).toBeUndefined();
});
