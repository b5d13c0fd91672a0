/** Compares how policies handled one conversation: a table, and a picture of every context over its calls. */
import { inputTokens } from '../../transcript/message.ts';
import type { Replay, ReplayCall } from '../../context-lab/replay/replay.ts';
import { formatCount, formatTokens, formatUsd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import {
  createPaint,
  createRowFormatter,
  type RowFormatter,
  type Span,
  type Style,
  type TerminalSize,
} from '../text/terminal-colors.ts';
import { terminalText } from '../text/sanitise.ts';
import { padEnd, wrapText } from '../text/width.ts';

export type ReplayHead = {
  title: string;
  assumptions: readonly string[];
  notes: readonly { line: number; text: string }[];
};

const STEPS = ' ▁▂▃▄▅▆▇█';
const MOST_NOTES = 5;
const HEADINGS = ['policy', 'calls', 'faults', 'stale', 'compact', 'peak', 'cached', 'facts', 'cost'] as const;
const WIDTHS = [16, 6, 7, 6, 8, 8, 8, 8, 9];

export function renderReplays(
  replays: readonly Replay[],
  head: ReplayHead,
  { columns, color }: TerminalSize,
): string[] {
  const width = Math.max(40, Math.floor(columns) || 40);
  const row = createRowFormatter(width, createPaint(color));
  const wrap = (style: Style) => (text: string) =>
    wrapText(terminalText(text), width).map((line) => row([style, line]));
  const dim = wrap('dim');
  return [
    row(['bold', head.title]),
    ...head.assumptions.flatMap((text) => dim(`- ${text}`)),
    ...formatNotes(head).flatMap(dim),
    '',
    row(['dim', formatCells(HEADINGS)]),
    ...replays.map((replay) => row(formatReplayRow(replay))),
    ...replays.flatMap(formatStop).flatMap(wrap('bad')),
    '',
    row(['bold', 'Tokens of each call']),
    ...drawReplays(replays, width, row),
    ...replays.flatMap(describeLostFacts).flatMap(dim),
  ];
}

function formatReplayRow(replay: Replay): Span {
  const faults = replay.calls.filter(({ fault }) => fault !== undefined).length;
  const stale = replay.calls.reduce((sum, call) => sum + call.staleThinking, 0);
  const { asked, kept } = replay.facts;
  const done = replay.rewrites.filter(({ entry }) => entry !== undefined).length;
  const input = inputTokens(replay.usage);
  const values = [
    replay.policy,
    String(replay.calls.length),
    String(faults),
    String(stale),
    String(done),
    formatTokens(Math.max(0, ...replay.calls.map((call) => call.tokens))),
    input === 0 ? '–' : formatPercent(replay.usage.cache_read_input_tokens / input),
    asked === 0 ? '–' : `${kept}/${asked}`,
    formatUsd(replay.cost),
  ];
  return [faults + stale > 0 || replay.stopped !== undefined ? 'bad' : 'accent', formatCells(values)];
}

function formatCells(values: readonly string[]): string {
  return values
    .map((value, place) => (place === 0 ? padEnd(value, WIDTHS[0] ?? 0) : value.padStart(WIDTHS[place] ?? 8)))
    .join('');
}

function formatStop({ policy, stopped }: Replay): string[] {
  return stopped === undefined
    ? []
    : [`${policy} stopped before ${stopped.before}: ${stopped.code}: ${stopped.message}`];
}

/** Draws all replays on one scale, so that they compare; a mark means that the prefix was rewritten before the call. */
function drawReplays(replays: readonly Replay[], width: number, row: RowFormatter): string[] {
  const room = Math.max(10, width - 18);
  const most = Math.max(1, ...replays.flatMap(({ calls }) => calls.map((call) => call.tokens)));
  const longest = Math.max(1, ...replays.map(({ calls }) => calls.length));
  const per = Math.ceil(longest / room);
  return replays.flatMap((replay) => {
    const groups = groupCalls(replay.calls, per);
    const line = groups.map(
      (group) => STEPS[Math.ceil((Math.max(...group.map((call) => call.tokens)) / most) * 8)] ?? ' ',
    );
    const marks = groups.map((group) => (group.some(({ rewritten }) => rewritten) ? '^' : ' '));
    return [
      row(padEnd(replay.policy, 16), ' ', ['accent', line.join('')]),
      row(' '.repeat(17), ['warn', marks.join('')]),
    ];
  });
}

function groupCalls(calls: readonly ReplayCall[], per: number): ReplayCall[][] {
  return Array.from({ length: Math.ceil(calls.length / per) }, (_, place) =>
    calls.slice(place * per, (place + 1) * per),
  );
}

function describeLostFacts({ policy, facts }: Replay): string[] {
  if (facts.lost.length === 0) return [];
  const more = facts.lost.length > 8 ? `, and ${facts.lost.length - 8} more` : '';
  return [`${policy} lost: ${facts.lost.slice(0, 8).join(', ')}${more}`];
}

function formatNotes({ notes }: ReplayHead): string[] {
  const shown = notes.slice(0, MOST_NOTES).map(({ line, text }) => `line ${line}: ${text}`);
  return notes.length > shown.length
    ? [...shown, `and ${formatCount(notes.length - shown.length, 'more note')} (--json has all)`]
    : shown;
}
