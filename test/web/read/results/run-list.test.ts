/** Which runs a list shows and in which order. */
import { expect, test } from 'vitest';
import { parseListFilter, formatListQuery, selectRuns } from '../../../../src/web/read/results/run-list.ts';
import type { RunRow } from '../../../../src/web/read/run-rows.ts';

const row = (key: string, parts: Partial<RunRow> = {}): RunRow => ({
  ...{
    key,
    scenario: 'desk',
    status: 'succeeded',
    round: 1,
    iteration: 1,
    rate: 0.5,
    usd: 1,
    startedAt: '',
    dir: '/x',
  },
  ...parts,
});
/** Newest first, as they are read. */
const ROWS = [
  row('run-10', { rate: 0.9, usd: undefined, status: 'executing' }),
  row('run-9', { scenario: 'clinic', rate: 0.7 }),
  row('run-2', { rate: undefined, status: 'unreadable' }),
  row('run-1', { rate: 0.9, usd: 3 }),
];
const keys = (query: string) => {
  const params = new URLSearchParams(query);
  return selectRuns(
    ROWS,
    parseListFilter((name) => params.get(name) ?? undefined),
  ).map(({ key }) => key);
};

test.each([
  ['', ['run-10', 'run-9', 'run-2', 'run-1']],
  ['sort=oldest', ['run-1', 'run-2', 'run-9', 'run-10']],
  ['sort=rate', ['run-10', 'run-1', 'run-9', 'run-2']],
  ['sort=cost', ['run-1', 'run-9', 'run-2', 'run-10']],
  ['sort=name', ['run-1', 'run-2', 'run-9', 'run-10']],
  ['scenario=clinic', ['run-9']],
  ['status=unreadable', ['run-2']],
  ['find=RUN-1', ['run-10', 'run-1']],
  ['find=nothing', []],
  ['sort=__proto__', ['run-10', 'run-9', 'run-2', 'run-1']],
])('%s shows %j', (query, shown) => {
  expect(keys(query)).toEqual(shown);
});

test('a filter survives its way through an address', () => {
  const filter = { find: 'a&b=c', scenario: 'desk', status: '', sort: 'rate' } as const;
  const params = new URLSearchParams(formatListQuery(filter, 2));
  expect(parseListFilter((name) => params.get(name) ?? undefined)).toEqual(filter);
  expect(params.get('page')).toBe('2');
  expect(formatListQuery({ find: '', scenario: '', status: '', sort: 'newest' })).toBe('');
});
