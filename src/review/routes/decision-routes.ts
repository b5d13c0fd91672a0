/** The decision screen, and the form that answers it. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { HarnessError, isHarnessError, messageOf } from '../../errors.ts';
import type { Html } from '../../report/html/html.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { formAge, formToken } from '../guard/form-token.ts';
import { mayDecide, type Visitor } from '../guard/visitor.ts';
import { CONFIRM_WORD, doubtsOf } from '../pages/gate-answer.ts';
import { gatePage } from '../pages/gate-page.ts';
import { gateHref } from '../pages/evidence.ts';
import { alert } from '../pages/layout.ts';
import { findRun } from '../read/find-run.ts';
import { openGates, type WaitingGate } from '../read/open-gates.ts';
import { newestGate, readGate, readPack, type GateView } from '../read/read-gate.ts';
import type { ReviewDeps } from '../review-deps.ts';
import { commentOf, readAnswerForm, type AnswerForm } from './answer-form.ts';
import { decideAlso } from './decide-also.ts';
import { visitorOf } from './guards.ts';
import { isOwnOrigin } from './request.ts';
import { sendPage, statusOf, type ReviewContext, type ReviewEnv } from './respond.ts';

const GATE = '/runs/:run/gates/:gate{HITL-1\\.r[1-9][0-9]{0,3}}';

export function decisionRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(GATE, async (c) => {
      const run = await findRun(deps.store, c.req.param('run'));
      const view = await readGate(run, c.req.param('gate'), actorOf(visitorOf(c)), deps);
      return sendGate(c, deps, c.req.param('run'), view);
    })
    .post(GATE, async (c) => {
      const [key, gate, visitor] = [c.req.param('run'), c.req.param('gate'), visitorOf(c)];
      const run = await findRun(deps.store, key);
      const form = readAnswerForm(await c.req.formData(), await readPack(run, gate));
      try {
        const shownMs = checkForm(c, form, visitor, deps);
        await decideHere(run, gate, form, visitor, shownMs, deps);
        const also = form.decision === 'approve' ? await decideAlso(run, gate, form, visitor, deps) : [];
        const lost = also.filter(({ why }) => why !== undefined).length;
        return c.redirect(`${gateHref(key, gate)}${lost > 0 ? `?missed=${lost}` : ''}`, 303);
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        return sendRefusal(c, deps, key, run, error, form);
      }
    });
}

export const actorOf = ({ name }: Pick<Visitor, 'name'>): string => `user:${name}`;

/** How long the form had been shown; a form that is not ours, or not from here, is refused. */
export function checkForm(
  c: ReviewContext,
  { formToken: token }: Pick<AnswerForm, 'formToken'>,
  visitor: Visitor,
  { signer, clock, hosts }: ReviewDeps,
): number {
  const age = formAge(token, visitor.session, signer, clock.now().getTime());
  if (age !== undefined && isOwnOrigin(c, { hosts })) return age;
  throw new HarnessError(
    'gate_refused',
    'This form is older than a day or was not made by this page. Nothing was recorded; read again, then answer.',
    { details: { refusal: 'not_allowed' } },
  );
}

async function decideHere(
  run: RunFolder,
  gate: string,
  form: AnswerForm,
  visitor: Visitor,
  shownMs: number,
  deps: ReviewDeps,
): Promise<void> {
  const { decision, digest, nonce, confirm } = form;
  const comment = commentOf(form);
  if (decision === undefined) throw unfit('Choose one: approve, request changes or reject.');
  if (decision === 'reject' && comment === '') throw unfit('Say why in the notes: rejecting ends the run.');
  const doubts = decision === 'approve' ? doubtsOf(await readPack(run, gate)) : [];
  if (doubts.length > 0 && confirm.toLowerCase() !== CONFIRM_WORD) {
    throw unfit(`${doubts.join(' ')} To approve all the same, type ${CONFIRM_WORD} in the field beside it.`);
  }
  const actor = actorOf(visitor);
  await deps.decide({ run: run.dir, gate, digest, decision, comment, actor, via: 'page', nonce, shownMs });
}

