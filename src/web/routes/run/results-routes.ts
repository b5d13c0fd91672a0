/** The pages of results: the table of a run, a sample, one sample in every iteration, the code behind it. */
import { Hono } from 'hono';
import { HarnessError } from '../../../errors.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import { mayDecide } from '../../guard/visitor.ts';
import { wordsHref } from '../../pages/evidence.ts';
import { resultsPage } from '../../pages/results/results-page.ts';
import { sidesPage, type Side } from '../../pages/results/sides-page.ts';
import { samplePage } from '../../pages/run/sample-page.ts';
import { sourcePage } from '../../pages/run/source-page.ts';
import { findRun } from '../../read/find-run.ts';
import { findSample, readSample } from '../../read/read-sample.ts';
import { COMPONENT_PATH, readAround } from '../../read/results/around-sample.ts';
import { hiddenVerdicts, type LabelReader } from '../../read/results/hidden-verdicts.ts';
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
      const { key, run } = await runOf(c, deps);
      const matrix = await readMatrix(run);
      const body = resultsPage({
        ...{ key, matrix, title: `${run.scenario}, run ${key}`, news: runNews(await readState(run)) },
        ...{ filter: filterOf((name) => c.req.query(name)), page: pageOf(c), labels: matrix.hasGraders },
      });
      return sendPage(c, deps, { title: `Results of ${key}`, here: 'runs', live: liveOf(key), body });
    })
    .get(SAMPLE_PATH, async (c) => {
      const { key, run, reader } = await runOf(c, deps);
      const view = await readSample(run, Number(c.req.param('iteration')), c.req.param('sample'));
      const filter = filterOf((name) => c.req.query(name));
      const around = await readAround({ run, view, designs: deps.designs }, await readMatrix(run), filter);
      const isOver = 'verdict' in (await readState(run));
      const disagree = reader.by === undefined || isOver ? undefined : wordsHref(key, view.iteration, view.result.id);
      const hidden = await hiddenVerdicts(reader, view);
      const body = samplePage({ key, view, around, query: queryOf(filter), hidden, disagree });
      return sendPage(c, deps, { title: view.result.title, here: 'runs', live: liveOf(key), body });
    })
    .get('/runs/:run/samples/:sample{[a-z0-9][a-z0-9-]{0,63}}', async (c) => {
      const { key, run, reader } = await runOf(c, deps);
      const sides: Side[] = [];
      for (const { iteration } of (await readState(run)).iterations) {
        const view = await findSample(run, iteration, c.req.param('sample'));
        if (view !== undefined) sides.push({ view, hidden: await hiddenVerdicts(reader, view) });
      }
      if (sides.length === 0) throw new HarnessError('not_found', `Run ${key} has no result for such a sample.`);
      const title = sides.at(-1)?.view.result.title ?? '';
      return sendPage(c, deps, { title, here: 'runs', live: liveOf(key), body: sidesPage(key, sides) });
    })
    .get(`${ITERATION_PATH}/files/:path{[a-z]+(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*){1,3}}`, async (c) => {
      const { key, run } = await runOf(c, deps);
      const { path, iteration } = c.req.param();
      const done = (await readState(run)).iterations.find((one) => one.iteration === Number(iteration));
      const place = `${done?.outputDir ?? ''}/${path}`;
      const text = done === undefined || !COMPONENT_PATH.test(path) ? undefined : await run.read(place);
      if (text === undefined) throw new HarnessError('not_found', `Iteration ${iteration} has no such file.`);
      const body = sourcePage({ key, path, text, kind: 'component', about: `iteration ${iteration}`, place });
      return sendPage(c, deps, { title: path, here: 'runs', body });
    });
}

/** The run of an address, and the reader as somebody who may label its trials. */
export async function runOf(
  c: ReviewContext,
  deps: ReviewDeps,
): Promise<{ key: string; run: RunFolder; reader: LabelReader }> {
  const key = c.req.param('run') ?? '';
  const run = await findRun(deps.store, key);
  const visitor = visitorOf(c);
  const may = visitor.only === undefined && mayDecide(visitor, run.scenario, deps.access);
  return { key, run, reader: { key, run, by: may ? visitorActor(visitor) : undefined } };
}

export function pageOf(c: ReviewContext): number {
  return Number(/^[1-9]\d{0,4}$/.exec(c.req.query('page') ?? '')?.[0] ?? 1);
}

function liveOf(key: string): string {
  return `/runs/${encodeURIComponent(key)}/live`;
}
