/** Edit-and-approve: one rule by its fields or whole files; saved while typed, checked as often as needed, decided. */
import { Hono } from 'hono';
import { HarnessError, isHarnessError, describeError } from '../../../errors.ts';
import { editRule, RULE_FIELDS, readRuleFields } from '../../../gate/edit-rule.ts';
import type { DesignContent } from '../../../ports/decisions.ts';
import { decodeField } from '../../../report/text/invisible-marks.ts';
import type { Html } from '../../../report/html/html.ts';
import { editPage } from '../../pages/design/edit-page.ts';
import { editRulePage } from '../../pages/design/edit-rule-page.ts';
import { gateHref } from '../../pages/page-links.ts';
import { renderAlert } from '../../pages/layout.ts';
import { selectDraft, editDraft } from '../../read/answer-drafts.ts';
import { getDesignDir, type GateView } from '../../read/read-gate.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { answersTo, formatComment } from './answer-form.ts';
import { checkForm, GATE_PATH, gateRequest, newForm, readOpenView, type GateRequest } from './gate-request.ts';
import { DRAFT_REFUSALS, dropDrafts, saveDraftFields, saveEdit } from './save-draft.ts';
import { sendPage, httpStatus, type ReviewContext, type ReviewEnv } from '../respond.ts';
import { formText, postedFields } from '../posted-form.ts';

type FileTexts = Readonly<Record<string, string>>;
/** The texts to show, with the posted notes and the error, if any. */
type ShownEdit = { texts: FileTexts; comment: string; notice?: Html; status?: 409 | 422 };
type EditRequest = {
  at: GateRequest;
  view: GateView;
  digest: string;
  dir: string;
  design: DesignContent;
  /** The design with this reviewer's unsent edits. */
  texts: FileTexts;
  /** The reviewer's other unsent text at this gate. */
  draft: ReturnType<typeof selectDraft>;
};

export function editRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>()
    .get(`${GATE_PATH}/edit`, async (c) => {
      const editing = await openEditing(c, deps);
      const rule = c.req.query('rule');
      if (rule !== undefined) return sendRule(editing, rule);
      return sendEdit(editing, { texts: editing.texts, comment: editing.draft.notes });
    })
    .post(`${GATE_PATH}/edit`, async (c) => postEdit(await openEditing(c, deps), await postedFields(c)))
    .post(`${GATE_PATH}/edit/draft`, async (c) => {
      const editing = await openEditing(c, deps);
      const form = await postedFields(c);
      checkForm(editing.at, form);
      const result = await saveEditDraft(editing, form);
      return result === 'saved' ? c.body(null, 204) : c.json({ error: { message: DRAFT_REFUSALS[result] } }, 409);
    })
    .post(`${GATE_PATH}/edit/rule`, async (c) => {
      const editing = await openEditing(c, deps);
      const form = await postedFields(c);
      checkForm(editing.at, form);
      const { at, digest, design, texts } = editing;
      const id = formText(form.get('rule'));
      const edited = editRule(texts[RULES] ?? '', id, ruleTexts(texts, id, form));
      const result = await saveEdit(at, { digest, files: design.files }, { [RULES]: edited });
      if (result !== 'saved') throw createEditRefusal(DRAFT_REFUSALS[result]);
      return c.redirect(`${gateHref(at.key, at.gate)}/edit`, 303);
    });
}

const RULES = 'business_rules.yaml';

const createEditRefusal = (why: string): HarnessError =>
  new HarnessError('gate_refused', why, { details: { refusal: 'edit_invalid' } });

