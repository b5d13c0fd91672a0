/** The results pages: the table of a run, and a sample. */
import { Hono } from 'hono';
import type { RunFolder } from '../../../ports/run-store.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import { mayDecide } from '../../guard/visitor.ts';
import { objectionHref } from '../../pages/page-links.ts';
import { resultsPage } from '../../pages/results/results-page.ts';
import { samplePage } from '../../pages/run/sample-page.ts';
import { findRun } from '../../read/find-run.ts';
import { readSample } from '../../read/read-sample.ts';
import { readSampleContext } from '../../read/results/sample-context.ts';
import { hiddenVerdicts, type LabelReader } from '../../read/results/hidden-verdicts.ts';
import { findResultSource, type ResultSource } from '../../read/results/result-source.ts';
import { parseFilter, formatFilterQuery } from '../../read/results/matrix.ts';
import { readMatrix } from '../../read/results/read-matrix.ts';
import { runNews } from '../../read/run-news.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { requireVisitor } from '../guards.ts';
import { visitorActor } from '../posted-form.ts';
import { parseQueryNumber } from '../request.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from '../respond.ts';

export const ITERATION_PATH = '/runs/:run/iterations/:iteration{[1-9][0-9]{0,4}}';
export const SAMPLE_PATH = `${ITERATION_PATH}/samples/:sample{[^/.]+}`;

export function resultsRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/runs/:run/results', async (c) => {
      const { key, of } = await findRequestedResults(c, deps);
      const matrix = await readMatrix(of);
      const body = resultsPage({
        ...{ key, matrix, title: formatResultsTitle(of) },
        news: of.run && runNews(await readState(of.run)),
        ...{
          filter: parseFilter((name) => c.req.query(name)),
          page: parsePageNumber(c),
          labels: matrix.hasGraders && of.run !== undefined,
        },
      });
      return sendPage(c, deps, { title: `Results of ${key}`, here: 'runs', ...pickLiveAddress(of), body });
    })
    .get(SAMPLE_PATH, async (c) => {
      const { key, of, reader } = await findRequestedResults(c, deps);
      const view = await readSample(of, Number(c.req.param('iteration')), c.req.param('sample'));
      const filter = parseFilter((name) => c.req.query(name));
      const around = await readSampleContext({ of, view }, await readMatrix(of), filter);
      const isOver = of.run === undefined || 'verdict' in (await readState(of.run));
      const disagree =
        reader?.by === undefined || isOver ? undefined : objectionHref(key, view.iteration, view.result.id);
      const [hidden, query] = [await hiddenVerdicts(reader, view), formatFilterQuery(filter)];
      const body = samplePage({ key, isRun: of.run !== undefined, view, around, query, hidden, disagree });
      return sendPage(c, deps, { title: view.result.title, here: 'runs', ...pickLiveAddress(of), body });
    });
}

/** Returns the results of an address and its reader as a labeller; the reader is undefined for an evaluation. */
export async function findRequestedResults(
  c: ReviewContext,
  deps: ReviewDeps,
): Promise<{ key: string; of: ResultSource; reader: LabelReader | undefined }> {
  const key = c.req.param('run') ?? '';
  const of = await findResultSource(deps, key);
  return { key, of, reader: of.run && toLabelReader(c, deps, { key, run: of.run }) };
}

function toLabelReader(c: ReviewContext, deps: ReviewDeps, { key, run }: Omit<LabelReader, 'by'>): LabelReader {
  const visitor = requireVisitor(c);
  const may = visitor.only === undefined && mayDecide(visitor, run.scenario, deps.access);
  return { key, run, by: may ? visitorActor(visitor) : undefined };
}

function formatResultsTitle({ scenario, key, id, run, columns }: ResultSource): string {
  if (run !== undefined) return `${scenario}, run ${key}`;
  return columns.length === 1 ? `${scenario}, evaluation ${id}` : `${scenario}, ${columns.length} subjects`;
}

/** Returns the run of an address, and its reader as a labeller. */
export async function findRequestedRun(
  c: ReviewContext,
  deps: ReviewDeps,
): Promise<{ key: string; run: RunFolder; reader: LabelReader }> {
  const key = c.req.param('run') ?? '';
  const run = await findRun(deps.store, key);
  return { key, run, reader: toLabelReader(c, deps, { key, run }) };
}

export function parsePageNumber(c: ReviewContext): number {
  return parseQueryNumber(c, 'page') ?? 1;
}

function pickLiveAddress({ key, run }: ResultSource): { live?: string } {
  return run === undefined ? {} : { live: `/runs/${encodeURIComponent(key)}/live` };
}
