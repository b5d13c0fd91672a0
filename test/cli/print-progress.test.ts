import { expect, test } from 'vitest';
import { printProgress } from '../../src/cli/print-progress.ts';
import { fakeIo } from './fake-io.ts';

test('a try that is made again says why and when, and an event that is not worth a line says nothing', () => {
  const io = fakeIo('.');
  const progress = printProgress(io);
  progress({ type: 'retry', what: 'model call', attempt: 2, delayMs: 1500, reason: 'the API answered 429' });
  progress({ type: 'step', agent: 'init', step: 1, tools: [], tokens: 1, limit: 2 } as never);
  expect(io.errors).toEqual([expect.stringMatching(/^retry 2 of model call in 1\.5 s: the API answered 429$/)]);
});
