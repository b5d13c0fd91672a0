/** JUnit of results without a run: one class for the scenario and one name a sample, whatever their outcomes are. */
import { nameLosses } from '../../scenario/lost-by-user.ts';
import type { Results, SampleResult } from '../../scenario/result.ts';
import type { BaselineComparison } from '../../scenario/statistics/compare-baseline.ts';
import {
  describePassed,
  explainUnmet,
  judgeResults,
  listDisputes,
  type ResultsVerdict,
} from '../../scenario/statistics/judge-results.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { junitXml, type TestCase, type TestSuite } from '../text/junit.ts';
import { describeComparison } from './comparison-text.ts';
import { decidingTrial, failedVerdicts } from './failure-causes.ts';
import { describeAgainst, formatPlace, listResultNotes } from './run-outcome.ts';

/** The test that says how the whole ended, beside those of the samples. */
const OUTCOME = 'target';

export type JudgedResults = { className: string; results: Results; verdict: ResultsVerdict };

/** Results of which nothing was played; `why` says the reason. */
type UnplayedResults = { className: string; why: string };

/** One suite for each scenario. */
export function renderEvaluationJUnit(name: string, all: readonly (JudgedResults | UnplayedResults)[]): string {
  return junitXml(
    name,
    all.map((one) => ('why' in one ? unplayedSuite(one) : judgedSuite(one))),
  );
}

function judgedSuite({ className, results, verdict }: JudgedResults): TestSuite {
  const samples = results.samples.map((sample) => sampleCase(sample, className));
  return {
    name: className,
    cases: [...samples, verdictCase(className, results, verdict)],
    properties: { ...getProofProperties(results), ...getRateProperties(results) },
  };
}

/** There is no result, so no test may look as if it had passed. */
function unplayedSuite({ className, why: message }: UnplayedResults): TestSuite {
  const body = 'there is no result';
  const cases = [{ ...{ name: OUTCOME, className, seconds: 0, message, body }, kind: 'error' as const }];
  return { name: className, cases, properties: {} };
}

export function renderUnplayedJUnit(className: string, why: string): string {
  return renderEvaluationJUnit(className, [{ className, why }]);
}

export type ComparedResults = { className: string; results: Results; comparison: BaselineComparison; isRed: boolean };

/** A sample is red when it got worse by more than chance; one that always failed is not. */
export function renderComparisonJUnit({ className, results, comparison, isRed }: ComparedResults): string {
  const { label, samples: compared } = comparison;
  const message = describeComparison(comparison);
  const cases = results.samples.map((sample): TestCase => {
    const own = sampleCase(sample, className);
    const change = compared.find(({ id }) => id === sample.id);
    if (own.kind === 'error' || (isRed && change?.label === 'regression')) return own;
    return { ...own, kind: 'passed', message: '', body: '' };
  });
  const kind = label === 'incomplete' ? 'error' : isRed ? 'failure' : 'passed';
  const whole: TestCase = { ...{ name: 'baseline', className, seconds: 0, message, body: '' }, kind };
  const properties = { ...getProofProperties(results), label, ...getRateProperties(results) };
  return junitXml(className, [{ name: className, cases: [...cases, whole], properties }]);
}

const KINDS: Readonly<Record<ResultsVerdict, TestCase['kind']>> = {
  met: 'passed',
  'not met': 'failure',
  disputed: 'failure',
  incomplete: 'error',
};

function verdictCase(className: string, results: Results, verdict: ResultsVerdict): TestCase {
  const { samples, total, target } = results;
  const unmet = explainUnmet(results);
  const because = unmet === undefined ? '' : `; ${unmet}`;
  const message = `${verdict}: ${describePassed(samples)} of ${total} samples pass, target ${formatPercent(target)}${because}`;
  return { ...{ name: OUTCOME, className, seconds: 0, message, body: '' }, kind: KINDS[verdict] };
}

/** Puts what speaks against the rate first, where a reader of the file meets it. */
export function getProofProperties(results: Results | undefined): Record<string, string> {
  if (results === undefined) return {};
  const against = describeAgainst(listResultNotes(results));
  const disputes = listDisputes(results.samples);
  return {
    ...(against === undefined ? {} : { against }),
    ...(disputes.length === 0 ? {} : { passed: `${describePassed(results.samples)} of ${results.total}` }),
    ...Object.fromEntries(
      disputes.map(({ name, text, trace, line }, index) => [
        `disputed.${index + 1}`,
        `${name}: ${text} (${formatPlace(trace, line)})`,
      ]),
    ),
  };
}

function getRateProperties(results: Results): Record<string, string> {
  const { successRate, target, costUsd, simulated } = results;
  return {
    verdict: judgeResults(results),
    ...{ successRate: String(successRate), target: String(target) },
    ...{ costUsd: String(costUsd), simulated: String(simulated) },
    ...getSandboxProperties(results),
  };
}

/** Adds properties only where the sandbox of generated code leaves gaps. */
export function getSandboxProperties(results: Results | undefined): Record<string, string> {
  const { sandbox = '', sandboxGaps = [] } = results ?? {};
  return sandboxGaps.length === 0 ? {} : { sandbox, sandboxGaps: sandboxGaps.join('; ') };
}

/** `folder` is where the traces are. The layer stands in the text: a name that follows the outcome has no history. */
export function sampleCase(sample: SampleResult, className: string, folder?: string): TestCase {
  const trial = decidingTrial(sample);
  const verdicts = failedVerdicts(sample);
  const seconds = sample.trials.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const shared = { name: sample.id, className, seconds };
  if (sample.outcome === 'pass') return { ...shared, kind: 'passed', message: '', body: '' };
  const trace = trial === undefined ? '' : `trace: ${folder === undefined ? '' : `${folder}/`}${trial.trace}`;
  if (sample.outcome === 'unscored') {
    const message = `unscored: ${sample.why[0] ?? nameLosses(sample)}`;
    return { ...shared, kind: 'error', message, body: [...sample.why, trace].join('\n') };
  }
  const failures = verdicts.flatMap(({ checker, reason, evidence }) => [
    `${checker}: ${reason}`,
    ...evidence.map((line) => `  ${line}`),
  ]);
  const message = verdicts.at(0)?.reason ?? `the subject stopped: ${trial?.stop ?? 'no trial was made'}`;
  const layer = sample.layer === undefined ? [] : [`layer: ${sample.cause ?? sample.layer}`];
  const body = [...layer, ...failures, ...sample.why.map((why) => `why: ${why}`), trace].join('\n');
  return { ...shared, kind: 'failure', message, body };
}

/** Ends a suite list with the test of the whole run. */
export function outcomeSuite(className: string, { kind, message }: Pick<TestCase, 'kind' | 'message'>): TestSuite {
  const cases = [{ ...{ name: OUTCOME, className, seconds: 0, body: '' }, kind, message }];
  return { name: `${className} outcome`, cases, properties: {} };
}
