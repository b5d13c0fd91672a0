/** A person's objection to a verdict: text for Execute that is added to the notes of the next answer at the gate. */
import { Hono } from 'hono';
import type { RunFolder } from '../../../ports/run-store.ts';
import { sampleHref } from '../../pages/page-links.ts';
import { objectionSavedPage, objectionPage } from '../../pages/results/objection-page.ts';
import { openRunResults } from '../../read/results/result-source.ts';
import { readSample, type SampleView } from '../../read/read-sample.ts';
import type { LabelReader } from '../../read/results/hidden-verdicts.ts';
import { ownLabels, readLabelling } from '../../read/results/label-question.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { checkForm, newForm } from '../gate/gate-request.ts';
import { addToNotes, NOTE_REFUSALS } from '../gate/save-draft.ts';
import { requireVisitor } from '../guards.ts';
import { formText, postedFields } from '../posted-form.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from '../respond.ts';
import { requireLabeller } from './label-routes.ts';
import { findRequestedRun, SAMPLE_PATH } from './results-routes.ts';

const WORDS = `${SAMPLE_PATH}/words`;
const MOST_CHARS = 2000;
const TOO_LONG = `Say what is wrong, in at most ${MOST_CHARS} characters.`;

export function objectionRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(WORDS, async (c) => {
      const { run, reader } = await findRequestedRun(c, deps);
      const [trial, grader] = [c.req.query('trial') ?? '', c.req.query('grader') ?? ''];
      const text =
        grader === '' ? '' : await describeDisagreement(reader, { iteration: c.req.param('iteration'), grader, trial });
      return sendObjection(c, deps, { run, trial, text });
    })
    .post(WORDS, async (c) => {
      const { key, run, reader } = await findRequestedRun(c, deps);
      const actor = requireLabeller(reader);
      const fields = await postedFields(c);
      const visitor = requireVisitor(c);
      checkForm({ c, deps, visitor }, fields);
      const [text, trial] = [formText(fields.get('text')), formText(fields.get('trial'))];
      const view = await readSample(
        await openRunResults(key, run, deps.designs),
        Number(c.req.param('iteration')),
        c.req.param('sample'),
      );
      if (text === '' || text.length > MOST_CHARS) return sendObjection(c, deps, { run, trial, text, fault: TOO_LONG });
      const saved = await addToNotes({ run, visitor, actor, deps }, `${placeText(view, trial)}: ${text}`);
      if (typeof saved === 'string') return sendObjection(c, deps, { run, trial, text, fault: NOTE_REFUSALS[saved] });
      const body = objectionSavedPage(key, sampleHref(key, view.iteration, view.result.id), saved);
      return sendPage(c, deps, { title: 'To Execute', here: 'runs', body });
    });
}

/** Names the sample with its trace: that of the given trial, or of the first one that failed. */
function placeText({ iteration, outputDir, result }: SampleView, trial: string): string {
  const { trials } = result;
  const about = trials.find((one) => String(one.trial) === trial) ?? trials.find(({ outcome }) => outcome === 'fail');
  const trace = about === undefined ? '' : ` (${outputDir}/${about.trace})`;
  return `On sample ${result.id}, iteration ${iteration}${trace}`;
}

/** Suggests the objection of a reader who answered the question differently from its grader. */
async function describeDisagreement(
  { run, by }: LabelReader,
  { iteration, grader, trial }: { iteration: string; grader: string; trial: string },
): Promise<string> {
  if (by === undefined) return '';
  const { labelling } = await readLabelling(run, Number(iteration), by);
  const own = (await ownLabels(labelling, by)).findLast((one) => one.grader === grader && String(one.trial) === trial);
  return own === undefined ? '' : `The grader ${grader} is wrong here. I say ${own.verdict}: ${own.reason}`;
}

type ObjectionForm = { run: RunFolder; trial: string; text: string; fault?: string };

async function sendObjection(
  c: ReviewContext,
  deps: ReviewDeps,
  { run, trial, text, fault }: ObjectionForm,
): Promise<Response> {
  const [key, iteration] = [c.req.param('run') ?? '', Number(c.req.param('iteration'))];
  const results = await openRunResults(key, run, deps.designs);
  const { result } = await readSample(results, iteration, c.req.param('sample') ?? '');
  const form = newForm({ visitor: requireVisitor(c), deps }).token;
  const page = { key, iteration, sample: result.id, title: result.title, trial, text, form, fault };
  const status = fault === undefined ? 200 : 422;
  return sendPage(c, deps, { title: 'To Execute', here: 'runs', body: objectionPage(page), status });
}
