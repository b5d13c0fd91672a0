/** Selects and orders the runs of a list. */
import type { RunRow } from '../run-rows.ts';

const SORTS = ['newest', 'oldest', 'rate', 'cost', 'name'] as const;
export type Sort = (typeof SORTS)[number];

export type ListFilter = { find: string; scenario: string; status: string; sort: Sort };
const MOST_CHARS = 100;

export function parseListFilter(query: (name: string) => string | undefined): ListFilter {
  const text = (name: string) => (query(name) ?? '').trim().slice(0, MOST_CHARS);
  const sort = SORTS.find((one) => one === query('sort')) ?? 'newest';
  return { find: text('find'), scenario: text('scenario'), status: text('status'), sort };
}

/** Returns an empty text for the default: everything, newest first. */
export function formatListQuery({ find, scenario, status, sort }: ListFilter, page = 1): string {
  const given = Object.entries({ find, scenario, status, sort, page: String(page) }).filter(
    ([name, value]) => value !== '' && value !== (name === 'sort' ? 'newest' : name === 'page' ? '1' : ''),
  );
  const parts = given.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** `rows` are newest first, and runs of equal rate or cost keep that order. */
export function selectRuns(rows: readonly RunRow[], { find, scenario, status, sort }: ListFilter): RunRow[] {
  const words = find.toLowerCase();
  const left = rows.filter(
    (row) =>
      (scenario === '' || row.scenario === scenario) &&
      (status === '' || row.status === status) &&
      (words === '' || describeRow(row).toLowerCase().includes(words)),
  );
  const by = (of: (row: RunRow) => number) => left.toSorted((one, other) => of(other) - of(one));
  if (sort === 'rate') return by(({ rate }) => rate ?? -1);
  if (sort === 'cost') return by(({ usd }) => usd ?? -1);
  if (sort === 'name') return left.toSorted((one, other) => one.key.localeCompare(other.key, 'en', { numeric: true }));
  return sort === 'oldest' ? left.toReversed() : left;
}

function describeRow({ key, scenario, status, labels = {} }: RunRow): string {
  return [key, scenario, status, ...Object.entries(labels).map((pair) => pair.join('='))].join(' ');
}
