/** Pauses, cancels and retries a run by the form of its page. */
import { Hono } from 'hono';
import type { RunFolder } from '../../../ports/run-store.ts';
import { denialError } from '../../guard/authorization.ts';
import { mayDecide, type Visitor } from '../../guard/visitor.ts';
import { runHref } from '../../pages/page-links.ts';
import { findRun } from '../../read/find-run.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { checkForm, newForm } from '../gate/gate-request.ts';
import { requireVisitor } from '../guards.ts';
import { describeNextStep } from '../../../report/run/next-step.ts';
import type { Html } from '../../../report/html/html.ts';
import { findCarrier } from '../../../run-folder/work-mark.ts';
import type { ResultsVerdict } from '../../../scenario/statistics/judge-results.ts';
import type { RunState } from '../../../run/state.ts';
import { nextStepSection } from '../../pages/next-step-section.ts';
import { formFault, formText, postedFields, visitorActor } from '../posted-form.ts';
import type { ReviewEnv } from '../respond.ts';

const MOST_CHARS = 500;

/** Visitors who may decide a run's gates may order it; a personal link is for one gate only. */
export function mayOrder(visitor: Visitor, { scenario }: Pick<RunFolder, 'scenario'>, { access }: ReviewDeps): boolean {
  return visitor.only === undefined && mayDecide(visitor, scenario, access);
}

type StepReader = { key: string; visitor: Visitor; deps: ReviewDeps; verdict?: ResultsVerdict | undefined };

/** The next step of a run for this visitor, with its button where they may press it. */
export async function renderNextStep(
  run: RunFolder,
  state: RunState,
  { key, visitor, deps, verdict }: StepReader,
): Promise<Html> {
  const found = await findCarrier(run);
  const carrier = found === 'workers' && !(await deps.areWorkersThere()) ? 'no_worker' : found;
  const isAllowed = mayOrder(visitor, run, deps);
  const step = describeNextStep({ run: key, state, carrier, verdict, canStart: deps.startsWork });
  const gate = state.status === 'awaiting_approval' ? state.gate.id : '';
  return nextStepSection({ key, step, gate, formToken: isAllowed ? newForm({ visitor, deps }).token : undefined });
}

export function orderRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>().post('/runs/:run/orders', async (c) => {
    const key = c.req.param('run');
    const run = await findRun(deps.store, key);
    const visitor = requireVisitor(c);
    const fields = await postedFields(c);
    checkForm({ c, visitor, deps }, fields);
    const why = `${visitor.name} may not stop runs of ${run.scenario} or go on with them: config/reviewers.yaml lists who may.`;
    if (!mayOrder(visitor, run, deps)) throw denialError(why);
    const what = formText(fields.get('do'));
    const comment = formText(fields.get('comment')).slice(0, MOST_CHARS);
    if (what !== 'pause' && what !== 'cancel' && what !== 'retry') throw formFault('Choose pause, cancel or go on.');
    if (what === 'cancel' && comment === '') throw formFault('Say why: a run that is cancelled has ended.');
    await deps.order({ run: run.dir, what, comment, actor: visitorActor(visitor) });
    return c.redirect(runHref(key), 303);
  });
}
