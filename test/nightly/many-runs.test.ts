/**
 * A thousand runs are cancelled by one command within a minute, each exactly once.
 * Its small sibling in CI: test/slow/many-runs.test.ts.
 */
import { expect, test } from 'vitest';
import { makeManyRuns } from '../support/many-runs.ts';
import { lastJson, tandem } from '../support/cli.ts';

test('a thousand', { timeout: 10 * 60_000 }, async () => {
  const { project, lengths } = await makeManyRuns(1000);
  const begun = performance.now();
  const ended = await tandem(project, ['cancel', '--where', 'state=designing', '--yes', '--json']);
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(lastJson(ended)).toMatchObject({ changed: 1000, failed: [] });
  expect(new Set(await lengths())).toEqual(new Set([3]));
});
