/** The decision screen as an answer: for this visitor, with what went wrong before, if anything did. */
import { randomUUID } from 'node:crypto';
import type { Html } from '../../report/html/html.ts';
import { formToken } from '../guard/form-token.ts';
import { decisionDenial } from '../guard/authorization.ts';
import { gateSameness } from '../../gate/rules/sameness.ts';
import { doubtsOf } from '../../report/gate/doubts.ts';
import { decisionsToUndo } from '../guard/undo-rights.ts';
import { exchangesOf } from '../../run/exchanges.ts';
import { chatPanel } from '../pages/gate/chat-panel.ts';
import { gatePage } from '../pages/gate/gate-page.ts';
import { undoSection } from '../pages/gate/undo.ts';
import { draftAt, draftsBefore, type AnswerDraft } from '../read/answer-drafts.ts';
import { openGates, type WaitingGate } from '../read/open-gates.ts';
import type { GateView } from '../read/read-gate.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { visitorOf } from './guards.ts';
import { visitorActor } from './posted-form.ts';
import { sendPage, type ReviewContext } from './respond.ts';
import { readEvents } from '../../run-folder/snapshot.ts';

export type Extra = {
  notice?: Html;
  /** What was written before, so that nobody has to write it twice. */
  draft?: AnswerDraft;
  /** A question to Init that was not answered. */
  question?: string;
  status?: 403 | 409 | 422;
};

export async function sendGate(
  c: ReviewContext,
  deps: ReviewDeps,
  key: string,
  view: GateView,
  { notice, draft: posted, question = '', status }: Extra = {},
): Promise<Response> {
  const visitor = visitorOf(c);
  const now = deps.clock.now();
  const barred = gateDenial(view, key, c, deps);
  const mayAnswer = view.open !== undefined && barred === undefined;
  const token = formToken(visitor.session, deps.signer, now.getTime());
  const written = await deps.drafts.of(view.run.dir, visitor.name);
  const { gate } = view.pack;
  const draft = posted ?? draftAt(written, gate, view.open?.digest);
  const earlier = view.open === undefined ? [] : draftsBefore(written, { gate, digest: view.open.digest });
  const expiresAt = expiryOf(view, deps);
  const undo = undoSection({
    ...{ key, now, formToken: token, actor: visitorActor(visitor), undoSeconds: deps.undoSeconds },
    decisions: decisionsToUndo(view, key, visitor, deps.access),
    undone: view.state.undone.filter(({ decision }) => decision.gate === view.pack.gate),
  });
  const events = await readEvents(view.run);
  const chat = chatPanel({
    ...{ key, gate: view.pack.gate, exchanges: exchangesOf(events, view.pack.gate), inForm: mayAnswer },
    asking: mayAsk(view, key, c, deps) ? { nonce: randomUUID(), formToken: token, draft: question } : undefined,
  });
  const body = gatePage({
    ...{ undo, chat },
    ...{ key, view, now, why: barred ?? '' },
    form: mayAnswer ? { token, nonce: randomUUID() } : undefined,
    ticked: c.req.query('also') === 'all',
    all: c.req.query('rows') === 'all' || draft.anchored.size > 0,
    siblings: mayAnswer && visitor.only === undefined ? await siblingsOf(view, deps) : [],
    ...(notice === undefined ? {} : { notice }),
    ...{ draft, earlier },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  const title = `${view.pack.gate} ${view.pack.scenario}`;
  const live = `/runs/${encodeURIComponent(key)}/live`;
  return sendPage(c, deps, { title, here: 'queue', live, bar: mayAnswer, body }, { status: status ?? 200 });
}

/** Who may decide may ask, also after the decision; a personal link opens its own gate only. */
function mayAsk({ run, pack }: GateView, key: string, c: ReviewContext, { access, chat }: ReviewDeps): boolean {
  const visitor = visitorOf(c);
  const digest = visitor.only?.digest ?? '';
  return (
    chat !== undefined &&
    decisionDenial(visitor, { scenario: run.scenario, key, gate: pack.gate, digest }, access) === undefined
  );
}

/** Why this visitor may read this gate and not answer it. */
export function gateDenial(
  { open, run, pack }: GateView,
  key: string,
  c: ReviewContext,
  { access }: ReviewDeps,
): string | undefined {
  if (open === undefined) return undefined;
  return decisionDenial(visitorOf(c), { scenario: run.scenario, key, gate: pack.gate, digest: open.digest }, access);
}

function expiryOf({ open }: GateView, { expireAfterHours }: ReviewDeps): string | undefined {
  if (open === undefined || expireAfterHours === undefined) return undefined;
  return new Date(Date.parse(open.openedAt) + expireAfterHours * 3_600_000).toISOString();
}

/** Other gates with the same change, which one answer may cover; never one with a doubt that this gate does not show. */
async function siblingsOf({ pack, open, run }: GateView, deps: ReviewDeps): Promise<WaitingGate[]> {
  const { waiting } = await openGates(deps);
  const mine = waiting.find(
    (gate) => gate.dir === run.dir && gate.pack.gate === pack.gate && gate.digest === open?.digest,
  );
  if (mine === undefined) return [];
  const doubted = doubtsOf(pack).length > 0;
  return waiting.filter(
    (gate) =>
      gate !== mine &&
      gateSameness(mine.reading, gate.reading) !== undefined &&
      (doubted || doubtsOf(gate.pack).length === 0),
  );
}
