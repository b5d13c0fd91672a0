/** Two people where a policy answers too: the policy is one voice, the run waits for a person and says so. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestAt, lastJson, makeProject, tandem } from '../support/cli.ts';

const RUN = ['--profile', 'demo', '--on-gate', 'auto:demo', '--json'];

test('a run whose gates need two waits after its policy, says who is needed, and goes on after a person', async () => {
  const project = await makeProject('refund-desk');
  await mkdir(join(project, 'config'), { recursive: true });
  await writeFile(join(project, 'config/reviewers.yaml'), 'version: 1\nneed: 2\n');
  const run = await tandem(project, ['run', 'refund-desk', '--id', 'two', ...RUN]);
  expect(run.code).toBe(4);
  const missing = '1 of 2 approvals (policy:demo), 1 more of another person';
  expect(run.stderr).toContain(`HITL-1.r1: ${missing}. A policy counts as one voice`);
  const again = await tandem(project, ['resume', 'two', ...RUN]);
  expect([again.code, lastJson(again)['status']]).toEqual([4, 'awaiting_approval']);
  const report = await tandem(project, ['report', 'two', '--format', 'json']);
  expect(report.stdout).toContain(missing);
  const args = ['gates', 'approve', 'two', '--digest', await digestAt(project, 'two'), '--accept', '--json'];
  expect((await tandem(project, args)).code).toBe(0);
  const next = await tandem(project, ['resume', 'two', ...RUN]);
  expect([next.code, lastJson(next)['rounds']]).toEqual([4, 2]);
}, 180_000);
