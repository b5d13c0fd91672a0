/** Which rows of the results a filter leaves, in which order, and what lies beside a sample. */
import { expect, test } from 'vitest';
import {
  listChoices,
  parseFilter,
  findNeighbours,
  formatFilterQuery,
  selectRows,
  type MatrixCell,
  type Matrix,
} from '../../../../src/web/read/results/matrix.ts';

const cell = (parts: Partial<MatrixCell> = {}): MatrixCell => ({
  outcome: 'pass',
  passed: 1,
  trials: 1,
  rejectedBy: [],
  ...parts,
});
const FAILED = cell({ outcome: 'fail', passed: 0, layer: '2', rejectedBy: ['identity'] });
const column = (iteration: number) => ({
  iteration,
  round: 1,
  outputDir: `o${iteration}`,
  rate: 0,
  passed: 0,
  total: 1,
  verdict: '',
  usd: 0,
  metrics: [],
  played: [],
  notes: [],
  short: `i${iteration}`,
});
const row = (id: string, cells: readonly (MatrixCell | undefined)[], rules = ['R1']) => ({
  ...{ id, title: `The ${id}`, category: 'refunds', rules, cells },
});
const MATRIX: Matrix = {
  columns: [column(1), column(2)],
  rows: [
    row('steady', [cell(), cell()], ['R1', 'R2']),
    row('wavering', [cell({ outcome: 'fail', passed: 1, trials: 2, layer: '4b' }), cell()]),
    row('broken', [cell(), FAILED]),
    row('lost', [undefined, cell({ outcome: 'unscored', passed: 0, trials: 0 })]),
    row('gone', [FAILED, undefined]),
  ],
  hasGraders: false,
};
const ids = (query: string): string[] => {
  const params = new URLSearchParams(query);
  return selectRows(
    MATRIX,
    parseFilter((name) => params.get(name) ?? undefined),
  ).map(({ id }) => id);
};

test('failures come first, then what is unscored, then what wavers, then the rest as listed', () => {
  expect(ids('')).toEqual(['broken', 'gone', 'lost', 'wavering', 'steady']);
});

test.each([
  ['show=failing', ['broken', 'gone']],
  ['show=flaky', ['wavering']],
  ['show=changed', ['broken', 'gone', 'lost', 'wavering']],
  ['show=unscored', ['lost']],
  ['rule=R2', ['steady']],
  ['layer=2', ['broken', 'gone']],
  ['checker=identity', ['broken', 'gone']],
  ['find=THE%20W', ['wavering']],
  ['layer=2&find=gone', ['gone']],
  ['category=other', []],
  ['show=nonsense', ['broken', 'gone', 'lost', 'wavering', 'steady']],
])('%s leaves %j', (query, left) => {
  expect(ids(query)).toEqual(left);
});

test('a filter survives its way through an address', () => {
  const filter = { show: 'failing', rule: 'R 7&8', find: '<b>' } as const;
  const params = new URLSearchParams(formatFilterQuery(filter, 3));
  expect(params.get('page')).toBe('3');
  expect(parseFilter((name) => params.get(name) ?? undefined)).toEqual(filter);
  expect(formatFilterQuery({})).toBe('');
});

test('the choices are those of the newest cells, with how many samples each leaves', () => {
  expect(listChoices(MATRIX)).toEqual({
    rule: [
      { value: 'R1', samples: 5 },
      { value: 'R2', samples: 1 },
    ],
    category: [{ value: 'refunds', samples: 5 }],
    layer: [{ value: '2', samples: 2 }],
    checker: [{ value: 'identity', samples: 2 }],
  });
});

test('neighbours are those that the filter leaves and the iteration has', () => {
  const at = { iteration: 2, sample: 'lost' };
  expect(findNeighbours(MATRIX, {}, at)).toEqual({ previous: 'broken', next: 'wavering', at: 2, of: 4 });
  expect(findNeighbours(MATRIX, { show: 'failing' }, at)).toEqual({
    previous: undefined,
    next: 'broken',
    at: 0,
    of: 1,
  });
});
