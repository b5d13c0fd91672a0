import { describe, expect, test } from 'vitest';
import { turnOn } from '../lamps.ts';
import { linesOf, verify, withSample } from './verify-lamps.ts';

describe('rules that contradict each other', () => {
  // R1 wants every asked lamp on, R2 wants locked ones untouched; here the asked lamp is a locked one that is off.
  const torn = (more: object = {}) => ({
    ...turnOn,
    id: 'torn',
    covers: ['R1', 'R2'],
    start: { base: 'house', patch: [{ op: 'replace', path: '/lamps/hall/locked', value: true }] },
    checkers: ['as-asked', 'locked-untouched'],
    ...more,
  });
  const start = { base: 'house', patch: [{ op: 'add', path: '/lamps/hall', value: { on: false, locked: true } }] };

  test('are a problem of layer 1 that cites both and the sample: gold keeps one, the wrong path the other', async () => {
    const sample = torn({ start, wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }], wrong_says: 'It is on.' });
    const { problems } = await verify(withSample('torn', sample));
    expect(problems).toEqual([
      {
        layer: 1,
        code: 'rules-contradict',
        component: 'R1, R2',
        sample: 'torn',
        message: expect.stringContaining('satisfies both R1 (checker as-asked) and R2 (checker locked-untouched)'),
      },
    ]);
  });

  test('are not claimed of a sample that is about one of the rules only: there the checker is to blame', async () => {
    const sample = torn({ start, covers: ['R1'], wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }] });
    expect(linesOf(await verify(withSample('torn', sample)))).toEqual(['3 checker-rejects-gold locked-untouched torn']);
  });

  test('are not claimed when one known end keeps both', async () => {
    const sample = torn({
      start: { base: 'house', patch: [{ op: 'add', path: '/lamps/hall', value: { on: true, locked: true } }] },
      expect: { end_state: 'unchanged', must_say: [{ any: ['is on'] }] },
      gold: [{ tool: 'switch_lamp', args: { id: 'hall', on: true } }],
      wrong: [{ tool: 'read_lamp', args: { id: 'hall' } }],
      wrong_says: 'It is off.',
    });
    expect(linesOf(await verify(withSample('torn', sample)))).toEqual(['3 checker-rejects-gold locked-untouched torn']);
  });
});
