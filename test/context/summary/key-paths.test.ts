import { expect, test } from 'vitest';
import { keyPathsOf } from '../../../src/context/summary/summary.ts';

const told = (value: unknown): string[] =>
  keyPathsOf(`<compact_summary>\n${JSON.stringify(value)}\n</compact_summary>`);

test('the paths of a summary are read from its field, whatever the model put behind them (S0.17)', () => {
  expect(
    told({ key_paths: ['design/r1', 'execution_outputs/iteration_2 (traces)', 'notes.md [#e4]', 'design/r1'] }),
  ).toEqual(['design/r1', 'execution_outputs/iteration_2', 'notes.md']);
  expect(told({ key_paths: { execution_output_dir: 'execution_outputs/iteration_5' } })).toEqual([
    'execution_outputs/iteration_5',
  ]);
});

test('words are no paths, and a summary without the field or without JSON names none', () => {
  expect(told({ key_paths: ['none yet', ''] })).toEqual([]);
  expect(told({ pending: ['design/r1'] })).toEqual([]);
  expect(keyPathsOf('Summary generation timed out, keeping recent history only. design/r1')).toEqual([]);
});

test('an abbreviated path counts from where it is written out, and dots alone name none: the source’s examples have both (S0.12, S0.17)', () => {
  expect(
    told({
      key_paths: { execution_output_dir: 'scenarios/.../execution_outputs/iteration_5', report: '...', more: '…' },
    }),
  ).toEqual(['execution_outputs/iteration_5']);
  expect(told({ key_paths: ['../outside.md', 'a/…/b.md'] })).toEqual(['../outside.md', 'b.md']);
});
