/** The pages of results: the table of a run, a sample, one sample in every iteration. */
import { Hono } from 'hono';
import { HarnessError } from '../../../errors.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import { mayDecide } from '../../guard/visitor.ts';
import { wordsHref } from '../../pages/evidence.ts';
import { resultsPage } from '../../pages/results/results-page.ts';
import { sidesPage, type Side } from '../../pages/results/sides-page.ts';
import { samplePage } from '../../pages/run/sample-page.ts';
import { findRun } from '../../read/find-run.ts';
import { findSample, readSample } from '../../read/read-sample.ts';
import { readAround } from '../../read/results/sample-context.ts';
import { hiddenVerdicts, type LabelReader } from '../../read/results/hidden-verdicts.ts';
import { findEvaluated, type Evaluated } from '../../read/results/evaluated.ts';
import { filterOf, queryOf } from '../../read/results/matrix.ts';
import { readMatrix } from '../../read/results/read-matrix.ts';
import { runNews } from '../../read/run-news.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { visitorOf } from '../guards.ts';
import { visitorActor } from '../posted-form.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from '../respond.ts';

export const ITERATION_PATH = '/runs/:run/iterations/:iteration{[1-9][0-9]{0,4}}';
export const SAMPLE_PATH = `${ITERATION_PATH}/samples/:sample{[a-z0-9][a-z0-9-]{0,63}}`;

export function resultsRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/runs/:run/results', async (c) => {
      const { key, of } = await evaluatedOf(c, deps);
      const matrix = await readMatrix(of);
      const body = resultsPage({
        ...{ key, matrix, title: titleOf(of), compared: of.compared },
        news: of.run && runNews(await readState(of.run)),
        ...{
          filter: filterOf((name) => c.req.query(name)),
          page: pageOf(c),
          labels: matrix.hasGraders && of.run !== undefined,
        },
      });
      return sendPage(c, deps, { title: `Results of ${key}`, here: 'runs', ...liveOf(of), body });
    })
    .get(SAMPLE_PATH, async (c) => {
      const { key, of, reader } = await evaluatedOf(c, deps);
      const view = await readSample(of, Number(c.req.param('iteration')), c.req.param('sample'));
      const filter = filterOf((name) => c.req.query(name));
      const around = await readAround({ of, view }, await readMatrix(of), filter);
      const isOver = of.run === undefined || 'verdict' in (await readState(of.run));
      const disagree = reader?.by === undefined || isOver ? undefined : wordsHref(key, view.iteration, view.result.id);
      const hidden = await hiddenVerdicts(reader, view);
      const body = samplePage({
        key,
        isRun: of.run !== undefined,
        view,
        around,
        query: queryOf(filter),
        hidden,
        disagree,
      });
      return sendPage(c, deps, { title: view.result.title, here: 'runs', ...liveOf(of), body });
    })
    .get('/runs/:run/samples/:sample{[a-z0-9][a-z0-9-]{0,63}}', async (c) => {
      const { key, of, reader } = await evaluatedOf(c, deps);
      const sides: Side[] = [];
      for (const { iteration } of of.columns) {
        const view = await findSample(of, iteration, c.req.param('sample'));
        if (view !== undefined) sides.push({ view, hidden: await hiddenVerdicts(reader, view) });
      }
      if (sides.length === 0) throw new HarnessError('not_found', `${key} has no result for such a sample.`);
      const title = sides.at(-1)?.view.result.title ?? '';
      return sendPage(c, deps, {
        title,
        here: 'runs',
        ...liveOf(of),
        body: sidesPage(key, sides, of.run !== undefined),
      });
    });
}

/** What an address shows, and the reader as somebody who may label its trials; undefined for an evaluation. */
export async function evaluatedOf(
  c: ReviewContext,
  deps: ReviewDeps,
): Promise<{ key: string; of: Evaluated; reader: LabelReader | undefined }> {
  const key = c.req.param('run') ?? '';
  const of = await findEvaluated(deps, key);
  return { key, of, reader: of.run && readerOf(c, deps, { key, run: of.run }) };
}

function readerOf(c: ReviewContext, deps: ReviewDeps, { key, run }: Omit<LabelReader, 'by'>): LabelReader {
  const visitor = visitorOf(c);
  const may = visitor.only === undefined && mayDecide(visitor, run.scenario, deps.access);
  return { key, run, by: may ? visitorActor(visitor) : undefined };
}

function titleOf({ scenario, key, id, run, columns }: Evaluated): string {
  if (run !== undefined) return `${scenario}, run ${key}`;
  return columns.length === 1 ? `${scenario}, evaluation ${id}` : `${scenario}, ${columns.length} subjects`;
}

/** The run of an address, and the reader as somebody who may label its trials. */
export async function runOf(
  c: ReviewContext,
  deps: ReviewDeps,
): Promise<{ key: string; run: RunFolder; reader: LabelReader }> {
  const key = c.req.param('run') ?? '';
  const run = await findRun(deps.store, key);
  return { key, run, reader: readerOf(c, deps, { key, run }) };
}

export function pageOf(c: ReviewContext): number {
  return Number(/^[1-9]\d{0,4}$/.exec(c.req.query('page') ?? '')?.[0] ?? 1);
}

function liveOf({ key, run }: Evaluated): { live?: string } {
  return run === undefined ? {} : { live: `/runs/${encodeURIComponent(key)}/live` };
}
