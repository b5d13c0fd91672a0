/** Execute's causes: refused where they cannot be, written next to the evidence where they differ from it. */
import { expect, test } from 'vitest';
import {
  listUncitedCauses,
  formatClaim,
  isDisputed,
  namedCauseFaults,
  withNamedCauses,
} from '../../../src/scenario/attribution/named-causes.ts';
import type { NamedCause } from '../../../src/scenario/handoff.ts';
import type { Results, SampleResult } from '../../../src/scenario/result.ts';
import { sampleOf } from '../results-of.ts';

const verdict = { checker: 'window', pass: false, reason: 'too late', evidence: [] };
const failing = sampleOf('late', 'f', { layer: 4, cause: '4b', uses: ['samples/late.json', 'tools/refund.py'] });
const late: SampleResult = { ...failing, trials: failing.trials.map((trial) => ({ ...trial, verdicts: [verdict] })) };
const results = { samples: [late, sampleOf('fine', 'p'), sampleOf('lost', 'u')], layers: {} } as unknown as Results;
const named = (cause: NamedCause['cause'], more: Partial<NamedCause> = {}): NamedCause => ({
  ...{ sample: 'late', cause, why: 'its trace says so' },
  ...more,
});

test.each([
  ['a sample that is not there', named('4a', { sample: 'other' }), /no sample "other"/],
  ['a sample that passed', named('4a', { sample: 'fine' }), /did not fail \(pass\)/],
  ['a sample without a verdict', named('4a', { sample: 'lost' }), /needs no cause here; where its user was lost, mend/],
  ['the design, which has a way of its own', named('1'), /return_to_init/],
  ['a tool without its name', named('2'), /names none; there are: refund\./],
  ['a tool that was never called', named('2', { component: 'lookup' }), /names "lookup"; there are: refund\./],
  ['a checker that did not reject it', named('3', { component: 'amount' }), /there are: window\./],
])('%s is refused, and the agent reads what would do', (_title, cause, message) => {
  expect(namedCauseFaults([cause], results)).toEqual([expect.stringMatching(message)]);
});

test('each sample is named once and judged by its own cause; an expectation and a passing checker rejected nothing', () => {
  const other: SampleResult = { ...late, id: 'other' };
  const both = { ...results, samples: [late, other] } as Results;
  const causes = [named('4a'), named('4b', { sample: 'other' })];
  expect(namedCauseFaults(causes, both)).toEqual([]);
  expect(withNamedCauses(both, causes).samples.map(({ claim }) => claim?.cause)).toEqual(['4a', '4b']);
  const verdicts = [
    { ...verdict, checker: 'expect' },
    { ...verdict, checker: 'fine', pass: true },
  ];
  const alone = { ...results, samples: [{ ...late, trials: late.trials.map((trial) => ({ ...trial, verdicts })) }] };
  expect(namedCauseFaults([named('3', { component: 'expect' })], alone as Results)).toEqual([
    'Sample "late": cause 3 needs as component a checker that rejected it, and names "expect"; there is none.',
  ]);
});

test('a component that is blamed is named, and without a claim there is nothing to say', () => {
  const [blamed] = withNamedCauses(results, [named('2', { component: 'refund' })]).samples;
  expect(blamed && formatClaim(blamed)).toContain('Execute says 2 (refund): ');
  expect([formatClaim(late), isDisputed(late)]).toEqual([undefined, false]);
});

test('who sends a problem back need not say of its samples that they are no cause of the design, and may', () => {
  const problem = { title: 't', rules: ['R1'], samples: ['late'], claim: 'c' };
  expect(listUncitedCauses([named('1')], [problem])).toEqual([]);
  const kept = [named('4b'), named('1', { sample: 'fine' })];
  expect(listUncitedCauses(kept, [problem])).toEqual(kept);
});

test('a cause that can be true is taken, once for each sample', () => {
  expect(namedCauseFaults([named('2', { component: 'refund' })], results)).toEqual([]);
  expect(namedCauseFaults([named('4a')], results)).toEqual([]);
  expect(namedCauseFaults([named('4a'), named('4b')], results)).toEqual([expect.stringMatching(/named twice/)]);
});

test('a claim changes nothing that is counted, and a difference is said', () => {
  const [claimed] = withNamedCauses(results, [named('4a')]).samples;
  expect(claimed).toMatchObject({ cause: '4b', layer: 4, claim: { cause: '4a', why: 'its trace says so' } });
  expect(claimed && isDisputed(claimed)).toBe(true);
  expect(claimed && formatClaim(claimed)).toBe(
    'Execute says 4a: its trace says so (By evidence it is 4b; both are on record.)',
  );
  const [agreed] = withNamedCauses(results, [named('4b')]).samples;
  expect(agreed && isDisputed(agreed)).toBe(false);
});
