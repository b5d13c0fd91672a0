/** What the model is about to put out, before it is signed; and where it is cut off. */
import type { ScriptedReply } from './scripts/find-reply.ts';
import { type Submission, isThinking } from './request/submission.ts';
import { textTokens } from './request/tokens.ts';

export type BlockDraft =
  | { type: 'thinking'; text: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; name: string; input: Record<string, unknown>; json: string };

/** Manual thinking opens every message; the adaptive kind comes where the script says so. */
const MANUAL_THOUGHT = 'The next step is clear.';

export function draftBlocks(submission: Submission, { think, say, calls }: ScriptedReply): BlockDraft[] {
  const thought = thoughtFor(submission, think);
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking' as const, text: thought }]),
    ...(say === undefined ? [] : [{ type: 'text' as const, text: say }]),
    ...calls.map(({ name, input }) => ({ type: 'tool_use' as const, name, input, json: JSON.stringify(input) })),
  ];
}

function thoughtFor(submission: Submission, think: string | undefined): string | undefined {
  const type = submission.request.thinking?.type;
  if (type === 'enabled') return think ?? MANUAL_THOUGHT;
  // What is written between tool calls comes back as thinking, although thinking is off.
  if (type === 'between_tools') {
    const answersTools = submission.turns.at(-1)?.blocks.some(({ block }) => block.type === 'tool_result') ?? false;
    return answersTools ? think : undefined;
  }
  return isThinking(submission) ? think : undefined;
}

export function draftTokens(drafts: readonly BlockDraft[], factor: number): number {
  return drafts.reduce((sum, draft) => sum + tokensOf(draft, factor), 0);
}

function tokensOf(draft: BlockDraft, factor: number): number {
  const text = draft.type === 'tool_use' ? draft.name + draft.json : draft.text;
  return Math.ceil(textTokens(text, factor));
}

/** The first stop sequence that occurs in visible text ends the output before it. */
export function cutAtSequence(
  drafts: BlockDraft[],
  sequences: readonly string[],
): { drafts: BlockDraft[]; sequence?: string } {
  for (const [index, draft] of drafts.entries()) {
    if (draft.type !== 'text') continue;
    const found = sequences
      .map((sequence) => ({ sequence, at: draft.text.indexOf(sequence) }))
      .filter(({ at }) => at !== -1)
      .toSorted((a, b) => a.at - b.at)[0];
    if (found === undefined) continue;
    const head: BlockDraft[] = found.at === 0 ? [] : [{ type: 'text', text: draft.text.slice(0, found.at) }];
    return { drafts: [...drafts.slice(0, index), ...head], sequence: found.sequence };
  }
  return { drafts };
}

/** Whole blocks as long as they fit, then a piece of the next: a tool's input may end in mid-word. */
export function cutDrafts(drafts: readonly BlockDraft[], budget: number, factor: number): BlockDraft[] {
  const whole: BlockDraft[] = [];
  let left = budget;
  for (const draft of drafts) {
    const tokens = tokensOf(draft, factor);
    if (tokens <= left) {
      whole.push(draft);
      left -= tokens;
      continue;
    }
    return [...whole, ...pieceOf(draft, left / tokens)];
  }
  return whole;
}

function pieceOf(draft: BlockDraft, share: number): BlockDraft[] {
  const whole = draft.type === 'tool_use' ? draft.json : draft.text;
  // A pair of surrogates is one character: half of it would not be text.
  const piece = whole.slice(0, Math.floor(whole.length * share)).replace(/[\ud800-\udbff]$/, '');
  if (piece.trim() === '') return [];
  return [draft.type === 'tool_use' ? { ...draft, input: {}, json: piece } : { ...draft, text: piece }];
}
