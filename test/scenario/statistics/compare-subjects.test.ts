import { expect, test } from 'vitest';
import { importedResults } from '../../../src/interop/imported-results.ts';
import { compareSubjects } from '../../../src/scenario/statistics/compare-subjects.ts';
import { sampleOf } from '../results-of.ts';

/** One outcome a sample: `ppf` are three samples. */
function subject(name: string, outcomes: readonly string[]) {
  const trials = outcomes.flatMap((own, index) =>
    sampleOf(`s${index}`, own).trials.map((result) => ({
      ...{ sample: `s${index}`, title: 's', category: 'c', result, why: [] },
    })),
  );
  return { name, results: importedResults(trials, 'tasks'), verdict: 'met' as const };
}
const many = (count: number, own: string) => Array.from({ length: count }, () => own);

test('a pair is tested sample by sample, from both sides, and corrected for the number of pairs', () => {
  const good = subject('good', many(12, 'pp'));
  const bad = subject('bad', [...many(8, 'ff'), ...many(4, 'pp')]);
  const two = compareSubjects([good, bad]).pairs;
  expect(two).toMatchObject([{ one: 'good', other: 'bad', label: 'one', samples: 12 }]);
  expect(compareSubjects([bad, good]).pairs).toMatchObject([{ label: 'other', p: two[0]?.p }]);
  const three = compareSubjects([good, bad, subject('same', many(12, 'pp'))]).pairs;
  expect(three.map(({ one, other, label }) => [one, other, label])).toEqual([
    ['good', 'bad', 'one'],
    ['good', 'same', 'no difference shown'],
    ['bad', 'same', 'other'],
  ]);
  expect(three[0]?.p).toBeCloseTo((two[0]?.p ?? 0) * 3, 12);
});

test('few trials say that they are few; only samples on which they differ are listed', () => {
  const found = compareSubjects([subject('one', ['p', 'p', 'u']), subject('other', ['p', 'f', 'p'])]);
  expect(found.pairs).toMatchObject([{ label: 'not enough data', samples: 2, p: 1 }]);
  expect(found.differing).toEqual({ s1: { one: { passed: 1, total: 1 }, other: { passed: 0, total: 1 } } });
});

test('the better one has the higher rate: many trials of one sample outweigh no other samples', () => {
  // By trials the first is far ahead, by samples the second: nothing is shown.
  const one = subject('one', ['p'.repeat(10), 'f', 'f', 'f']);
  const other = subject('other', ['f'.repeat(10), 'p', 'p', 'p']);
  const [pair] = compareSubjects([one, other]).pairs;
  expect(pair).toMatchObject({ rates: { one: 0.25, other: 0.75 }, label: 'no difference shown' });
  expect(pair?.p).toBeGreaterThan(0.5);
});

test('as good in another order of samples is no difference at all', () => {
  const one = subject('one', ['ppp', 'ppf', 'ppp', 'pff', 'fff', 'pff']);
  const other = subject('other', ['ppf', 'pff', 'pff', 'ppp', 'fff', 'ppp']);
  expect(compareSubjects([one, other]).pairs).toMatchObject([{ p: 1, label: 'no difference shown' }]);
});

test('Holm: the smallest p counts three times, the next twice, the largest once and never less than the one before', () => {
  const subjects = [subject('a', many(12, 'pp')), subject('b', [...many(4, 'ff'), ...many(8, 'pp')])];
  const third = subject('c', [...many(7, 'ff'), ...many(5, 'pp')]);
  const alone = (one: ReturnType<typeof subject>, other: ReturnType<typeof subject>) =>
    compareSubjects([one, other]).pairs[0]?.p ?? expect.fail();
  const [a, b] = subjects as [ReturnType<typeof subject>, ReturnType<typeof subject>];
  const raw = [alone(a, b), alone(a, third), alone(b, third)];
  const [smallest = 0, middle = 0, largest = 0] = raw.toSorted((x, y) => x - y);
  const found = compareSubjects([...subjects, third])
    .pairs.map(({ p }) => p)
    .toSorted((x, y) => x - y);
  expect(found[0]).toBeCloseTo(3 * smallest, 12);
  expect(found[1]).toBeCloseTo(Math.max(3 * smallest, 2 * middle), 12);
  expect(found[2]).toBeCloseTo(Math.max(3 * smallest, 2 * middle, largest), 12);
});

test('a row says of each subject what its results do', () => {
  const { results } = subject('one', ['pp', 'pf']);
  expect(compareSubjects([{ name: 'one', results, verdict: 'not met' }]).subjects).toEqual([
    expect.objectContaining({
      name: 'one',
      passed: 1,
      total: 2,
      unscored: 0,
      successRate: 0.5,
      passAtOne: 0.75,
      met: false,
      verdict: 'not met',
    }),
  ]);
});
