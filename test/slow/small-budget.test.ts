/** Runs under one small cap: it finishes as many as it can, never more is spent, and more money goes on. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileSpending } from '../../src/adapters/files/file-spending.ts';
import { lastJson, makeProject, tandem } from '../support/cli.ts';

type Row = { status: string; why: string; usd: number };

const batchIn =
  (project: string) =>
  (...args: string[]) =>
    tandem(project, ['batch', ...args, '--profile', 'demo', '--json']);

async function heldBy(project: string, batch: string): Promise<number> {
  const records = await openFileSpending(join(project, 'batches', batch)).list();
  return records.reduce((sum, one) => sum + one.usd + one.uncertainUsd + one.reservedUsd, 0);
}

test('a cap that is enough for one of two finishes one, and the other goes on with more', async () => {
  const project = await makeProject('refund-desk');
  const batch = batchIn(project);
  const poor = await batch('refund-desk', '--runs', '2', '--budget', '2.10', '--id', 'two');
  expect(poor.code, poor.stderr).toBe(5);
  const statuses = (lastJson(poor)['rows'] as Row[]).map(({ status }) => status);
  expect(statuses).toEqual(['succeeded', 'paused']);
  expect(poor.stderr).toContain('waits until another run of the batch rests');
  expect(await heldBy(project, 'two')).toBeLessThanOrEqual(2.1);
  const rich = await batch('--resume', 'two', '--budget', '6');
  expect(rich.code, rich.stderr).toBe(0);
  expect(lastJson(rich)).toMatchObject({ met: 2, uncertainUsd: 0 });
});

test('a batch of three under $1.50 pauses when the money is spent and not when it is reserved', async () => {
  const project = await makeProject('refund-desk');
  const batch = batchIn(project);
  const held = () => heldBy(project, 'small');
  const poor = await batch('refund-desk', '--runs', '3', '--budget', '1.50', '--id', 'small');
  expect(poor.code, poor.stderr).toBe(5);
  const result = lastJson(poor);
  // Less than one more call of the usual length is left.
  expect(Number(result['costUsd'])).toBeGreaterThan(1.3);
  expect(await held()).toBeLessThanOrEqual(1.5);
  for (const { status, why } of result['rows'] as Row[]) {
    expect(status).toBe('paused');
    expect(why).toContain('$0.00 are reserved');
  }
  // One run has it all, instead of a third each.
  expect((result['rows'] as Row[]).filter(({ usd }) => usd === 0)).toHaveLength(2);
});
