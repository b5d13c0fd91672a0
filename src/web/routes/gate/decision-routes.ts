/** The decision screen, and the form that answers it. */
import { Hono } from 'hono';
import { isHarnessError, describeError, type HarnessError } from '../../../errors.ts';
import { readPack } from '../../../gate/read-pack.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { gateReading, gateSameness } from '../../../gate/rules/sameness.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import { gateHref } from '../../pages/page-links.ts';
import { renderAlert } from '../../pages/layout.ts';
import { openGates } from '../../read/open-gates.ts';
import { newestGate } from '../../read/read-gate.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { formatComment, toAnswerDraft, readAnswerForm, type AnswerForm } from './answer-form.ts';
import { checkForm, GATE_PATH, gateRequest, readView, requireRight, type GateRequest } from './gate-request.ts';
import { dropDrafts } from './save-draft.ts';
import { formFault, postedFields } from '../posted-form.ts';
import { parseQueryNumber } from '../request.ts';
import { httpStatus, type ReviewEnv } from '../respond.ts';
import { sendGate } from './send-gate.ts';

export function decisionRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(GATE_PATH, async (c) => {
      const at = await gateRequest(c, deps);
      const missed = parseQueryNumber(c, 'missed', 3);
      if (missed === undefined) return sendGate(at, await readView(at));
      const text = `${missed} of the ticked gates were not approved: they had changed or were answered since then.`;
      return sendGate(at, await readView(at), { notice: renderAlert('warn', text) });
    })
    .post(GATE_PATH, async (c) => {
      const at = await gateRequest(c, deps);
      const pack = await readPack(at.run, at.gate);
      const fields = await postedFields(c);
      const form = readAnswerForm(fields, pack);
      try {
        const shownMs = checkForm(at, fields);
        requireRight(at, form.digest);
        await decideByForm(at, form, shownMs);
        await dropDrafts(at);
        const also = form.decision === 'approve' ? await decideSiblingGates(at, form, pack) : [];
        const missed = also.filter(({ why }) => why !== undefined).length;
        return c.redirect(`${gateHref(at.key, at.gate)}${missed > 0 ? `?missed=${missed}` : ''}`, 303);
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        return sendRefusal(at, error, form);
      }
    });
}

async function decideByForm({ run, gate, actor, deps }: GateRequest, form: AnswerForm, shownMs: number): Promise<void> {
  const { decision, digest, nonce, confirm } = form;
  const comment = formatComment(form);
  if (decision === undefined) throw formFault('Choose one: approve, request changes or reject.');
  if (decision === 'reject' && comment === '') throw formFault('Say why in the notes: rejecting ends the run.');
  await deps.decide({ run: run.dir, gate, digest, decision, comment, confirm, actor, via: 'page', nonce, shownMs });
}

type ExtraDecision = { gate: string; why: string | undefined };

/** Called once the first gate is answered. Contract: each gate that cannot be answered is returned with its reason. */
async function decideSiblingGates(
  { run, gate, visitor, actor, deps }: GateRequest,
  form: AnswerForm,
  pack: ReviewPack,
): Promise<ExtraDecision[]> {
  if (form.also.length === 0 || visitor.only !== undefined) return [];
  const read = gateReading(await readState(run), pack, form.digest);
  const { waiting } = await openGates(deps);
  const answered: ExtraDecision[] = [];
  for (const also of form.also) {
    const other = waiting.find((one) => `${one.key}.${one.pack.gate} ${one.digest}` === also);
    if (other === undefined || gateSameness(read, other.reading) === undefined) {
      answered.push({ gate: also, why: 'it waits no longer, or asks for another change' });
      continue;
    }
    const comment = [formatComment(form), `(approved together with ${run.id} ${gate}: the same change)`]
      .join('\n')
      .trim();
    const decision = { decision: 'approve' as const, comment, confirm: form.confirm, actor, via: 'page' };
    const { dir, digest, key } = other;
    try {
      await deps.decide({ ...decision, run: dir, gate: other.pack.gate, digest, nonce: `${form.nonce}.${key}` });
      answered.push({ gate: also, why: undefined });
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      answered.push({ gate: also, why: describeError(error) });
    }
  }
  return answered;
}

/** Shows the newest gate with the error at the top, and with the posted text still in its fields. */
async function sendRefusal(at: GateRequest, error: HarnessError, form: AnswerForm): Promise<Response> {
  const posted = await readView(at);
  const now = newestGate(posted.state) ?? at.gate;
  const view = now === at.gate ? posted : await readView({ ...at, gate: now });
  const notice = renderAlert('bad', 'Nothing was recorded.', describeError(error));
  // Questions of another round have other numbers, so their answers are shown in the notes.
  const notes = [...form.answers, form.notes].filter(Boolean).join('\n');
  const draft =
    view === posted ? toAnswerDraft(form) : { anchored: form.anchored, notes, answers: new Map<string, string>() };
  return sendGate(at, view, { notice, draft, status: httpStatus(error) === 422 ? 422 : 409 });
}
