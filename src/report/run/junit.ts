/** JUnit XML of a run: a suite for its last iteration, one for the gates; nothing that waits is shown as passed. */
import type { Results, SampleResult } from '../../scenario/result.ts';
import { decidingTrial, failedVerdicts } from './failure-causes.ts';
import { junitXml, type TestCase, type TestSuite } from '../text/junit.ts';
import { waitingGate, type IterationSummary, type RunSummary } from './run-summary.ts';

export function renderJUnit(summary: RunSummary): string {
  const last = summary.iterations.at(-1);
  const suites = [...(last === undefined ? [] : [iterationSuite(summary, last)]), ...gateSuite(summary)];
  return junitXml(summary.run, suites);
}

/** Covers the last iteration only: earlier failures, repaired or repeated, would turn a green run red. */
function iterationSuite(summary: RunSummary, one: IterationSummary): TestSuite {
  const name = `iteration ${one.iteration}`;
  const missing = {
    name,
    className: summary.scenario,
    seconds: 0,
    kind: 'skipped',
    message: 'its results were not read',
    body: '',
  } as const;
  return {
    name: `${summary.scenario} ${name}`,
    cases: one.results?.samples.map((sample) => sampleCase(sample, summary.scenario, one.outputDir)) ?? [missing],
    properties: {
      round: String(one.round),
      successRate: String(one.successRate),
      target: String(summary.target),
      costUsd: String(one.costUsd),
      simulated: String(summary.simulated),
      ...toSandboxProperties(one.results),
      ...Object.fromEntries(
        summary.iterations
          .filter(({ iteration }) => iteration !== one.iteration)
          .map(({ iteration, successRate }) => [`iteration${iteration}.successRate`, String(successRate)]),
      ),
    },
  };
}

/** Adds properties only where the sandbox of generated code leaves gaps. */
function toSandboxProperties(results: Results | undefined): Record<string, string> {
  const { sandbox = '', sandboxGaps = [] } = results ?? {};
  return sandboxGaps.length === 0 ? {} : { sandbox, sandboxGaps: sandboxGaps.join('; ') };
}

function sampleCase(sample: SampleResult, scenario: string, outputDir: string): TestCase {
  const trial = decidingTrial(sample);
  const verdicts = failedVerdicts(sample);
  const seconds = sample.trials.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const shared = {
    name: sample.id,
    className: sample.layer === undefined ? scenario : `${scenario}.layer${sample.layer}`,
    seconds,
  };
  if (sample.outcome === 'pass') return { ...shared, kind: 'passed', message: '', body: '' };
  const trace = trial === undefined ? '' : `trace: ${outputDir}/${trial.trace}`;
  if (sample.outcome === 'unscored') {
    const lost = sample.trials.find(({ outcome }) => outcome === 'unscored');
    return {
      ...shared,
      kind: 'error',
      message: `unscored: ${lost?.stop ?? 'no trial was made'}`,
      body: [...sample.why, trace].join('\n'),
    };
  }
  const failures = verdicts.flatMap(({ checker, reason, evidence }) => [
    `${checker}: ${reason}`,
    ...evidence.map((line) => `  ${line}`),
  ]);
  const message = verdicts.at(0)?.reason ?? `the subject stopped: ${trial?.stop ?? 'no trial was made'}`;
  return {
    ...shared,
    kind: 'failure',
    message,
    body: [...failures, ...sample.why.map((why) => `why: ${why}`), trace].join('\n'),
  };
}

function gateSuite(summary: RunSummary): TestSuite[] {
  const waiting = waitingGate(summary);
  const cases = summary.rounds.flatMap(({ round, decision, decidedBy, comment }): TestCase[] => {
    const gate = `HITL-1.r${round}`;
    const shared = { name: gate, className: `${summary.scenario}.gate`, seconds: 0, body: comment };
    if (gate === waiting) return [{ ...shared, kind: 'skipped', message: `waiting at ${gate}` }];
    if (decision === undefined) return [{ ...shared, kind: 'skipped', message: `${gate} was not decided` }];
    const refused = decision === 'reject' || decision === 'expired';
    return [{ ...shared, kind: refused ? 'failure' : 'passed', message: `${decision} by ${decidedBy ?? 'nobody'}` }];
  });
  return cases.length === 0 ? [] : [{ name: `${summary.scenario} gates`, cases, properties: {} }];
}