async function postEdit(editing: EditRequest, form: FormData): Promise<Response> {
  const { at, view, draft } = editing;
  const { c, deps, run, gate, actor } = at;
  const texts = postedTexts(editing, form);
  const comment = formText(form.get('comment'));
  try {
    const shownMs = checkForm(at, form);
    if (formText(form.get('do')) === 'drop') {
      await saveEditDraft(editing, form, editing.design.files);
      return c.redirect(gateHref(at.key, gate), 303);
    }
    const result = await saveEditDraft(editing, form);
    if (result !== 'saved') throw createEditRefusal(DRAFT_REFUSALS[result]);
    if (formText(form.get('do')) !== 'approve') return await sendEdit(editing, { texts, comment });
    const answers = answersTo(view.pack, (field) => draft.answers.get(field) ?? '');
    await deps.decide({
      ...{ run: run.dir, gate, decision: 'edit_approve', edits: texts, confirm: formText(form.get('confirm')) },
      ...{ digest: formText(form.get('digest')), nonce: formText(form.get('nonce')), actor, via: 'page', shownMs },
      comment: formatComment({ anchored: draft.anchored, answers, notes: comment }),
    });
    await dropDrafts(at);
    return c.redirect(gateHref(at.key, gate), 303);
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    const notice = renderAlert('bad', 'Nothing was recorded.', describeError(error));
    return sendEdit(editing, { texts, comment, notice, status: httpStatus(error) === 422 ? 422 : 409 });
  }
}

/** Saves texts and notes as the draft of the person who posted them. */
export async function saveEditDraft(
  editing: EditRequest,
  form: FormData,
  texts: FileTexts = postedTexts(editing, form),
) {
  const { at, digest, design } = editing;
  const notes = form.get('comment');
  if (typeof notes === 'string') await saveDraftFields(at, digest, new Map([['comment', formText(notes)]]));
  return saveEdit(at, { digest, files: design.files }, texts);
}

/** White space at the ends of a file is kept; a missing field leaves its file unchanged. */
function postedTexts({ design, texts }: EditRequest, form: FormData): FileTexts {
  return Object.fromEntries(
    Object.entries(design.files).map(([name, before]) => {
      const posted = form.get(`file.${name}`);
      return [name, typeof posted === 'string' ? decodeField(posted, before) : (texts[name] ?? before)];
    }),
  );
}

function ruleTexts(texts: FileTexts, id: string, form: FormData) {
  const now = readRuleFields(texts[RULES] ?? '', id);
  return new Map(
    RULE_FIELDS.flatMap((field) => {
      const posted = form.get(`rule.${field}`);
      const before = now?.get(field);
      return typeof posted !== 'string' || before === undefined ? [] : [[field, decodeField(posted, before)] as const];
    }),
  );
}

export async function openEditing(c: ReviewContext, deps: ReviewDeps, request?: GateRequest): Promise<EditRequest> {
  const at = request ?? (await gateRequest(c, deps));
  const { view, digest } = await readOpenView(at, 'Nothing can be edited.');
  const dir = getDesignDir(view.state, view.pack);
  const design = await deps.designs.read(at.run, dir);
  const written = await deps.drafts.of(at.run.dir, at.visitor.name);
  const texts = { ...design.files, ...editDraft(written, { gate: at.gate, digest }) };
  return { at, view, digest, dir, design, texts, draft: selectDraft(written, at.gate, digest) };
}

async function sendEdit({ at, view, dir, design, draft }: EditRequest, shown: ShownEdit): Promise<Response> {
  const { texts, comment, notice, status = 200 } = shown;
  const { c, deps, key, run, gate } = at;
  const isEdited = Object.entries(texts).some(([name, text]) => text !== design.files[name]);
  const isPosted = c.req.method === 'POST';
  const body = editPage({
    ...{ key, view, design, texts, comment, notice, form: newForm(at), drafts: draft.anchored, isEdited },
    // A saved edit is checked when it is shown, so that it can be approved at once.
    check: isPosted || isEdited ? await deps.designs.check(run, dir, texts) : undefined,
  });
  return sendPage(c, deps, { title: `Edit ${gate}`, here: 'queue', bar: true, body, status });
}

function sendRule({ at, view, texts }: EditRequest, id: string): Response {
  const { c, deps, key } = at;
  const fields = readRuleFields(texts[RULES] ?? '', id);
  if (fields === undefined) {
    throw new HarnessError('not_found', `There is no rule ${id} that a form could edit: edit the file as a whole.`);
  }
  const body = editRulePage({ key, view, id, fields, form: newForm(at).token });
  return sendPage(c, deps, { title: `Edit ${id}`, here: 'queue', body });
}
