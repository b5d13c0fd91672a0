/** What each policy made of the same conversation: one table, and a picture of every context over its calls. */
import type { Replay, ReplayCall } from '../../context-lab/replay/replay.ts';
import { count, tokens, usd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, row, type Paint, type Span, type TerminalSize } from '../text/terminal-colors.ts';
import { terminalText } from '../text/sanitise.ts';
import { padEnd, wrap } from '../text/width.ts';

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
  const paint = createPaint(color);
  const dim = (text: string) => wrap(terminalText(text), width).map((line) => row([['dim', line]], width, paint));
  return [
    row([['bold', head.title]], width, paint),
    ...head.assumptions.flatMap((text) => dim(`- ${text}`)),
    ...notesOf(head).flatMap(dim),
    '',
    row([['dim', cells(HEADINGS)]], width, paint),
    ...replays.map((replay) => row(rowOf(replay), width, paint)),
    ...replays.flatMap((replay) => stopOf(replay, width, paint)),
    '',
    row([['bold', 'Tokens of each call']], width, paint),
    ...picture(replays, width, paint),
    ...replays.flatMap((replay) => lostOf(replay)).flatMap(dim),
  ];
}

function rowOf(replay: Replay): Span[] {
  const faults = replay.calls.filter(({ fault }) => fault !== undefined).length;
  const stale = replay.calls.reduce((sum, call) => sum + call.staleThinking, 0);
  const { asked, kept } = replay.facts;
  const done = replay.rewrites.filter(({ entry }) => entry !== undefined).length;
  const input = inputOf(replay.usage);
  const values = [
    replay.policy,
    String(replay.calls.length),
    String(faults),
    String(stale),
    String(done),
    tokens(Math.max(0, ...replay.calls.map((call) => call.tokens))),
    input === 0 ? '–' : formatPercent(replay.usage.cache_read_input_tokens / input),
    asked === 0 ? '–' : `${kept}/${asked}`,
    usd(replay.cost),
  ];
  return [[faults + stale > 0 || replay.stopped !== undefined ? 'bad' : 'accent', cells(values)]];
}

function cells(values: readonly string[]): string {
  return values
    .map((value, place) => (place === 0 ? padEnd(value, WIDTHS[0] ?? 0) : value.padStart(WIDTHS[place] ?? 8)))
    .join('');
}

function stopOf({ policy, stopped }: Replay, width: number, paint: Paint): string[] {
  if (stopped === undefined) return [];
  const text = `${policy} stopped before ${stopped.before}: ${stopped.code}: ${stopped.message}`;
  return wrap(terminalText(text), width).map((line) => row([['bad', line]], width, paint));
}

/** All on one scale, so that the pictures compare; a mark under a call says that the prefix was rewritten before it. */
function picture(replays: readonly Replay[], width: number, paint: Paint): string[] {
  const room = Math.max(10, width - 18);
  const most = Math.max(1, ...replays.flatMap(({ calls }) => calls.map((call) => call.tokens)));
  const longest = Math.max(1, ...replays.map(({ calls }) => calls.length));
  const per = Math.ceil(longest / room);
  return replays.flatMap((replay) => {
    const groups = grouped(replay.calls, per);
    const line = groups.map(
      (group) => STEPS[Math.ceil((Math.max(...group.map((call) => call.tokens)) / most) * 8)] ?? ' ',
    );
    const marks = groups.map((group) => (group.some(({ rewritten }) => rewritten) ? '^' : ' '));
    return [
      row([padEnd(replay.policy, 16), ' ', ['accent', line.join('')]], width, paint),
      row([' '.repeat(17), ['warn', marks.join('')]], width, paint),
    ];
  });
}

function grouped(calls: readonly ReplayCall[], per: number): ReplayCall[][] {
  return Array.from({ length: Math.ceil(calls.length / per) }, (_, place) =>
    calls.slice(place * per, (place + 1) * per),
  );
}

function lostOf({ policy, facts }: Replay): string[] {
  if (facts.lost.length === 0) return [];
  return [
    `${policy} lost: ${facts.lost.slice(0, 8).join(', ')}${facts.lost.length > 8 ? `, and ${facts.lost.length - 8} more` : ''}`,
  ];
}

function notesOf({ notes }: ReplayHead): string[] {
  const shown = notes.slice(0, MOST_NOTES).map(({ line, text }) => `line ${line}: ${text}`);
  return notes.length > shown.length
    ? [...shown, `and ${count(notes.length - shown.length, 'more note')} (--json has all)`]
    : shown;
}

function inputOf(usage: Replay['usage']): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}
