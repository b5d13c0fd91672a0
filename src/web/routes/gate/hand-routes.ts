/** Hands a gate to another reviewer: it waits for them first, and who may decide it stays the same. */
import { Hono } from 'hono';
import { gateHref } from '../../pages/page-links.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { formText } from '../posted-form.ts';
import type { ReviewEnv } from '../respond.ts';
import { checkedForm, GATE_PATH, gateRequest, readOpenView } from './gate-request.ts';
import { postedDraft, saveDraftFields } from './save-draft.ts';

const MOST_CHARS = 500;

export function handRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>().post(`${GATE_PATH}/hand`, async (c) => {
    const at = await gateRequest(c, deps);
    const form = await checkedForm(at);
    const { digest } = await readOpenView(at, 'Nobody needs to be handed it.');
    const to = formText(form.get('to'));
    const comment = formText(form.get('why')).slice(0, MOST_CHARS);
    await deps.handOver({ run: at.run.dir, digest, to, comment, actor: at.actor });
    // The whole form is posted, with whatever is written in it.
    await saveDraftFields(at, digest, postedDraft(form));
    return c.redirect(gateHref(at.key, at.gate), 303);
  });
}