function unfit(message: string): HarnessError {
  return new HarnessError('gate_refused', message, { details: { refusal: 'unconfirmed' } });
}

/** The newest gate with what went wrong on top, and with everything that was written still in its fields. */
async function sendRefusal(
  c: ReviewContext,
  deps: ReviewDeps,
  key: string,
  run: RunFolder,
  error: HarnessError,
  form: AnswerForm,
): Promise<Response> {
  const asked = c.req.param('gate') ?? '';
  const view = await readGate(run, asked, actorOf(visitorOf(c)), deps);
  const now = newestGate(view.state);
  const newest = now === undefined || now === asked ? view : await readGate(run, now, actorOf(visitorOf(c)), deps);
  const notice = alert('bad', 'Nothing was recorded.', messageOf(error).replaceAll(run.id, key));
  const draft = { rules: form.rules, notes: [...form.answers, form.notes].filter((part) => part !== '').join('\n') };
  return sendGate(c, deps, key, newest, { notice, draft, status: statusOf(error) === 422 ? 422 : 409 });
}

type Extra = { notice?: Html; draft?: { rules: ReadonlyMap<string, string>; notes: string }; status?: 409 | 422 };

async function sendGate(c: ReviewContext, deps: ReviewDeps, key: string, view: GateView, extra: Extra = {}) {
  const visitor = visitorOf(c);
  const { notice, draft, status } = extra;
  const missed = /^[1-9]\d{0,2}$/.exec(c.req.query('missed') ?? '')?.[0];
  const shown = notice ?? (missed === undefined ? undefined : alert('warn', `${missed} of the ticked gates were not approved: they had changed or were answered meanwhile.`));
  const why = whyNot(view, visitor, deps);
  const now = deps.clock.now();
  const form = why === undefined ? { token: formToken(visitor.session, deps.signer, now.getTime()), nonce: randomUUID() } : undefined;
  const siblings = form === undefined || visitor.only !== undefined ? [] : await siblingsOf(view, deps);
  const expiry = view.open === undefined || deps.expireAfterHours === undefined ? undefined : new Date(Date.parse(view.open.openedAt) + deps.expireAfterHours * 3_600_000).toISOString();
  const body = gatePage({
    ...{ key, view, now, form, siblings },
    why: why ?? '',
    ...(shown === undefined ? {} : { notice: shown }),
    ...(draft === undefined ? {} : { draft }),
    ...(expiry === undefined ? {} : { expiresAt: expiry }),
  });
  const title = `${view.pack.gate} ${view.pack.scenario}`;
  const live = `/runs/${encodeURIComponent(key)}/live`;
  return sendPage(c, deps, { title, here: 'queue', live, bar: form !== undefined && view.open !== undefined, body }, { status: status ?? 200 });
}

/** Undefined when this visitor may answer this gate. */
function whyNot({ pack, open, run }: GateView, { name, only }: Visitor, { access }: ReviewDeps): string | undefined {
  if (open === undefined) return '';
  if (!mayDecide({ name }, run.scenario, access)) return `${name} is no reviewer of ${pack.scenario}: config/reviewers.yaml lists who is.`;
  if (only !== undefined && only.digest !== open.digest) return 'Your link was made for an earlier design. Sign in with your token to decide on this one.';
  return undefined;
}

async function siblingsOf({ pack, open, run }: GateView, deps: ReviewDeps): Promise<WaitingGate[]> {
  const { waiting } = await openGates(deps);
  const mine = waiting.find((gate) => gate.dir === run.dir && gate.pack.gate === pack.gate && gate.digest === open?.digest);
  return mine === undefined ? [] : waiting.filter((gate) => gate !== mine && gate.change === mine.change && doubtsOf(gate.pack).length === 0);
}
