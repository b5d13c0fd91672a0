/**
 * The context bench as a command: its last line is the rows, and no policy of ours sends what the API would refuse.
 * Its small sibling in CI: test/slow/context-session.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { POLICY_NAMES } from '../support/policies.ts';

// Declared here, because the bench's own types reach into packages that are not installed for everybody.
type RotReport = {
  cases: { policy: string; compactions: number; lost: number; changed: number }[];
  moreTokens: { policy: string; scenario: string; rules: number; view: number; share: number; costShare: number }[];
};
type SuccessRow = { kind: string; summariser: string; rounds: number; faults: number; solved?: boolean };

const Row = z.looseObject({
  system: z.enum(['tandem', 'tandem openContext']),
  scenario: z.string(),
  /** The façade's row has the one that it opens. */
  policy: z.string().optional(),
  faults: z.number(),
  fits: z.boolean(),
  factsPlanted: z.number(),
  factsKept: z.number(),
  factsAfterOne: z.object({ planted: z.number(), kept: z.number() }),
  rounds: z.number(),
  staleThinking: z.number(),
  summariserTokens: z.number(),
  costUsd: z.number().positive(),
  cpuMs: z.number().positive(),
  peakMiB: z.number(),
});

test('--quick --json: every policy on five conversations, all valid, all fitting, every fact kept in every round', () => {
  const { stdout, status } = spawnSync(process.execPath, ['bench/context/run.ts', '--quick', '--json'], {
    encoding: 'utf8',
    timeout: 200_000,
  });
  expect(status).toBe(0);
  const { rows } = z.object({ rows: z.array(Row) }).parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  // Each policy as it is and with `trigger: auto`, and the façade.
  expect(rows).toHaveLength((POLICY_NAMES.length * 2 + 1) * 5);
  expect(rows.filter(({ faults, fits, staleThinking }) => faults + staleThinking > 0 || !fits)).toEqual([]);
  expect(rows.filter(({ factsKept, factsPlanted }) => factsPlanted === 0 || factsKept < factsPlanted)).toEqual([]);
  expect(rows.filter(({ factsAfterOne: first }) => first.planted === 0 || first.kept < first.planted)).toEqual([]);
  expect(rows.filter(({ rounds }) => rounds < 4)).toEqual([]);
}, 240_000);

test('--rules: no summary that forgets, contradicts or is poisoned loses or changes a pinned rule, for few tokens (S0.20)', () => {
  const { stdout, status } = spawnSync(process.execPath, ['bench/context/run.ts', '--rules', '--json'], {
    encoding: 'utf8',
    timeout: 280_000,
  });
  expect(status).toBe(0);
  const report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as RotReport;
  expect(report.cases.length).toBeGreaterThanOrEqual(300);
  expect(new Set(report.cases.map(({ policy }) => policy)).size).toBe(POLICY_NAMES.length);
  expect(report.cases.filter(({ lost, changed, compactions }) => lost + changed > 0 || compactions < 2)).toEqual([]);
  // The rules of the refund desk stand in each request once: no more than their share of it, and half of that elsewhere.
  const isDear = ({ policy, share, rules, view }: RotReport['moreTokens'][number]) =>
    share > (rules / view) * (policy === 'windowed' ? 1.01 : 0.6);
  expect(report.moreTokens.filter(isDear)).toEqual([]);
  expect(report.moreTokens.filter(({ costShare }) => costShare > 0.011)).toEqual([]);
}, 300_000);

test('--success: with summaries that repeat what they are shown, every policy solves what was said before a compaction', () => {
  const { stdout, status } = spawnSync(process.execPath, ['bench/context/run.ts', '--success', '--quick', '--json'], {
    encoding: 'utf8',
    timeout: 280_000,
  });
  expect(status).toBe(0);
  const { tasks } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { tasks: SuccessRow[] };
  expect(tasks).toHaveLength((POLICY_NAMES.length + 1) * 10 * 2);
  expect(tasks.filter(({ rounds, faults }) => rounds < 2 || faults > 0)).toEqual([]);
  expect(tasks.filter(({ summariser, solved }) => summariser === 'perfect' && solved !== true)).toEqual([]);
  // What a person said is carried by code, whatever the summary says.
  const said = tasks.filter(({ kind, summariser }) => summariser === 'forgetful' && kind === 'said by the person');
  expect(said.filter(({ solved }) => solved !== true)).toEqual([]);
}, 300_000);

test('a flag that it does not know is refused by name', () => {
  const { status, stderr } = spawnSync(process.execPath, ['bench/context/run.ts', '--quik'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    2,
    'bench:context: --quik is not known. Expected --json, --quick, --docs, --rules, --success, --success=<file>.\n',
  ]);
});
