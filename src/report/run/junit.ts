/** JUnit XML of a run: a suite for its last iteration, one for the gates; nothing that waits is shown as passed. */
import { junitXml, type TestCase, type TestSuite } from '../text/junit.ts';
import { getProofProperties, getSandboxProperties, outcomeSuite, sampleCase } from './results-junit.ts';
import { waitingGate, type IterationSummary, type RunSummary } from './run-summary.ts';

export function renderJUnit(summary: RunSummary): string {
  const last = summary.iterations.at(-1);
  const suites = [
    ...(last === undefined ? [] : [iterationSuite(summary, last)]),
    ...gateSuite(summary),
    runOutcomeSuite(summary),
  ];
  return junitXml(summary.run, suites);
}

/** Covers the last iteration only: earlier failures, repaired or repeated, would turn a green run red. */
function iterationSuite(summary: RunSummary, one: IterationSummary): TestSuite {
  const missing = {
    name: 'results',
    className: summary.scenario,
    seconds: 0,
    kind: 'skipped',
    message: 'its results were not read',
    body: '',
  } as const;
  return {
    name: summary.scenario,
    cases: one.results?.samples.map((sample) => sampleCase(sample, summary.scenario, one.outputDir)) ?? [missing],
    properties: {
      ...getProofProperties(one.results),
      iteration: String(one.iteration),
      round: String(one.round),
      successRate: String(one.successRate),
      target: String(summary.target),
      costUsd: String(one.costUsd),
      simulated: String(summary.simulated),
      ...getSandboxProperties(one.results),
      ...Object.fromEntries(
        summary.iterations
          .filter(({ iteration }) => iteration !== one.iteration)
          .map(({ iteration, successRate }) => [`iteration${iteration}.successRate`, String(successRate)]),
      ),
    },
  };
}

/** A run that stopped before its end is an error, so that no list of passed tests looks like an end. */
function runOutcomeSuite(summary: RunSummary): TestSuite {
  const { status, why, scenario } = summary;
  const kind =
    status === 'succeeded'
      ? 'passed'
      : OPEN.includes(status)
        ? 'skipped'
        : STOPPED.includes(status)
          ? 'error'
          : 'failure';
  return outcomeSuite(scenario, { kind, message: `${status.replaceAll('_', ' ')}: ${why}` });
}

const OPEN: readonly RunSummary['status'][] = ['created', 'designing', 'executing', 'awaiting_approval'];
const STOPPED: readonly RunSummary['status'][] = ['paused', 'errored'];

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
