/** One trial as a tree, each of its model calls (part by part or byte for byte), and the code behind it. */
import { Hono } from 'hono';
import { HarnessError } from '../../../errors.ts';
import { readCalls } from '../../../evaluation/trial/read-calls.ts';
import type { TrialResult } from '../../../scenario/result.ts';
import { callPage } from '../../pages/results/call-page.ts';
import { sourcePage } from '../../pages/run/source-page.ts';
import { tracePage } from '../../pages/results/trace-page.ts';
import { readSample, readTracePart, readTrialCalls, type SampleView } from '../../read/read-sample.ts';
import { COMPONENT_PATH } from '../../read/results/sample-context.ts';
import type { ResultSource } from '../../read/results/result-source.ts';
import { hiddenVerdicts } from '../../read/results/hidden-verdicts.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { parseQueryNumber } from '../request.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from '../respond.ts';
import { findRequestedResults, ITERATION_PATH, parsePageNumber, SAMPLE_PATH } from './results-routes.ts';

const TRIAL_PATH = `${SAMPLE_PATH}/trials/:trial{[1-9][0-9]{0,3}}`;
const CALL_PATH = `${TRIAL_PATH}/calls/:call{[1-9][0-9]{0,4}}`;

export function trialRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(TRIAL_PATH, async (c) => {
      const { key, of: run, reader } = await findRequestedResults(c, deps);
      const { view, trial } = await findTrial(c, run);
      const calls = await readTrialCalls(run, view.outputDir, trial.trace);
      const raw = parseQueryNumber(c, 'raw', 7);
      const hidden = await hiddenVerdicts(reader, view);
      const page = c.req.query('page') === undefined ? undefined : parsePageNumber(c);
      const place = { outputDir: view.outputDir, trace: trial.trace };
      const part = await readTracePart(run, place, { page, line: raw ?? trial.deciding?.line });
      const body = tracePage({ key, view, trial, part, hidden, raw, calls: calls?.calls });
      return sendPage(c, deps, { title: `Trial ${trial.trial}: ${view.result.title}`, here: 'runs', body });
    })
    .get(`${ITERATION_PATH}/files/:path{[a-z]+(?:/[^/]+){1,3}}`, async (c) => {
      const { key, of } = await findRequestedResults(c, deps);
      const { path, iteration } = c.req.param();
      const done = of.columns.find((one) => one.iteration === Number(iteration));
      const place = `${done?.outputDir ?? ''}/${path}`;
      const text = done === undefined || !COMPONENT_PATH.test(path) ? undefined : await of.read(place);
      if (text === undefined) throw new HarnessError('not_found', `${done?.where ?? 'This'} has no such file.`);
      const body = sourcePage({ key, path, text, kind: 'component', about: done?.where ?? '', place });
      return sendPage(c, deps, { title: path, here: 'runs', body });
    })
    .get(CALL_PATH, async (c) => {
      const { key, view, trial, calls, number } = await findCall(c, deps);
      const { where, iteration, result } = view;
      const at = { sample: result.id, trial: trial.trial };
      const call = { key, where, iteration, at, title: result.title, calls, number };
      const body = callPage({ ...call, assemble: deps.assembleAnswer });
      return sendPage(c, deps, { title: `Call ${number}: ${result.title}`, here: 'runs', body });
    })
    .get(`${CALL_PATH}/:part{request|answer}`, async (c) => {
      const { calls, number } = await findCall(c, deps);
      const sent = calls[number - 1]?.tries[Number(c.req.query('try') ?? 1) - 1];
      const bytes = sent?.[c.req.param('part') === 'request' ? 'request' : 'answer'];
      if (bytes === undefined) throw new HarnessError('not_found', 'This call has no such part.');
      return c.body(new Uint8Array(bytes), 200, { 'content-type': 'text/plain; charset=utf-8' });
    });
}

async function findTrial(c: ReviewContext, run: ResultSource): Promise<{ view: SampleView; trial: TrialResult }> {
  const view = await readSample(run, Number(c.req.param('iteration')), c.req.param('sample') ?? '');
  const trial = view.trials.find((one) => one.trial.trial === Number(c.req.param('trial')))?.trial;
  if (trial === undefined) throw new HarnessError('not_found', 'This sample has no such trial.');
  return { view, trial };
}

async function findCall(c: ReviewContext, deps: ReviewDeps) {
  const { key, of: run } = await findRequestedResults(c, deps);
  const { view, trial } = await findTrial(c, run);
  const recorded = await readTrialCalls(run, view.outputDir, trial.trace);
  const calls = recorded === undefined ? [] : readCalls(recorded, trial.trace);
  const number = Number(c.req.param('call'));
  if (calls[number - 1] === undefined)
    throw new HarnessError('not_found', 'No such model call of this trial was recorded.');
  return { key, view, trial, calls, number };
}
