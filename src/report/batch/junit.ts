/** JUnit XML of a batch: a suite per scenario, a case per run; a waiting run is never shown as passed. */
import { junitXml, type TestCase } from '../text/junit.ts';
import { groupByScenario, type BatchRow, type BatchSummary } from './summary.ts';

export function renderBatchJUnit(summary: BatchSummary): string {
  const suites = groupByScenario(summary).map(({ scenario }) => ({
    name: scenario,
    cases: summary.rows.filter((row) => row.scenario === scenario).map(toTestCase),
    properties: {},
  }));
  return junitXml(summary.batch, suites);
}

function toTestCase(row: BatchRow): TestCase {
  const message = row.gate === undefined ? `${row.status}: ${row.why}` : `waiting at ${row.gate.id}`;
  const { run: name, scenario: className, durationMs } = row;
  return { name, className, seconds: durationMs / 1000, kind: toTestOutcome(row), message, body: row.against ?? '' };
}

function toTestOutcome({ status }: BatchRow): TestCase['kind'] {
  if (status === 'succeeded') return 'passed';
  if (status === 'failed' || status === 'rejected' || status === 'expired') return 'failure';
  return ['errored', 'unreadable', 'newer'].includes(status) ? 'error' : 'skipped';
}
