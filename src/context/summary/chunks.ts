/**
 * A summary in a separate session, from the conversation as lines of text: for a span that does not fit one request (docs/internals/compaction-cases.md T23),
 * and for a summarizer that is another model (S1.13).
 */
import { takeHeadByTokens, estimateText } from '../../transcript/tokens.ts';
import { fillTemplate } from '../../transcript/fill-template.ts';
import { formatTranscript } from '../../transcript/transcript-lines.ts';
import { createUserMessage, type Message } from '../../transcript/message.ts';
import { currentSummaries } from './archives.ts';
import { toSnapshot, type EntriesOrSnapshot } from '../context-snapshot.ts';
import { type Core, fieldsOf } from '../core.ts';
import type { Cut, CutContext } from '../plan/compaction-cut.ts';
import { leavingEntries, requestText } from './summary-request.ts';
import { readSummary } from './summary.ts';
import { escapeTags, wrapInTag } from '../fact-tags.ts';

/** A longer span is not summarised in parts, because each part costs a call. */
const MOST_PARTS = 40;
/** Share of a part for one line at most, so that one huge result does not fill a part. */
const LINE_SHARE = 0.25;

export type Chunks = {
  parts: number;
  /** The request for one part; `before` is the summary of the parts before it, `fault` the fault of the last answer. */
  request(part: number, before: string | undefined, fault?: string): { messages: Message[]; maxTokens: number };
};

/** Contract: undefined when the policy has no prompt for it, the window no room, or the span too many parts. */
// oxlint-disable-next-line max-params -- a public signature
export function chunksOf(
  transcript: EntriesOrSnapshot,
  core: Core,
  cut: Cut,
  window = core.budget.window,
): Chunks | undefined {
  const { policy, prompts } = core;
  if (prompts.chunk === undefined || cut.by === 'code') return undefined;
  const { ratio } = cut.pressure;
  const context: CutContext = { snapshot: toSnapshot(transcript), core, cut };
  const { maxOutputTokens, maxTokens } = policy.summary;
  const taken =
    maxOutputTokens +
    2 * maxTokens +
    (cut.pressure.floor + estimateText(requestText(context)) + estimateText(prompts.chunk)) * ratio;
  const room = Math.floor(((window - taken) / ratio) * 0.95);
  if (room < 1000) return undefined;
  const most = Math.floor(room * LINE_SHARE);
  const lines = formatTranscript(leavingEntries(context)).map((line) => takeHeadByTokens(escapeTags(line), most));
  const pieces = packLines(lines, room);
  if (pieces.length > MOST_PARTS) return undefined;
  const { chunk } = prompts;
  const earlier = currentSummaries(context.snapshot.projection.compaction).filter(
    (text) => !cut.archives.includes(text),
  );
  const first = earlier.length === 0 ? '(none)' : escapeTags(earlier.join('\n'));
  return {
    parts: pieces.length,
    request(part, before, fault) {
      const values = { part: part + 1, parts: pieces.length, before: before ?? first };
      const own = wrapInTag('transcript_lines', (pieces[part] ?? []).join('\n'));
      const text = `${fillTemplate(chunk, { ...values, lines: own })}\n\n${requestText(context, { fault })}`;
      return { messages: [createUserMessage(text)], maxTokens: maxOutputTokens };
    },
  };
}

/** The summary of one part for the request of the next; undefined when it cannot be read. */
export function readPart(answer: string, core: Core): string | undefined {
  const read = readSummary(answer, fieldsOf(core));
  return read.ok ? escapeTags(takeHeadByTokens(read.text, core.policy.summary.maxTokens)) : undefined;
}

function packLines(lines: readonly string[], room: number): string[][] {
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
