/** Many runs are cancelled by one command, each exactly once. */
import { expect, test } from 'vitest';
import { makeManyRuns } from '../support/many-runs.ts';
import { lastJson, tandem } from '../support/cli.ts';

test('forty', async () => {
  const { project, lengths } = await makeManyRuns(40);
  const order = ['cancel', '--where', 'label.team=even state=designing', '--json'];
  expect(lastJson(await tandem(project, order))).toMatchObject({ done: false, changed: 0 });
  const both = await Promise.all([1, 2].map(() => tandem(project, [...order, '--yes'])));
  const changed = both.map((ended) => Number(lastJson(ended)['changed']));
  expect(changed.reduce((sum, one) => sum + one, 0)).toBe(20);
  expect(await lengths()).toEqual(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 3 : 2)));
});
