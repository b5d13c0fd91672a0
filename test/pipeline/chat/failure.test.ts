/** Whoever gets no answer is told what to do, and that nothing was kept. */
import { expect, test } from 'vitest';
import { HarnessError, type ErrorCode } from '../../../src/errors.ts';
import { withAdvice } from '../../../src/pipeline/chat/chat.ts';

test.each<[ErrorCode, string, RegExp]>([
  [
    'model_unavailable',
    'The API is overloaded (529).',
    /^The API is overloaded \(529\)\. Nothing .* Ask again in a moment\.$/,
  ],
  ['agent_stopped', 'The step limit is reached.', /Ask in smaller parts\.$/],
  ['context_overflow', 'Too large.', /Begin afresh/],
  ['model_refused', 'simulation script: chat knows no turn', /simulation\/chat\.yaml .* ANTHROPIC_API_KEY/],
  [
    'budget_exceeded',
    'It could cost $1. Raise the cap with tandem resume x.',
    /^It could cost \$1\. Nothing .* budget of its run/,
  ],
])('%s', (code, message, told) => {
  const said = withAdvice(new HarnessError(code, message, { retryable: true, details: { a: 1 } }));
  expect(said).toMatchObject({ code, retryable: true, details: { a: 1 }, message: expect.stringMatching(told) });
});

test('what has its remedy already, or is no error of ours, passes as it is', () => {
  for (const error of [
    new HarnessError('usage', 'Say what.'),
    new HarnessError('model_refused', '400'),
    new Error('x'),
  ])
    expect(withAdvice(error)).toBe(error);
});
