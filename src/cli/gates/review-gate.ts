/** Reviews one gate on the terminal: shows its screen once, then reads keys until it is answered or left. */
import { createReviewMark } from '../../gate/review-mark.ts';
import type { ReviewPack } from '../../gate/rules/review-pack.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { renderDiffTerminal } from '../../report/gate/diff-terminal.ts';
import { renderReviewTerminal, type ReviewScreenState } from '../../report/gate/review-terminal.ts';
import { coverageText } from '../../report/gate/review-texts.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import type { RunState } from '../../run/state.ts';
import type { Decision } from '../../gate/decide.ts';
import { createAsk, askToConfirm, type AskQuestion } from './ask-reviewer.ts';
import { editDesign } from './edit-design.ts';
import { terminalSize, type Io } from '../command-context.ts';

export type ReviewOutcome = Pick<Decision, 'decision' | 'comment' | 'edits' | 'confirm'> | 'next' | 'quit';

type GateToReview = {
  run: RunFolder;
  state: Extract<RunState, { status: 'awaiting_approval' }>;
  /** The frozen pack, with the changes since this reviewer's own last decision. */
  pack: ReviewPack;
  moment: ReviewScreenState;
  left: number;
  marks: ReviewMarks;
};
/** Marks that this reviewer has set on rules, here or on the page, at any gate of the run. */
export type ReviewMarks = { set: Set<string>; keep: (mark: string, isSet: boolean) => Promise<void> };
/** Marks that are kept nowhere, where a gate is shown once. */
export const forgetMarks = (): ReviewMarks => ({ set: new Set(), keep: () => Promise.resolve() });
/** State of a review: the rows and the current one, the notes so far, and the terminal. */
type ReviewProgress = {
  gate: GateToReview;
  rows: readonly ReviewRow[];
  at: number;
  notes: string[];
  io: Io;
  ask: AskQuestion;
  signal: AbortSignal;
};
type ReviewRow = { id: string; text: string; evidence: readonly string[]; mark: string | undefined };

const HELP = [
  'j k  next and previous row        o  evidence of the row',
  'c    note on the row              d  full diff',
  'v    reviewed, or not any more',
  'a    approve                      e  edit the design, then approve',
  'r    request changes              x  reject, which ends the run',
  'J    next gate, this one stays    q  stop',
];
const LONGEST_TRACE = 40;

export async function reviewGate(gate: GateToReview, io: Io, signal: AbortSignal): Promise<ReviewOutcome> {
  const size = terminalSize(io, 100);
  for (const line of renderReviewTerminal(gate.pack, size, { ...gate.moment, keys: [], prompt: true })) io.err(line);
  const rows = listReviewRows(gate.pack, gate.marks.set);
  const done = rows.filter((row) => isDone(row, gate.marks.set)).length;
  if (done > 0) io.err(`${done} of ${rows.length} rows you have reviewed already: they come last.`);
  const reading = { gate, rows, at: -1, notes: [], io, ask: createAsk(io, signal, 'q'), signal };
  for (;;) {
    const key = await reading.ask(
      `${gate.pack.gate} [a] approve [e] edit [r] changes [x] reject [j] [k] rows [?] keys > `,
    );
    const answer = await handleKey(key, reading);
    if (answer !== undefined) return answer;
    if (key === 'd') for (const line of renderDiffTerminal(gate.pack, size)) io.err(line);
  }
}

async function handleKey(key: string, reading: ReviewProgress): Promise<ReviewOutcome | undefined> {
  const { gate, io, ask } = reading;
  const row = reading.rows[reading.at];
  switch (key) {
    case 'j':
    case 'k':
      moveToRow(reading, key === 'j' ? 1 : -1);
      return undefined;
    case 'o':
      await showEvidence(gate.run, row, io);
      return undefined;
    case 'c': {
      const note = await ask(`Note on ${row?.id ?? 'everything'} > `);
      if (note !== '') reading.notes.push(row === undefined ? note : `${row.id}: ${note}`);
      return undefined;
    }
    case 'v':
      await toggleMark(reading, row);
      return undefined;
    case 'a':
      return askToApprove(reading);
    case 'e':
      return askToApproveEdited(reading);
    case 'r':
      return askForComment('request_changes', 'What must change? > ', reading);
    case 'x':
      return askForComment('reject', 'Rejecting ends the run. Why? > ', reading);
    case 'J':
      io.err(gate.left === 0 ? 'This is the last gate that waits.' : `${gate.left} more wait.`);
      return 'next';
    case 'q':
      return 'quit';
    case '?':
      for (const line of HELP) io.err(line);
      return undefined;
    default:
      return undefined;
  }
}

