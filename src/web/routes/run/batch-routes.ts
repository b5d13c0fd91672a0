/** The pages of batches, and the news of one. */
import { Hono } from 'hono';
import { batchPage, batchesPage, type TableRow } from '../../pages/batch/batch-page.ts';
import { selectPage } from '../../pages/results/pager.ts';
import { batchHref } from '../../pages/page-links.ts';
import { rowNews, type BatchNews } from '../../read/batch-rows.ts';
import { runKeys } from '../../read/find-run.ts';
import { groupGates } from '../../../gate/rules/sameness.ts';
import { openGates } from '../../read/open-gates.ts';
import type { BatchWatchers } from '../../read/watch-batch.ts';
import type { Batches, ReviewDeps } from '../../web-deps.ts';
import type { Streams } from './live-routes.ts';
import { parsePageNumber } from './results-routes.ts';
import { sendPage, type ReviewEnv } from '../respond.ts';

type ReadBatch = Awaited<ReturnType<Batches['read']>>;

const BATCH = '/batches/:batch{[A-Za-z0-9][A-Za-z0-9_-]{0,79}}';

export function batchRoutes(deps: ReviewDeps, watchers: BatchWatchers, streams: Streams): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/batches', async (c) => {
      const body = batchesPage(await deps.batches.list());
      return sendPage(c, deps, { title: 'Batches', here: 'batches', body });
    })
    .get(BATCH, async (c) => {
      const found = await deps.batches.read(c.req.param('batch'));
      const { summary, dirs } = found;
      const { waiting } = await openGates(deps, { only: new Set(dirs) });
      const { rows, ...at } = selectPage(await tableRows(found, deps), parsePageNumber(c));
      const [groups, now] = [groupGates(waiting), deps.clock.now()];
      const body = batchPage({ summary, rows, groups, at, now });
      const live = `${batchHref(summary.batch)}/live?page=${at.page}`;
      return sendPage(c, deps, { title: `Batch ${summary.batch}`, here: 'batches', live, body });
    })
    .get(`${BATCH}/live`, async (c) => {
      const { summary } = await deps.batches.read(c.req.param('batch'));
      const shown = new Set(selectPage(summary.rows, parsePageNumber(c)).rows.map(({ run }) => run));
      return streams.open<BatchNews>(c, (send) => watchers.follow(summary.batch, send), {
        event: 'batch',
        of: (news) => ({ ...news, rows: news.rows.filter(({ run }) => shown.has(run)) }),
      });
    });
}

async function tableRows({ summary, dirs }: ReadBatch, deps: ReviewDeps): Promise<TableRow[]> {
  const runs = await deps.store.list();
  const keyOf = runKeys(runs);
  const known = new Map(runs.map((run) => [run.dir, run]));
  return summary.rows.map((row, index) => {
    const run = known.get(dirs[index] ?? '');
    return {
      key: run === undefined || row.status === 'not_started' ? undefined : keyOf(run),
      ...{ scenario: row.scenario, why: row.why, news: rowNews(row) },
    };
  });
}
