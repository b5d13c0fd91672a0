/** Before an answer: drafts saved while a reviewer writes, marks of rules that were reviewed, and the hand-over to a colleague. */
import { Hono } from 'hono';
import { HarnessError } from '../../../errors.ts';
import { readPack } from '../../../gate/read-pack.ts';
import { createReviewMark } from '../../../gate/review-mark.ts';
import { renderAlert } from '../../pages/layout.ts';
import { gateHref } from '../../pages/page-links.ts';
import { listEarlierDrafts, carryOverDrafts, editedFile } from '../../read/answer-drafts.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { toAnswerDraft, readAnswerForm } from './answer-form.ts';
import { formText } from '../posted-form.ts';
import { checkedForm, GATE_PATH, gateRequest, readOpenView, readView } from './gate-request.ts';
import { DRAFT_REFUSALS, postedDraft, saveDraft, saveDraftFields } from './save-draft.ts';
import type { ReviewContext, ReviewEnv } from '../respond.ts';
import { sendGate } from './send-gate.ts';

const isEdit = ({ field }: { field: string }): boolean => editedFile(field) !== undefined;

/** Longer is no digest. */
const MOST_DIGEST = 100;
const MOST_HAND_OVER_CHARS = 500;

export function draftRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .post(`${GATE_PATH}/draft`, async (c) => {
      const at = await gateRequest(c, deps);
      await readPack(at.run, at.gate);
      const form = await checkedForm(at);
      const digest = formText(form.get('digest')).slice(0, MOST_DIGEST);
      const result = await saveDraftFields(at, digest, postedDraft(form));
      return result === 'saved' ? c.body(null, 204) : c.json({ error: { message: DRAFT_REFUSALS[result] } }, 409);
    })
    .post(`${GATE_PATH}/earlier`, async (c) => {
      const at = await gateRequest(c, deps);
      const view = await readView(at);
      const fields = await checkedForm(at);
      const posted = toAnswerDraft(readAnswerForm(fields, view.pack));
      // Answered since then: there is nothing to take them over into, and nothing is dropped either.
      if (view.open === undefined) return sendGate(at, view);
      const { digest } = view.open;
      const earlier = listEarlierDrafts(await deps.drafts.of(at.run.dir, at.visitor.name), { gate: at.gate, digest });
      const rules = new Set(view.pack.rules.map(({ id }) => id));
      // An edit of another design is not this one's; it stays to be read until it is dropped.
      const isTaken = formText(fields.get('earlier')) === 'take';
      const draft = isTaken ? carryOverDrafts(posted, earlier, rules) : posted;
      // Saved here before they are removed there: a crash in between shows them twice, and loses none.
      const result = await saveDraft(at, digest, draft);
      if (result !== 'saved') {
        const notice = renderAlert('bad', 'Nothing was taken over.', DRAFT_REFUSALS[result]);
        return sendGate(at, view, { draft: posted, notice, status: 409 });
      }
      await deps.drafts.change(at.run.dir, at.visitor.name, async (now) =>
        now.filter((one) => (one.gate === at.gate && one.digest === digest) || (isTaken && isEdit(one))),
      );
      return sendGate(at, view, { draft });
    })
    .post(`${GATE_PATH}/mark`, (c) => markRule(c, deps))
    .post(`${GATE_PATH}/hand`, (c) => handOver(c, deps));
}

/** A mark is stored per person, until the rule changes. */
async function markRule(c: ReviewContext, deps: ReviewDeps): Promise<Response> {
  const at = await gateRequest(c, deps);
  const pack = await readPack(at.run, at.gate);
  const form = await checkedForm(at);
  const isSet = form.has('mark');
  const mark = formText(form.get(isSet ? 'mark' : 'unmark'));
  const [id = ''] = mark.split(':');
  if (mark !== createReviewMark(id, pack)) throw new HarnessError('not_found', 'This rule says something else by now.');
  await deps.drafts.mark(at.run.dir, at.visitor.name, { mark, isSet });
  if (form.has('script')) return c.body(null, 204);
  // Without a script the whole form is posted, with whatever is written in it.
  await saveDraftFields(at, formText(form.get('digest')), postedDraft(form));
  return c.redirect(`${gateHref(at.key, at.gate)}?rows=all#${id}`, 303);
}

/** The gate waits for them first; who may decide it stays the same. */
async function handOver(c: ReviewContext, deps: ReviewDeps): Promise<Response> {
  const at = await gateRequest(c, deps);
  const form = await checkedForm(at);
  const { digest } = await readOpenView(at, 'Nobody needs to be handed it.');
  const to = formText(form.get('to'));
  const comment = formText(form.get('why')).slice(0, MOST_HAND_OVER_CHARS);
  await deps.handOver({ run: at.run.dir, digest, to, comment, actor: at.actor });
  // The whole form is posted, with whatever is written in it.
  await saveDraftFields(at, digest, postedDraft(form));
  return c.redirect(gateHref(at.key, at.gate), 303);
}
