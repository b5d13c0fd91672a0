/**
 * A summary in a session of its own, from the conversation written out as lines: for a span that does not fit one request
 * (docs/compaction-cases.md T23), and for a summarizer that is another model (S1.13).
 */
import { headByTokens } from '../../transcript/cut-text.ts';
import { fill } from '../../transcript/fill-template.ts';
import { renderLines } from '../../transcript/transcript-lines.ts';
import { userText } from '../../transcript/message.ts';
import { estimateText } from '../../transcript/tokens.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { Message } from '../../transcript/message.ts';
import { currentSummaries } from './archives.ts';
import type { Core } from '../core.ts';
import type { Cut } from '../plan/compaction-cut.ts';
import { requestText } from './summary-request.ts';
import { readSummary } from './summary.ts';
import { fieldsOf } from '../core.ts';
import { escapeTags, tagged } from '../fact-tags.ts';
import { latestCompaction, liveEntries } from '../view/view.ts';

/** Above this nothing is summarised in parts: each part costs a call. */
const MOST_PARTS = 40;
/** Of a part's room for one line at most, so that one huge result does not take a part for itself. */
const LINE_SHARE = 0.25;

export type Chunks = {
  parts: number;
  /** The request for one part; `before` is the summary of those before it, `fault` what was wrong with the last answer. */
  request(part: number, before: string | undefined, fault?: string): { messages: Message[]; maxTokens: number };
};

/** Contract: undefined when the policy has no prompt for it, the window no room, or the span too many parts. */
export function chunksOf(
  entries: readonly Entry[],
  core: Core,
  cut: Cut,
  window = core.budget.window,
): Chunks | undefined {
  const { policy, prompts } = core;
  if (prompts.chunk === undefined || cut.by === 'code') return undefined;
  const { ratio } = cut.pressure;
  const asked = requestText(entries, core, cut);
  const { maxOutputTokens, maxTokens } = policy.summary;
  const taken =
    maxOutputTokens + 2 * maxTokens + (cut.pressure.floor + estimateText(asked) + estimateText(prompts.chunk)) * ratio;
  const room = Math.floor(((window - taken) / ratio) * 0.95);
  if (room < 1000) return undefined;
  const pieces = pack(coveredLines(entries, cut, room), room);
  if (pieces.length > MOST_PARTS) return undefined;
  const { chunk } = prompts;
  const earlier = currentSummaries(latestCompaction(entries)).filter((text) => !cut.archives.includes(text));
  const first = earlier.length === 0 ? '(none)' : escapeTags(earlier.join('\n'));
  return {
    parts: pieces.length,
    request(part, before, fault) {
      const values = { part: part + 1, parts: pieces.length, before: before ?? first };
      const lines = tagged('transcript_lines', (pieces[part] ?? []).join('\n'));
      const text = `${fill(chunk, { ...values, lines })}\n\n${requestText(entries, core, cut, { fault })}`;
      return { messages: [userText(text)], maxTokens: maxOutputTokens };
    },
  };
}

/** The summary of one part as it is shown to the next; undefined when it cannot be read. */
export function readPart(answer: string, core: Core): string | undefined {
  const read = readSummary(answer, fieldsOf(core));
  return read.ok ? escapeTags(headByTokens(read.text, core.policy.summary.maxTokens)) : undefined;
}

function coveredLines(entries: readonly Entry[], { coversThrough, named }: Cut, room: number): string[] {
  const live = liveEntries(entries);
  const end = live.findIndex(({ id }) => id === coversThrough);
  const gone = new Set(named);
  const most = Math.floor(room * LINE_SHARE);
  return renderLines(live.filter(({ id }, place) => place <= end || gone.has(id))).map((line) =>
    headByTokens(escapeTags(line), most),
  );
}

function pack(lines: readonly string[], room: number): string[][] {
  const pieces: string[][] = [];
  let left = 0;
  for (const line of lines) {
    const tokens = estimateText(line) + 1;
    if (pieces.length === 0 || tokens > left) {
      pieces.push([]);
      left = room;
    }
    pieces.at(-1)?.push(line);
    left -= tokens;
  }
  return pieces;
}
