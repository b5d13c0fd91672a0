/** People's labels: the list of open questions, and one question, which is answered blind. */
import { Hono } from 'hono';
import { denialError } from '../../guard/authorization.ts';
import { labelHref } from '../../pages/page-links.ts';
import { labelPage, labelsPage, type LabelPage } from '../../pages/results/label-pages.ts';
import type { LabelReader } from '../../read/results/hidden-verdicts.ts';
import { ownLabels, questionAt, readLabelling } from '../../read/results/label-question.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { checkForm, newForm } from '../gate/gate-request.ts';
import { requireVisitor } from '../guards.ts';
import { formText, postedFields } from '../posted-form.ts';
import { parseQueryNumber } from '../request.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from '../respond.ts';
import { ITERATION_PATH, findRequestedRun } from './results-routes.ts';

const LABEL = `${ITERATION_PATH}/labels/:grader{[a-z0-9][a-z0-9-]{0,63}}/:name{[^/.]+\\.[1-9][0-9]{0,3}}`;
const MOST_CHARS = 2000;

export function labelRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get('/runs/:run/labels', async (c) => {
      const { key, run, reader } = await findRequestedRun(c, deps);
      const { iteration, open, labelling } = await readLabelling(
        run,
        parseQueryNumber(c, 'iteration'),
        reader.by ?? '',
      );
      const body = labelsPage({ key, iteration, open, all: labelling.tasks.length });
      return sendPage(c, deps, { title: 'Labels', here: 'runs', body });
    })
    .get(LABEL, async (c) => sendLabel(c, deps))
    .post(LABEL, async (c) => {
      const { key, run, reader } = await findRequestedRun(c, deps);
      const by = requireLabeller(reader);
      const fields = await postedFields(c);
      checkForm({ c, deps, visitor: requireVisitor(c) }, fields);
      const [verdict, reason] = [formText(fields.get('verdict')), formText(fields.get('reason'))];
      const typed = { verdict, reason };
      if (verdict !== 'pass' && verdict !== 'fail') return sendLabel(c, deps, { typed, fault: 'Choose pass or fail.' });
      const why = `Say why, in at most ${MOST_CHARS} characters: a label is for others too.`;
      if (reason === '' || reason.length > MOST_CHARS) return sendLabel(c, deps, { typed, fault: why });
      const { iteration, grader, name } = c.req.param();
      const labels = await readLabelling(run, Number(iteration), by);
      const { task } = questionAt(labels, grader, name);
      // A reader who has seen the verdict can no longer answer blind.
      if (labels.open.includes(task)) await labels.labelling.add(task, { by, verdict, reason }, { once: true });
      return c.redirect(labelHref(key, labels.iteration, { grader, name }), 303);
    });
}

/** Contract: `gate_refused` for a reader who may not label. */
export function requireLabeller({ by }: LabelReader): string {
  if (by !== undefined) return by;
  throw denialError('You may read this run, and not label it: config/reviewers.yaml lists who may.');
}

async function sendLabel(
  c: ReviewContext,
  deps: ReviewDeps,
  again: Pick<LabelPage, 'fault' | 'typed'> = {},
): Promise<Response> {
  const { key, run, reader } = await findRequestedRun(c, deps);
  const [grader, name] = [c.req.param('grader') ?? '', c.req.param('name') ?? ''];
  const labels = await readLabelling(run, Number(c.req.param('iteration')), reader.by ?? '');
  const { task, verdict } = questionAt(labels, grader, name);
  const answers = reader.by === undefined ? [] : await ownLabels(labels.labelling, reader.by);
  const own = answers.findLast((one) => one.grader === grader && one.conversation === task.conversation);
  const after = labels.open.find((one) => one !== task);
  const { iteration } = labels;
  const next = after && labelHref(key, iteration, { grader: after.grader.id, name: after.name });
  const form = reader.by === undefined ? undefined : newForm({ visitor: requireVisitor(c), deps }).token;
  const body = labelPage({ key, iteration, task, verdict, own, next, form, ...again });
  const status = again.fault === undefined ? 200 : 422;
  return sendPage(c, deps, { title: task.grader.question, here: 'runs', body, status });
}
