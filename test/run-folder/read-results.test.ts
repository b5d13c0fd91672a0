/** What the next iteration is told of the last one. */
import { expect, test } from 'vitest';
import { listOpenLines } from '../../src/run-folder/read-results.ts';
import type { Results } from '../../src/scenario/result.ts';
import { sampleOf } from '../scenario/results-of.ts';

test('a user that had no answer is named beside the failures, because no layer counts it', () => {
  const asked = sampleOf('lost', 'u');
  const trials = asked.trials.map((one) => ({ ...one, stop: 'no_move' as const, unanswered: 'Üye numaranız nedir?' }));
  const late = sampleOf('late', 'f', { layer: 4, cause: '4b', why: ['75 was taken'] });
  const lines = listOpenLines({ samples: [{ ...asked, trials }, late, sampleOf('fine', 'p')] } as Results, 1);
  expect(lines).toEqual([
    expect.stringContaining('layer 4b late: 75 was taken'),
    expect.stringContaining('lost: unscored, because its user has no move for "Üye numaranız nedir?"'),
  ]);
});
