/** A reviewer's unsent answer: the part for the current gate, the earlier parts, and the size limits. */
import { parseAnchor } from '../../gate/rules/comment-parts.ts';
import type { StoredDraft } from '../../ports/drafts.ts';
import { DESIGN_FILES } from '../../scenario/design.ts';

/** Unsent comments by anchor, notes, and answers to the agent's questions by field. */
export type AnswerDraft = {
  anchored: ReadonlyMap<string, string>;
  notes: string;
  answers: ReadonlyMap<string, string>;
};

/** The design that a draft is about. */
export type DraftForGate = { gate: string; digest: string };

/** The name of the notes field. */
export const NOTES_FIELD = 'comment';
const ANSWER = /^q[1-9]\d?(?:\.more)?$/;
/** The maximum number of comments at one gate, and the maximum length of each kind of text. */
const MOST_COMMENTS = 60;
const MOST_CHARS = { comment: 2000, notes: 20_000, file: 512 * 1024 };

/** Only fields of the decision form and the edit form are saved. */
function isDraftField(field: string): boolean {
  return (
    field === NOTES_FIELD ||
    ANSWER.test(field) ||
    editedFile(field) !== undefined ||
    parseAnchor(anchorIn(field) ?? '') !== undefined
  );
}

/** Returns the name of the design file that the draft edits. */
export function editedFile(field: string): string | undefined {
  return DESIGN_FILES.find((name) => field === `file.${name}`);
}

/** Returns the edited files as a whole. */
export function editDraft(written: readonly StoredDraft[], at: DraftForGate): Record<string, string> {
  const mine = written.filter(({ gate, digest }) => gate === at.gate && digest === at.digest);
  const files = mine.map(({ field, text }) => [editedFile(field), text] as const);
  return Object.fromEntries(files.filter(([name]) => name !== undefined));
}

function anchorIn(field: string): string | undefined {
  return field.startsWith('on.') ? field.slice(3) : undefined;
}

/** An empty text removes its field. Returns undefined when a limit is exceeded. */
export function withFields(
  written: readonly StoredDraft[],
  at: DraftForGate,
  fields: ReadonlyMap<string, string>,
): StoredDraft[] | undefined {
  const known = new Map(written.map((one) => [toDraftKey(one), one]));
  for (const [field, typed] of fields) {
    if (!isDraftField(field)) continue;
    const isFile = editedFile(field) !== undefined;
    // A file is never cut, because half a file is no edit.
    if (isFile && typed.length > MOST_CHARS.file) return undefined;
    const most = isFile ? MOST_CHARS.file : field === NOTES_FIELD ? MOST_CHARS.notes : MOST_CHARS.comment;
    const text = typed.slice(0, most).toWellFormed();
    const one = { ...at, field, text };
    if (text.trim() === '') known.delete(toDraftKey(one));
    else known.set(toDraftKey(one), one);
  }
  const all = [...known.values()];
  const here = all.filter(({ gate, digest }) => gate === at.gate && digest === at.digest);
  return here.length > MOST_COMMENTS ? undefined : all;
}

function toDraftKey({ gate, digest, field }: StoredDraft): string {
  return JSON.stringify([gate, digest, field]);
}

/** Without a digest (a gate that no longer waits), drafts for any of the gate's designs are used. */
export function selectDraft(written: readonly StoredDraft[], gate: string, digest: string | undefined): AnswerDraft {
  const mine = written.filter((one) => one.gate === gate && (digest === undefined || one.digest === digest));
  return {
    anchored: new Map(mine.flatMap(({ field, text }) => (field.startsWith('on.') ? [[field.slice(3), text]] : []))),
    notes: mine.findLast(({ field }) => field === NOTES_FIELD)?.text ?? '',
    answers: new Map(mine.flatMap(({ field, text }) => (ANSWER.test(field) ? [[field, text]] : []))),
  };
}

/** Lists drafts about earlier designs: those of earlier rounds, and those of this round before an edit. */
export function listEarlierDrafts(written: readonly StoredDraft[], { gate, digest }: DraftForGate): StoredDraft[] {
  return written.filter((one) => one.gate !== gate || one.digest !== digest);
}

/** Formats the draft as text, for pages that do not show its form. */
export function writtenText({ field, text }: Pick<StoredDraft, 'field' | 'text'>): string {
  const anchor = anchorIn(field);
  if (anchor !== undefined) return `${anchor}: ${text}`;
  return ANSWER.test(field) ? `To your question ${/\d+/.exec(field)?.[0] ?? ''}: ${text}` : text;
}

/** Adds earlier drafts to the current one: to their rule where it still exists, otherwise to the notes. */
export function carryOverDrafts(
  draft: AnswerDraft,
  earlier: readonly StoredDraft[],
  rules: ReadonlySet<string>,
): AnswerDraft {
  const anchored = new Map(draft.anchored);
  const notes = draft.notes === '' ? [] : [draft.notes];
  for (const one of earlier) {
    if (editedFile(one.field) !== undefined) continue;
    const anchor = anchorIn(one.field);
    const rule = /^R\d+$/.exec(anchor ?? '')?.[0];
    if (rule === undefined || !rules.has(rule)) notes.push(writtenText(one));
    else anchored.set(rule, [...new Set([anchored.get(rule) ?? '', one.text])].filter(Boolean).join('\n'));
  }
  return { ...draft, anchored, notes: notes.join('\n') };
}

/** Maps the draft to the fields in which it is saved. */
export function draftFields({ anchored, notes, answers }: AnswerDraft): Map<string, string> {
  return new Map([
    ...[...anchored].map(([anchor, text]) => [`on.${anchor}`, text] as const),
    [NOTES_FIELD, notes],
    ...answers,
  ]);
}