/** Rows that were reviewed before come last. */
function listReviewRows(pack: ReviewPack, marks: ReadonlySet<string>): ReviewRow[] {
  const isRule = ({ id }: Omit<ReviewRow, 'mark'>): boolean => pack.rules.some((rule) => rule.id === id);
  const rows = listUnmarkedRows(pack).map((row) => {
    const mark = isRule(row) ? createReviewMark(row.id, pack) : undefined;
    const covered = coverageText(pack, row.id);
    if (covered === undefined || row.id === 'format') return { ...row, mark };
    return { ...row, mark, text: `${row.text}\n${covered}` };
  });
  return rows.toSorted((one, other) => Number(isDone(one, marks)) - Number(isDone(other, marks)));
}

function isDone({ mark }: ReviewRow, marks: ReadonlySet<string>): boolean {
  return mark !== undefined && marks.has(mark);
}

async function toggleMark({ gate: { marks }, io }: ReviewProgress, row: ReviewRow | undefined): Promise<void> {
  if (row?.mark === undefined) return io.err('Go to a rule first (j): a mark is for one rule.');
  const isSet = !marks.set.has(row.mark);
  await marks.keep(row.mark, isSet);
  if (isSet) marks.set.add(row.mark);
  else marks.set.delete(row.mark);
  io.err(
    isSet ? `${row.id} is reviewed, until its text, source or cases change.` : `${row.id} is not reviewed any more.`,
  );
}

function listUnmarkedRows({ since, rules }: ReviewPack): Omit<ReviewRow, 'mark'>[] {
  if (since.round === null)
    return rules.map(({ id, title, text }) => ({ id, text: `${title}: ${text}`, evidence: [] }));
  const changes = since.rules.map(({ id, kind, title, before, after, reason, evidence }) => {
    const words = [
      before === undefined ? '' : `− ${before}`,
      after === undefined ? '' : `+ ${after}`,
      reason === undefined ? '' : `because ${reason}`,
    ];
    return { id, text: [`${title} (${kind})`, ...words.filter((part) => part !== '')].join('\n'), evidence };
  });
  return [...changes, ...since.format.map((text) => ({ id: 'format', text, evidence: [] }))];
}

function moveToRow(reading: ReviewProgress, by: number): void {
  const { io } = reading;
  reading.at = Math.min(reading.rows.length - 1, Math.max(0, reading.at + by));
  const row = reading.rows[reading.at];
  if (row === undefined) return io.err('There is no row: nothing of the rules or the format changed.');
  io.err('');
  const done = isDone(row, reading.gate.marks.set) ? ' [reviewed]' : '';
  for (const line of terminalLines(`${reading.at + 1}/${reading.rows.length}  ${row.id}${done} ${row.text}`))
    io.err(line);
  if (row.evidence.length > 0) io.err(terminalText(`evidence: ${row.evidence.join(', ')}`));
}

/** Shows the first trace that the row names, cut to one screen; only traces of this run are ever opened. */
async function showEvidence(run: RunFolder, row: ReviewRow | undefined, io: Io): Promise<void> {
  const path = row?.evidence.find((one) =>
    /^execution_outputs\/iteration_\d+\/traces\/[\p{L}\p{M}\p{N}-]+\.\d+\.jsonl$/u.test(one),
  );
  const text = path === undefined ? undefined : await run.read(path);
  if (path === undefined || text === undefined) return io.err('This row names no trace that can be opened here.');
  io.err(path);
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines.slice(0, LONGEST_TRACE)) io.err(terminalText(line).slice(0, 400));
  if (lines.length > LONGEST_TRACE) io.err(`… and ${lines.length - LONGEST_TRACE} lines more.`);
}

async function askToApprove(reading: ReviewProgress): Promise<ReviewOutcome | undefined> {
  const confirm = await askToConfirm(reading.gate.pack, reading.ask);
  if (confirm === undefined) return undefined;
  const note = await reading.ask('A note for both agents (empty for none) > ');
  return { decision: 'approve', comment: joinComment(reading, note), confirm };
}

async function askToApproveEdited(reading: ReviewProgress): Promise<ReviewOutcome | undefined> {
  const { gate, notes, io, ask, signal } = reading;
  const edits = await editDesign(gate, io, signal);
  const confirm = edits === undefined ? undefined : await askToConfirm(gate.pack, ask);
  if (edits === undefined || confirm === undefined) return undefined;
  const isSure = (await ask('Approve the edited design? [y/N] > ')).toLowerCase() === 'y';
  return isSure ? { decision: 'edit_approve', comment: notes.join('\n'), edits, confirm } : undefined;
}

async function askForComment(
  decision: 'request_changes' | 'reject',
  question: string,
  reading: ReviewProgress,
): Promise<ReviewOutcome | undefined> {
  const comment = joinComment(reading, await reading.ask(question));
  return comment === '' ? undefined : { decision, comment };
}

/** Puts the notes on rows first; a blank line ends the text that belongs to the last of them. */
function joinComment({ notes }: ReviewProgress, words: string): string {
  return [notes.join('\n'), words].filter((part) => part.trim() !== '').join('\n\n');
}
