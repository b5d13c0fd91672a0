/** Comments that point at a place: kept for their writer without a script, and taken along by the answer. */
import { Hono } from 'hono';
import { HarnessError } from '../../errors.ts';
import { parseAnchor, type Anchor } from '../../gate/rules/comment-parts.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import { requireDecisionRight } from '../guard/authorization.ts';
import { formToken } from '../guard/form-token.ts';
import { backHref, commentPage, type CommentFrom } from '../pages/design/comment-page.ts';
import { draftAt } from '../read/answer-drafts.ts';
import { findRun } from '../read/find-run.ts';
import { readGate, type GateView } from '../read/read-gate.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { formText } from './answer-form.ts';
import { GATE_PATH } from './decision-routes.ts';
import { visitorOf } from './guards.ts';
import { saveDraftFields } from './save-draft.ts';
import { visitorActor, checkForm } from './posted-form.ts';
import { sendPage, type ReviewContext, type ReviewEnv } from './respond.ts';

const MOST_CHARS = 2000;

type CommentTarget = {
  key: string;
  gate: string;
  digest: string;
  anchor: string;
  from: CommentFrom;
  view: GateView;
  place: string;
};

export function commentRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(`${GATE_PATH}/comment`, async (c) => {
      const asked = await loadCommentTarget(c, c.req.query('on') ?? '', c.req.query('from'), deps);
      const written = await deps.drafts.of(asked.view.run.dir, visitorOf(c).name);
      return send(c, deps, asked, draftAt(written, asked.gate, asked.digest).anchored.get(asked.anchor) ?? '');
    })
    .post(`${GATE_PATH}/comment`, async (c) => {
      const form = await c.req.formData();
      const asked = await loadCommentTarget(c, formText(form.get('on')), formText(form.get('from')), deps);
      const { key, gate, anchor, from, digest, view } = asked;
      checkForm(c, formText(form.get('form')), visitorOf(c), deps);
      const text = formText(form.get('text')).slice(0, MOST_CHARS);
      const fields = new Map([[`on.${anchor}`, text]]);
      const kept = await saveDraftFields(view.run, { gate, digest }, fields, visitorOf(c), deps);
      if (kept === 'kept') return c.redirect(backHref(key, gate, from, anchor), 303);
      return send(c, deps, asked, text, 'So many comments fit into no answer: send those that you have first.');
    });
}

/** Contract: `not_found` for what is no place of this design, `gate_refused` for who may not answer it. */
async function loadCommentTarget(
  c: ReviewContext,
  anchor: string,
  from: string | undefined,
  deps: ReviewDeps,
): Promise<CommentTarget> {
  const [key, gate, visitor] = [c.req.param('run') ?? '', c.req.param('gate') ?? '', visitorOf(c)];
  const run = await findRun(deps.store, key);
  const view = await readGate(run, gate, visitorActor(visitor), deps);
  if (view.open === undefined) {
    throw new HarnessError(
      'gate_refused',
      `${gate} of run ${key} does not wait any more; nobody would read a comment.`,
    );
  }
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: view.open.digest }, deps);
  const parsed = parseAnchor(anchor);
  const place = parsed === undefined ? undefined : await textAt(parsed, view, deps);
  if (place === undefined) {
    throw new HarnessError(
      'not_found',
      'There is no such place in this design: comment on a rule, or on a line of the diff.',
    );
  }
  const { digest } = view.open;
  return { key, gate, digest, anchor, from: from === 'design' ? 'design' : 'gate', view, place };
}

async function textAt(anchor: Anchor, view: GateView, deps: ReviewDeps): Promise<string | undefined> {
  if (anchor.kind === 'rule') return ruleText(anchor.rule, view);
  const { files } = await deps.designs.read(view.run, view.pack.designDir);
  if (!Object.hasOwn(files, anchor.file)) return undefined;
  return anchor.kind === 'removed' ? `− ${anchor.quote}` : files[anchor.file]?.split('\n')[anchor.line - 1];
}

function ruleText(id: string, { pack, since }: GateView): string | undefined {
  const rule: ReviewPack['rules'][number] | undefined = pack.rules.find((one) => one.id === id);
  if (rule !== undefined) return `${rule.title}\n${rule.text}`;
  return since.rules.find((one) => one.id === id)?.before;
}

function send(c: ReviewContext, deps: ReviewDeps, asked: CommentTarget, text: string, fault?: string): Response {
  const { key, gate, anchor, from, view, place } = asked;
  const form = formToken(visitorOf(c).session, deps.signer, deps.clock.now().getTime());
  const page = { key, gate, title: view.pack.title, anchor, place, text, from, form };
  const body = commentPage(fault === undefined ? page : { ...page, fault });
  return sendPage(
    c,
    deps,
    { title: `Comment on ${anchor}`, here: 'queue', body },
    { status: fault === undefined ? 200 : 409 },
  );
}
