/** Money and compactions as tables, the same for pages and Markdown. */
import { expect, test } from 'vitest';
import { compactionsTable, spentTable } from '../../../src/report/run/iteration-tables.ts';
import type { RunSummary } from '../../../src/report/run/run-summary.ts';

test('a column that no row fills is left out, and the whole comes last', () => {
  expect(spentTable('agent', { init: { usd: 0.5, calls: 3 } }, { usd: 0.75, uncertainUsd: 0.1, calls: 4 })).toEqual({
    label: 'Cost by agent',
    head: ['agent', 'cost', 'model calls'],
    rows: [
      [{ text: 'init' }, '$0.50', 3],
      [{ text: 'all' }, '$0.75–0.85', 4],
    ],
  });
  const { head, rows } = spentTable('step', {
    'design.r1': { usd: 1, calls: 2, cacheRead: 0.5, ms: 1500, longestMs: 1000 },
    chat: { usd: 0, calls: 0 },
  });
  expect(head.slice(3)).toEqual(['input from the cache', 'waited for answers, calls added up', 'longest call']);
  expect(rows.map((row) => row.slice(3))).toEqual([
    ['50 %', '1.5 s', '1.0 s'],
    ['–', '–', '–'],
  ]);
});

test('a run that compacted nothing has no table of it', () => {
  expect(compactionsTable({ compactions: [] } as unknown as RunSummary)).toBeUndefined();
});
