/** Renders sessions on a terminal: a list with one row each, and one session in full. */
import type { SessionState } from '../../run/session.ts';
import { formatCount, formatTokens, formatUsd } from '../text/number-format.ts';
import { formatPercent } from '../../scenario/percent.ts';
import { createPaint, formatRow, type Span, type Style } from '../text/terminal-colors.ts';
import { padEnd, wrapText } from '../text/width.ts';

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

export function renderSession(session: SessionState, { columns, color, now }: SessionScreen): string[] {
  const paint = createPaint(color);
  const field = (name: string, text: string): string[] =>
    (text === '' ? [] : wrapText(text, Math.max(20, columns - NAME_WIDTH - 1))).map((line, index) =>
      formatRow([['dim', padEnd(index === 0 ? name : '', NAME_WIDTH)], ' ', line], columns, paint),
    );
  return [
    formatRow(
      [
        ['bold', session.id],
        '  ',
        [STYLES[session.status], session.status],
        `  ${session.runStatus}, ${formatAge(session.lastAt, now)} ago`,
      ],
      columns,
      paint,
    ),
    ...listFields(session).flatMap(([name, text]) => field(name, text)),
    ...session.todos.flatMap(({ status, text }) => field(status, text)),
  ];
}

const NAME_WIDTH = 12;

function formatModelChoice({ modelPreference }: SessionState): string {
  if (modelPreference === null) return '';
  const { model, actor, at } = modelPreference;
  return `${model}, by ${actor} on ${at.slice(0, 10)}`;
}

function listFields(session: SessionState): [name: string, text: string][] {
  const { messages, tokens: used, images, activeSkill, allowedTools, persistentTools, loops, maxLoops } = session;
  const others = persistentTools.filter((name) => !allowedTools.includes(name));
  return [
    [
      'messages',
      `${messages.total} (${messages.human} from people, ${messages.model} answers), ${messages.inView} shown to the model now`,
    ],
    ['calls', `${session.calls}, ${formatCount(session.compactions, 'compaction')}, ${formatUsd(session.costUsd)}`],
    [
      'tokens',
      `${formatTokens(used.input)} in (${formatPercent(used.input === 0 ? 0 : used.cacheRead / used.input)} from the cache), ${formatTokens(used.output)} out`,
    ],
    ['model', session.model ?? ''],
    ['chosen', formatModelChoice(session)],
    ['turn', `${formatCount(loops, 'answer')}${maxLoops === null ? '' : ` of at most ${maxLoops}`}`],
    ['context', `${session.contextId}${session.parentContext === null ? '' : `, from ${session.parentContext}`}`],
    ['thread', `${session.threadId}, started by ${session.userId}`],
    ['workspace', session.workspace ?? ''],
    ['files given', session.uploads.join(', ')],
    ['mentioned', session.mentions.join(', ')],
    [
      'images',
      images.map(({ entry, media, inView }) => `${entry} ${media}${inView ? '' : ' (a pointer now)'}`).join(', '),
    ],
    ['skill', activeSkill === null ? '' : `${activeSkill.name} (${activeSkill.entry})`],
    ['tools', [...allowedTools, ...others].join(', ')],
  ];
}
