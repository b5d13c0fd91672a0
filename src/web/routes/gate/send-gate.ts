/** The decision screen as a response for this visitor, with the error of the previous request, if any. */
import type { Html } from '../../../report/html/html.ts';
import type { GateDecision } from '../../../gate/rules/gate.ts';
import { isSameActor } from '../../../gate/rules/same-actor.ts';
import { gateSameness } from '../../../gate/rules/sameness.ts';
import { listApprovalDoubts } from '../../../report/gate/approval-doubts.ts';
import { listUndoable } from '../../../run/undo.ts';
import { findHandover, listExchanges } from '../../../run/exchanges.ts';
import { runHref } from '../../pages/page-links.ts';
import { renderAlert } from '../../pages/layout.ts';
import { chatPanel } from '../../pages/gate/chat-panel.ts';
import { gatePage } from '../../pages/gate/gate-page.ts';
import { undoSection } from '../../pages/gate/undo-section.ts';
import { selectDraft, listEarlierDrafts, type AnswerDraft } from '../../read/answer-drafts.ts';
import { openGates, type WaitingGate } from '../../read/open-gates.ts';
import type { GateView } from '../../read/read-gate.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { denialAt, listColleagues, newForm, type GateRequest } from './gate-request.ts';
import { sendPage } from '../respond.ts';
import { renderNextStep } from '../run/order-routes.ts';

export type GatePageExtras = {
  notice?: Html;
  /** Text from the previous request, so that the reviewer need not write it again. */
  draft?: AnswerDraft;
  /** A question to Init that was not answered. */
  question?: string;
  status?: 403 | 409 | 422;
};

export async function sendGate(request: GateRequest, view: GateView, extra: GatePageExtras = {}): Promise<Response> {
  const { c, deps, visitor, actor, key } = request;
  const { pack, open, state, run } = view;
  const { gate } = pack;
  // After a refusal the newest gate is shown, which may differ from the one in the address.
  const at = { ...request, gate };
  const now = deps.clock.now();
  const denial = open && denialAt(at, open.digest, state.startedBy);
  const mayAnswer = open !== undefined && denial === undefined;
  const written = await deps.drafts.of(run.dir, visitor.name);
  const draft = extra.draft ?? selectDraft(written, gate, open?.digest);
  const form = newForm(at);
  const undo = undoSection({
    ...{ key, now, formToken: form.token, actor, undoSeconds: deps.undoSeconds },
    decisions: decisionsToUndo(view, at),
    undone: state.undone.filter(({ decision }) => decision.gate === gate),
  });
  // Anyone who may decide may also ask, even after the decision.
  const mayAsk = deps.chat !== undefined && denialAt(at) === undefined;
  const chat = chatPanel({
    ...{ key, gate, exchanges: listExchanges(view.events, gate), inForm: mayAnswer },
    asking: mayAsk ? { nonce: newForm(at).nonce, formToken: form.token, draft: extra.question ?? '' } : undefined,
  });
  // A practice has no run that could go on.
  const isClosed = open === undefined && deps.practice === undefined;
  const next = isClosed ? await renderNextStep(run, state, at) : undefined;
  const notice = extra.notice ?? practiceNotice(view, deps);
  const body = gatePage({
    ...{ key, view, now, next, undo, chat, draft, notice, why: denial ?? '' },
    form: mayAnswer ? form : undefined,
    ticked: c.req.query('also') === 'all',
    all: c.req.query('rows') === 'all' || draft.anchored.size > 0,
    siblings: mayAnswer && visitor.only === undefined ? await findSiblingGates(view, at) : [],
    reviewed: new Set(await deps.drafts.marks(run.dir, visitor.name)),
    earlier: open === undefined ? [] : listEarlierDrafts(written, { gate, digest: open.digest }),
    expiresAt: computeExpiry(view, deps),
    handover: findHandover(view.events, gate),
    colleagues: mayAnswer && visitor.only === undefined ? listColleagues(at, state.startedBy) : [],
  });
  const frame = { title: `${gate} ${pack.scenario}`, live: `${runHref(key)}/live`, bar: mayAnswer, body };
  return sendPage(c, deps, { ...frame, here: 'queue', status: extra.status ?? 200 });
}

function practiceNotice({ decisions }: GateView, { practice }: ReviewDeps): Html | undefined {
  const last = decisions.at(-1);
  if (practice === undefined || last === undefined) return undefined;
  const { text, planted } = practice.after(last);
  return renderAlert('plain', text, `What was planted: ${planted}`);
}

/** Returns the visitor's own decisions, and everybody's for an owner; `undoDecision` checks the right again. */
function decisionsToUndo({ state, pack }: GateView, at: GateRequest): GateDecision[] {
  const { actor, visitor, deps } = at;
  const isOwner = deps.access.reviewers.some(({ name, role }) => role === 'owner' && isSameActor(name, visitor.name));
  return listUndoable(state).filter(
    (one) =>
      one.gate === pack.gate && (isOwner || isSameActor(one.actor, actor)) && denialAt(at, one.digest) === undefined,
  );
}

function computeExpiry({ open }: GateView, { expireAfterHours }: ReviewDeps): string | undefined {
  if (open === undefined || expireAfterHours === undefined) return undefined;
  return new Date(Date.parse(open.openedAt) + expireAfterHours * 3_600_000).toISOString();
}

/** Finds other gates with the same change, which one answer may cover, unless they have doubts that this one lacks. */
async function findSiblingGates({ pack, open, run }: GateView, { deps }: GateRequest): Promise<WaitingGate[]> {
  const { waiting } = await openGates(deps);
  const mine = waiting.find(
    (gate) => gate.dir === run.dir && gate.pack.gate === pack.gate && gate.digest === open?.digest,
  );
  if (mine === undefined) return [];
  const doubted = listApprovalDoubts(pack).length > 0;
  return waiting.filter(
    (gate) =>
      gate !== mine &&
      gateSameness(mine.reading, gate.reading) !== undefined &&
      (doubted || listApprovalDoubts(gate.pack).length === 0),
  );
}
