/** The list of all runs, and some of them side by side. */
import { Hono } from 'hono';
import { comparePage } from '../../pages/results/compare-page.ts';
import { selectPage } from '../../pages/results/pager.ts';
import { runsPage } from '../../pages/run/runs-page.ts';
import { compareRuns } from '../../read/results/compare-runs.ts';
import { parseListFilter, selectRuns } from '../../read/results/run-list.ts';
import { runRows, withCosts } from '../../read/run-rows.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { sendPage, type ReviewEnv } from '../respond.ts';
import { parsePageNumber } from './results-routes.ts';

export function listRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/runs', async (c) => {
      const all = await runRows(deps);
      const filter = parseListFilter((name) => c.req.query(name));
      // Sorting uses the cost and the rate that the list shows, also for runs in progress and evaluations.
      const isRead = filter.sort === 'cost' || filter.sort === 'rate';
      const found = selectRuns(isRead ? await withCosts(all, deps) : all, filter);
      const { rows, ...at } = selectPage(found, parsePageNumber(c));
      const names = (of: (row: (typeof all)[number]) => string) => [...new Set(all.map(of))].toSorted();
      const body = runsPage({
        ...{ filter, ...at, all: all.length, found: found.length },
        rows: await withCosts(rows, deps),
        scenarios: names(({ scenario }) => scenario),
        statuses: names(({ status }) => status),
      });
      return sendPage(c, deps, { title: 'Runs', here: 'runs', body });
    })
    .get('/compare', async (c) => {
      const names = c.req.queries('run') ?? [];
      const body = comparePage(await compareRuns(deps, names, c.req.query('base')), parsePageNumber(c));
      return sendPage(c, deps, { title: 'Compare', here: 'runs', body });
    });
}
