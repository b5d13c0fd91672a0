/** A file that is missing has consequences, which are not told beside it; ambiguous JSON is not missing. */
import { expect, test } from 'vitest';
import { withoutConsequences, createProblem } from '../../../src/scenario/attribution/problem-code.ts';

const few = createProblem('too-few-samples', 'samples', 'm');
const real = createProblem('gold-fails', 'a', 'm');

test('what follows from a sample that was not loaded is left out', () => {
  expect(withoutConsequences([few, real], [createProblem('schema', 'b', 'm')])).toEqual([real]);
});

test('a sample with a key that is there twice is loaded, so nothing follows from it', () => {
  expect(withoutConsequences([few, real], [createProblem('json-ambiguous', 'b', 'm')])).toEqual([few, real]);
});
