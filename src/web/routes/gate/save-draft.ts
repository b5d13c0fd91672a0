/** A reviewer's unsent answer: saved until it is sent, and not after this reviewer has answered. */
import { isSameActor } from '../../../gate/rules/same-actor.ts';
import { readState } from '../../../run-folder/snapshot.ts';
import {
  selectDraft,
  draftFields,
  editedFile,
  NOTES_FIELD,
  withFields,
  type AnswerDraft,
} from '../../read/answer-drafts.ts';
import { formText } from '../posted-form.ts';
import type { GateRequest } from './gate-request.ts';

export type DraftSaveResult = 'saved' | 'full' | 'answered';

export const DRAFT_REFUSALS: Readonly<Record<Exclude<DraftSaveResult, 'saved'>, string>> = {
  full: 'So many comments fit into no answer: send those that you have first.',
  answered: 'You have answered this gate already.',
};

type DraftRequest = Pick<GateRequest, 'run' | 'gate' | 'visitor' | 'actor' | 'deps'>;

export async function saveDraftFields(
  { run, gate, visitor, actor, deps }: DraftRequest,
  digest: string,
  fields: ReadonlyMap<string, string>,
): Promise<DraftSaveResult> {
  let result: DraftSaveResult = 'saved';
  await deps.drafts.change(run.dir, visitor.name, async (now) => {
    // Checked in turn with other writers: a field that arrives after the reviewer's own answer would never be removed.
    const { decisions } = await readState(run);
    if (decisions.some((one) => one.gate === gate && one.digest === digest && isSameActor(one.actor, actor))) {
      result = 'answered';
      return undefined;
    }
    const next = withFields(now, { gate, digest }, fields);
    if (next === undefined) result = 'full';
    return next;
  });
  return result;
}

/** The fields of a decision form. Edited files come through the form that knows their line ends and their marks. */
export function postedDraft(form: FormData): Map<string, string> {
  const names = [...new Set(form.keys())].filter((name) => editedFile(name) === undefined);
  return new Map(names.map((name) => [name, formText(form.get(name))]));
}

/** The texts of an edit form, by file: one that is as in the design is no draft. */
export function saveEdit(
  at: DraftRequest,
  { digest, files }: { digest: string; files: Readonly<Record<string, string>> },
  texts: Readonly<Record<string, string>>,
): Promise<DraftSaveResult> {
  const fields = Object.entries(texts).map(
    ([name, text]) => [`file.${name}`, text === files[name] ? '' : text] as const,
  );
  return saveDraftFields(at, digest, new Map(fields));
}

/** A whole form that was posted for something else than an answer. */
export function saveDraft(at: DraftRequest, digest: string, draft: AnswerDraft): Promise<DraftSaveResult> {
  return saveDraftFields(at, digest, draftFields(draft));
}

/** They went with the answer. */
export function dropDrafts({ run, visitor, deps }: DraftRequest): Promise<void> {
  return deps.drafts.change(run.dir, visitor.name, async () => []);
}

/** In place of the digest of a design: written between two gates, and offered at the next one. */
const BETWEEN_GATES = 'between gates';
const MOST_NOTES = 20_000;

export const NOTE_REFUSALS = {
  over: 'This run has ended: its agents read nothing any more. Begin another one, or fork this one (tandem fork).',
  full: 'Your notes are as long as notes may be: send them first.',
} as const;

/** One line more in the notes of this reviewer's next answer: at the gate that waits, or else at the next one. */
export async function addToNotes(
  { run, visitor, actor, deps }: Omit<DraftRequest, 'gate'>,
  line: string,
): Promise<{ gate: string; waits: boolean } | keyof typeof NOTE_REFUSALS> {
  const state = await readState(run);
  if ('verdict' in state) return 'over';
  const open = state.status === 'awaiting_approval' ? state.gate : undefined;
  const waits =
    open !== undefined &&
    !state.decisions.some((one) => one.gate === open.id && one.digest === open.digest && isSameActor(one.actor, actor));
  const at = {
    gate: open?.id ?? `HITL-1.r${Math.max(1, state.round)}`,
    digest: waits ? open.digest : BETWEEN_GATES,
  };
  let isFull = false;
  await deps.drafts.change(run.dir, visitor.name, async (now) => {
    const notes = [selectDraft(now, at.gate, at.digest).notes, line].filter((text) => text !== '').join('\n');
    const next = notes.length > MOST_NOTES ? undefined : withFields(now, at, new Map([[NOTES_FIELD, notes]]));
    isFull = next === undefined;
    return next;
  });
  return isFull ? 'full' : { gate: at.gate, waits };
}
