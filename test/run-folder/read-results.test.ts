/** What the next iteration is told of the last one. */
import { expect, test } from 'vitest';
import { listOpenLines } from '../../src/run-folder/read-results.ts';
import type { Results } from '../../src/scenario/result.ts';
import { sampleOf } from '../scenario/results-of.ts';

test('a user that had no answer is named beside the failures, because no layer counts it', () => {
  const asked = sampleOf('lost', 'u');
  const trials = asked.trials.map((one) => ({ ...one, stop: 'no_move' as const, unanswered: 'Üye numaranız nedir?' }));
  const disputed = [{ by: 'cause' as const, text: 'the subject may have been right' }];
  const late = sampleOf('late', 'f', { layer: 4, cause: '4b', why: ['75 was taken'] });
  const doubtful = { ...late, trials: late.trials.map((one) => ({ ...one, disputed })) };
  const lines = listOpenLines({ samples: [{ ...asked, trials }, doubtful, sampleOf('fine', 'p')] } as Results, 1);
  expect(lines).toEqual([
    expect.stringContaining('layer 4b late: 75 was taken'),
    'disputed late.1: the subject may have been right',
    expect.stringContaining('lost: unscored, because its user has no move for "Üye numaranız nedir?"'),
  ]);
});
