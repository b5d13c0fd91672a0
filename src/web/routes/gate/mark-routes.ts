/** Marks of rules as reviewed: stored per person, until the rule changes. */
import { Hono } from 'hono';
import { HarnessError } from '../../../errors.ts';
import { readPack } from '../../../gate/read-pack.ts';
import { createReviewMark } from '../../../gate/review-mark.ts';
import { gateHref } from '../../pages/page-links.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { formText } from '../posted-form.ts';
import type { ReviewEnv } from '../respond.ts';
import { checkedForm, GATE_PATH, gateRequest } from './gate-request.ts';
import { postedDraft, saveDraftFields } from './save-draft.ts';

export function markRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>().post(`${GATE_PATH}/mark`, async (c) => {
    const at = await gateRequest(c, deps);
    const pack = await readPack(at.run, at.gate);
    const form = await checkedForm(at);
    const isSet = form.has('mark');
    const mark = formText(form.get(isSet ? 'mark' : 'unmark'));
    const [id = ''] = mark.split(':');
    if (mark !== createReviewMark(id, pack))
      throw new HarnessError('not_found', 'This rule says something else by now.');
    await deps.drafts.mark(at.run.dir, at.visitor.name, { mark, isSet });
    if (form.has('script')) return c.body(null, 204);
    // Without a script the whole form is posted, with whatever is written in it.
    await saveDraftFields(at, formText(form.get('digest')), postedDraft(form));
    return c.redirect(`${gateHref(at.key, at.gate)}?rows=all#${id}`, 303);
  });
}
