/** Renders sessions on a terminal, one row each. */
import type { SessionState } from '../../run/session.ts';
import { formatCount, formatTokens, formatUsd } from '../text/number-format.ts';
import { createPaint, formatRow, type Span, type Style } from '../text/terminal-colors.ts';
import { padEnd } from '../text/width.ts';

type SessionScreen = { columns: number; color: boolean; now: Date };

const STYLES: Readonly<Record<SessionState['status'], Style>> = {
  live: 'accent',
  gated: 'warn',
  stopped: 'bad',
  done: 'dim',
  idle: 'good',
};

export function renderSessions(sessions: readonly SessionState[], { columns, color, now }: SessionScreen): string[] {
  const paint = createPaint(color);
  const width = Math.max(...sessions.map(({ id }) => id.length), 7);
  const places = [
    ['LAST', 7],
    ['MESSAGES', 13],
    ['CALLS', 10],
    ['COMPACTIONS', 14],
    ['SIZE', 14],
  ] as const;
  const names = [...places.map(([name, size]) => padEnd(name, size)), 'COST'].join(' ');
  return [
    formatRow([['dim', `${padEnd('SESSION', width)}  ${padEnd('STATE', 8)}${names}`]], columns, paint),
    ...sessions.map((session) => formatRow(listSpans(session, width, now), columns, paint)),
  ];
}

function listSpans(session: SessionState, width: number, now: Date): Span[] {
  const { id, status, lastAt, messages, calls, compactions, costUsd, workspace } = session;
  const figures = [
    padEnd(formatAge(lastAt, now), 7),
    padEnd(formatCount(messages.total, 'message'), 13),
    padEnd(formatCount(calls, 'call'), 10),
    padEnd(formatCount(compactions, 'compaction'), 14),
    padEnd(`${formatTokens(session.tokens.input + session.tokens.output)} tokens`, 14),
    padEnd(formatUsd(costUsd), 9),
  ];
  return [['bold', padEnd(id, width)], '  ', [STYLES[status], padEnd(status, 8)], figures.join(' '), workspace ?? ''];
}

/** Formats an age in one unit. */
function formatAge(at: string, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - Date.parse(at)) / 1000);
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 * 2 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
