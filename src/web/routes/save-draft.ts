/** What a reviewer has written and not sent: kept while it waits for an answer, and not behind one's own. */
import { isSameActor } from '../../gate/rules/same-actor.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Visitor } from '../guard/visitor.ts';
import { draftFields, withFields, type AnswerDraft, type DraftForGate } from '../read/answer-drafts.ts';
import type { ReviewDeps } from '../web-deps.ts';
import { visitorActor } from './posted-form.ts';
import { readState } from '../../run-folder/snapshot.ts';

export type DraftSaveResult = 'kept' | 'full' | 'answered';

export async function saveDraftFields(
  run: RunFolder,
  at: DraftForGate,
  fields: ReadonlyMap<string, string>,
  visitor: Visitor,
  { drafts }: Pick<ReviewDeps, 'drafts'>,
): Promise<DraftSaveResult> {
  let kept: DraftSaveResult = 'kept';
  await drafts.change(run.dir, visitor.name, async (now) => {
    // Asked in one's turn: a field that comes after one's own answer would stay behind for ever.
    if (await hasAnswered(run, at, visitor)) {
      kept = 'answered';
      return undefined;
    }
    const next = withFields(now, at, fields);
    if (next === undefined) kept = 'full';
    return next;
  });
  return kept;
}

async function hasAnswered(run: RunFolder, { gate, digest }: DraftForGate, visitor: Visitor): Promise<boolean> {
  const { decisions } = await readState(run);
  return decisions.some(
    (one) => one.gate === gate && one.digest === digest && isSameActor(one.actor, visitorActor(visitor)),
  );
}

/** A whole form that was posted for something else than an answer. */
export function saveDraft(
  run: RunFolder,
  at: DraftForGate,
  draft: AnswerDraft,
  visitor: Visitor,
  deps: Pick<ReviewDeps, 'drafts'>,
): Promise<DraftSaveResult> {
  return saveDraftFields(run, at, draftFields(draft), visitor, deps);
}

/** It went with the answer, or its writer has seen it and let it go. */
export function dropDrafts(run: RunFolder, visitor: Visitor, { drafts }: Pick<ReviewDeps, 'drafts'>): Promise<void> {
  return drafts.change(run.dir, visitor.name, async () => []);
}
