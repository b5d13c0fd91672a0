/** JUnit XML of a batch: a suite for each scenario, a case for each run; a run that waits is never shown as passed. */
import { junitXml, type Case } from '../text/junit.ts';
import { batchGroups, type BatchRow, type BatchSummary } from './summary.ts';

export function renderBatchJUnit(summary: BatchSummary): string {
  const suites = batchGroups(summary).map(({ scenario }) => ({
    name: scenario,
    cases: summary.rows.filter((row) => row.scenario === scenario).map(caseOf),
    properties: {},
  }));
  return junitXml(summary.batch, suites);
}

function caseOf(row: BatchRow): Case {
  const message = row.gate === undefined ? `${row.status}: ${row.why}` : `waiting at ${row.gate.id}`;
  const { run: name, scenario: className, durationMs } = row;
  return { name, className, seconds: durationMs / 1000, kind: kindOf(row), message, body: '' };
}

function kindOf({ status }: BatchRow): Case['kind'] {
  if (status === 'succeeded') return 'passed';
  if (status === 'failed' || status === 'rejected' || status === 'expired') return 'failure';
  return ['errored', 'unreadable', 'newer'].includes(status) ? 'error' : 'skipped';
}
