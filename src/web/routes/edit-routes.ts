/** Edit-and-approve: look at the patch as often as one likes, then decide on exactly that patch. */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { HarnessError, isHarnessError, messageOf } from '../../errors.ts';
import type { Html } from '../../report/html/html.ts';
import { requireDecisionRight } from '../guard/authorization.ts';
import { formToken } from '../guard/form-token.ts';
import { editPage } from '../pages/design/edit-page.ts';
import { gateHref } from '../pages/evidence.ts';
import { alert } from '../pages/layout.ts';
import { findRun } from '../read/find-run.ts';
import { designDirOf, readGate, type GateView } from '../read/read-gate.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { formText } from './answer-form.ts';
import { GATE_PATH } from './decision-routes.ts';
import { visitorOf } from './guards.ts';
import { visitorActor, checkForm } from './posted-form.ts';
import { sendPage, httpStatus, type ReviewContext, type ReviewEnv } from './respond.ts';

export function editRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(`${GATE_PATH}/edit`, async (c) => {
      const view = await openView(c, deps);
      return sendEdit(c, deps, view, {});
    })
    .post(`${GATE_PATH}/edit`, async (c) => {
      const form = await c.req.formData();
      const view = await openView(c, deps);
      const { run, pack } = view;
      const design = await deps.designs.read(run, designDirOf(view.state, pack));
      const texts = Object.fromEntries(
        Object.keys(design.files).map((name) => [name, fileText(form.get(`file.${name}`))]),
      );
      const comment = formText(form.get('comment'));
      try {
        const shownMs = checkForm(c, formText(form.get('form')), visitorOf(c), deps);
        if (formText(form.get('do')) !== 'approve') {
          return await sendEdit(c, deps, view, { texts, comment, looked: true });
        }
        const [digest, nonce] = [formText(form.get('digest')), formText(form.get('nonce'))];
        const asked = {
          run: run.dir,
          gate: pack.gate,
          digest,
          decision: 'edit_approve' as const,
          comment,
          edits: texts,
          confirm: formText(form.get('confirm')),
        };
        await deps.decide({ ...asked, actor: visitorActor(visitorOf(c)), via: 'page', nonce, shownMs });
        return c.redirect(gateHref(c.req.param('run'), pack.gate), 303);
      } catch (error) {
        if (!isHarnessError(error)) throw error;
        const notice = alert('bad', 'Nothing was recorded.', messageOf(error));
        return sendEdit(c, deps, view, {
          texts,
          comment,
          looked: true,
          notice,
          status: httpStatus(error) === 422 ? 422 : 409,
        });
      }
    });
}

/** White space at the ends of a file is part of it. */
function fileText(value: string | File | null): string {
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
}

async function openView(c: ReviewContext, deps: ReviewDeps): Promise<GateView> {
  const [key, gate, visitor] = [c.req.param('run') ?? '', c.req.param('gate') ?? '', visitorOf(c)];
  const run = await findRun(deps.store, key);
  const view = await readGate(run, gate, visitorActor(visitor), deps);
  if (view.open === undefined) {
    const past = view.decisions.at(-1);
    const who = past === undefined ? '' : ` ${past.actor} answered it with ${past.decision}.`;
    throw new HarnessError(
      'gate_refused',
      `${gate} of run ${key} does not wait any more.${who} Nothing can be edited.`,
      {
        details: { refusal: 'no_open_gate' },
      },
    );
  }
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: view.open.digest }, deps);
  return view;
}

type Edited = { texts?: Record<string, string>; comment?: string; looked?: boolean; notice?: Html; status?: 409 | 422 };

async function sendEdit(c: ReviewContext, deps: ReviewDeps, view: GateView, edited: Edited): Promise<Response> {
  const { run, state, pack } = view;
  const dir = designDirOf(state, pack);
  const design = await deps.designs.read(run, dir);
  const { texts = design.files, comment = '', looked = false, notice, status = 200 } = edited;
  const token = formToken(visitorOf(c).session, deps.signer, deps.clock.now().getTime());
  const body = editPage({
    ...{ key: c.req.param('run') ?? '', view, design, texts, comment },
    form: { token, nonce: randomUUID() },
    check: looked ? await deps.designs.check(run, dir, texts) : undefined,
    ...(notice === undefined ? {} : { notice }),
  });
  return sendPage(c, deps, { title: `Edit ${pack.gate}`, here: 'queue', bar: true, body }, { status });
}
