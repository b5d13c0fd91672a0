/** Comments on a place in the design: saved for their writer without a script, and sent with the answer. */
import { Hono } from 'hono';
import { HarnessError } from '../../../errors.ts';
import { parseAnchor, type Anchor } from '../../../gate/rules/comment-parts.ts';
import type { ReviewPack } from '../../../gate/rules/review-pack.ts';
import { backHref, commentPage, type CommentFrom } from '../../pages/design/comment-page.ts';
import { selectDraft } from '../../read/answer-drafts.ts';
import type { GateView } from '../../read/read-gate.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { formText, postedFields } from '../posted-form.ts';
import { checkForm, GATE_PATH, gateRequest, newForm, readOpenView, type GateRequest } from './gate-request.ts';
import { DRAFT_REFUSALS, saveDraftFields } from './save-draft.ts';
import { sendPage, type ReviewEnv } from '../respond.ts';

const MOST_CHARS = 2000;

type CommentTarget = {
  at: GateRequest;
  view: GateView;
  digest: string;
  anchor: string;
  from: CommentFrom;
  place: string;
};

export function commentRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(`${GATE_PATH}/comment`, async (c) => {
      const at = await gateRequest(c, deps);
      const target = await loadTarget(at, c.req.query('on') ?? '', c.req.query('from'));
      const written = await deps.drafts.of(at.run.dir, at.visitor.name);
      return sendCommentPage(target, selectDraft(written, at.gate, target.digest).anchored.get(target.anchor) ?? '');
    })
    .post(`${GATE_PATH}/comment`, async (c) => {
      const at = await gateRequest(c, deps);
      const form = await postedFields(c);
      const target = await loadTarget(at, formText(form.get('on')), formText(form.get('from')));
      checkForm(at, form);
      const text = formText(form.get('text')).slice(0, MOST_CHARS);
      const result = await saveDraftFields(at, target.digest, new Map([[`on.${target.anchor}`, text]]));
      if (result === 'saved') return c.redirect(backHref(at, target), 303);
      return sendCommentPage(target, text, DRAFT_REFUSALS[result]);
    });
}

/** Contract: `not_found` for a place that this design lacks, `gate_refused` for a visitor who may not answer. */
async function loadTarget(at: GateRequest, anchor: string, from: string | undefined): Promise<CommentTarget> {
  const { view, digest } = await readOpenView(at, 'Nobody would read a comment.');
  const parsed = parseAnchor(anchor);
  const place = parsed === undefined ? undefined : await textAt(parsed, view, at.deps);
  const why = 'There is no such place in this design: comment on a rule, or on a line of the diff.';
  if (place === undefined) throw new HarnessError('not_found', why);
  return { at, view, digest, anchor, from: from === 'design' ? 'design' : 'gate', place };
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

function sendCommentPage({ at, view, anchor, from, place }: CommentTarget, text: string, fault?: string): Response {
  const { key, gate } = at;
  const page = { key, gate, title: view.pack.title, anchor, place, text, from, form: newForm(at).token, fault };
  const status = fault === undefined ? 200 : 409;
  return sendPage(at.c, at.deps, { title: `Comment on ${anchor}`, here: 'queue', body: commentPage(page), status });
}
