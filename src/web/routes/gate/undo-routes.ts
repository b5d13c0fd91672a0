/** Takes a decision back by the page's form; its text and edits become its writer's draft again. */
import { Hono } from 'hono';
import { isHarnessError, describeError } from '../../../errors.ts';
import type { UndoneDecision } from '../../../run/state.ts';
import { requireDecisionRight } from '../../guard/authorization.ts';
import type { Visitor } from '../../guard/visitor.ts';
import { gateHref } from '../../pages/page-links.ts';
import { renderAlert } from '../../pages/layout.ts';
import { findRun } from '../../read/find-run.ts';
import type { ReviewDeps } from '../../web-deps.ts';
import { checkForm, GATE_PATH, gateRequest, readView } from './gate-request.ts';
import { formText, visitorActor, postedFields } from '../posted-form.ts';
import { httpStatus, type ReviewEnv } from '../respond.ts';
import { sendGate } from './send-gate.ts';
import { splitComment } from '../../../gate/rules/comment-parts.ts';
import type { GateDecision } from '../../../gate/rules/gate.ts';
import type { RunFolder } from '../../../ports/run-store.ts';
import { designDir } from '../../../run/layout.ts';
import { withFields } from '../../read/answer-drafts.ts';

export function undoRoutes(deps: ReviewDeps): Hono<ReviewEnv> {
  return new Hono<ReviewEnv>().post(`${GATE_PATH}/undo`, async (c) => {
    const at = await gateRequest(c, deps);
    const { key, gate, visitor } = at;
    const form = await postedFields(c);
    try {
      checkForm(at, form);
      await undoForVisitor({ key, gate, whose: formText(form.get('whose')) || undefined }, visitor, deps);
      return c.redirect(gateHref(key, gate), 303);
    } catch (error) {
      if (!isHarnessError(error)) throw error;
      const notice = renderAlert('bad', 'Nothing was taken back.', describeError(error));
      return sendGate(at, await readView(at), { notice, status: httpStatus(error) === 403 ? 403 : 409 });
    }
  });
}

type UndoTarget = { key: string; gate: string; whose: string | undefined };

async function undoForVisitor(request: UndoTarget, visitor: Visitor, deps: ReviewDeps): Promise<UndoneDecision> {
  const { key, gate, whose } = request;
  const run = await findRun(deps.store, key);
  // A personal link is for one design; a decision on that design may be taken back with it.
  requireDecisionRight(visitor, { scenario: run.scenario, key, gate, digest: visitor.only?.digest ?? '' }, deps);
  const base = { run: run.dir, gate, comment: '', actor: visitorActor(visitor), via: 'page' };
  const undone = await deps.undo(whose === undefined ? base : { ...base, whose });
  await restoreDraft(run, undone.decision, deps);
  return undone;
}

/** A draft that the writer has started since then is left alone. */
async function restoreDraft(run: RunFolder, decision: GateDecision, deps: ReviewDeps): Promise<void> {
  const { gate, digest, actor } = decision;
  if (!actor.startsWith('user:')) return;
  const fields = new Map([...toDraftFields(decision), ...(await readEditedFiles(run, decision, deps))]);
  await deps.drafts.change(run.dir, actor.slice('user:'.length), async (now) =>
    now.some((one) => one.gate === gate && one.digest === digest)
      ? undefined
      : withFields(now, { gate, digest }, fields),
  );
}

function toDraftFields({ comment }: GateDecision): Map<string, string> {
  const fields = new Map<string, string>();
  for (const { anchor, text } of splitComment(comment)) {
    const field = anchor === undefined ? 'comment' : `on.${anchor}`;
    const words = anchor === undefined ? text : text.slice(anchor.length + 2);
    fields.set(field, [...(fields.has(field) ? [fields.get(field)] : []), words].join('\n'));
  }
  return fields;
}

async function readEditedFiles(
  run: RunFolder,
  { round, editedDir }: GateDecision,
  { designs }: ReviewDeps,
): Promise<Map<string, string>> {
  if (editedDir === undefined) return new Map();
  const [before, edited] = [await designs.read(run, designDir(round)), await designs.read(run, editedDir)];
  const changed = Object.entries(edited.files).filter(([name, text]) => before.files[name] !== text);
  return new Map(changed.map(([name, text]) => [`file.${name}`, text]));
}
