/** Drafts of an answer: saves them while a reviewer writes, and takes over or drops those about an earlier design. */
import { Hono } from 'hono';
import { readPack } from '../../../gate/read-pack.ts';
import { renderAlert } from '../../pages/layout.ts';
import { listEarlierDrafts, carryOverDrafts, editedFile } from '../../read/answer-drafts.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { toAnswerDraft, readAnswerForm } from './answer-form.ts';
import { formText } from '../posted-form.ts';
import { checkedForm, GATE_PATH, gateRequest, readView } from './gate-request.ts';
import { DRAFT_REFUSALS, postedDraft, saveDraft, saveDraftFields } from './save-draft.ts';
import type { ReviewEnv } from '../respond.ts';
import { sendGate } from './send-gate.ts';

const isEdit = ({ field }: { field: string }): boolean => editedFile(field) !== undefined;

/** Longer is no digest. */
const MOST_DIGEST = 100;

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
    });
}
