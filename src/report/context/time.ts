/** The calls of a session as columns of a terminal: how large each request was, and where the epochs begin. */
import type { ContextHistory } from '../../context-lab/history.ts';
import { billedInput } from '../../context-lab/history.ts';
import { tokens } from '../text/number-format.ts';
import { row, type Paint } from '../text/terminal-colors.ts';

const HEIGHT = 8;
const AXIS = 9;
const LINE = '╌';
const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

type Column = { input: number; read: number; epoch: boolean };

export function timeRows(history: ContextHistory, width: number, paint: Paint): string[] {
  if (history.calls.length === 0) return ['  no call was billed'];
  const columns = columnsOf(history, Math.max(8, width - AXIS - 2));
  const most = Math.max(1, ...columns.map(({ input }) => input));
  const trigger = history.context?.trigger ?? Number.POSITIVE_INFINITY;
  const line = trigger > most ? undefined : Math.min(HEIGHT - 1, Math.floor((trigger / most) * HEIGHT));
  const rows = Array.from({ length: HEIGHT }, (_, index) => {
    const level = HEIGHT - 1 - index;
    const name = index === 0 ? tokens(most) : index === HEIGHT - 1 ? '0' : '';
    const drawn = columns.map((one) => cell(one.input, most, level)).join('');
    return row(
      [['dim', `${name.padStart(AXIS - 2)} ┤`], level === line ? drawn.replaceAll(' ', LINE) : drawn],
      width,
      paint,
    );
  });
  const marks = columns.map(({ epoch }) => (epoch ? '┴' : '─')).join('');
  const cached = columns
    .map(({ read, input }) => EIGHTHS[Math.round((input === 0 ? 0 : read / input) * 8)] || ' ')
    .join('');
  return [
    ...rows,
    row(
      [
        ['dim', `${''.padStart(AXIS - 1)}└`],
        ['warn', marks],
      ],
      width,
      paint,
    ),
    row(
      [
        ['dim', `${'cached'.padStart(AXIS - 2)}  `],
        ['good', cached],
      ],
      width,
      paint,
    ),
    row([['dim', `${''.padStart(AXIS)}┴ a compaction came before this call: a new epoch`]], width, paint),
    ...(line === undefined
      ? []
      : [row([['dim', `${''.padStart(AXIS)}${LINE} above ${tokens(trigger)} it compacts`]], width, paint)]),
  ];
}

/** Where there are more calls than columns, a column is the largest of its calls. */
function columnsOf({ calls }: ContextHistory, room: number): Column[] {
  const per = Math.max(1, Math.ceil(calls.length / room));
  return Array.from({ length: Math.ceil(calls.length / per) }, (_, place) => {
    const from = place * per;
    const group = calls.slice(from, from + per);
    const largest = group.reduce((best, call) => (billedInput(call) > billedInput(best) ? call : best));
    const before = calls[from - 1]?.epoch ?? 0;
    return { input: billedInput(largest), read: largest.read, epoch: (group.at(-1)?.epoch ?? 0) > before };
  });
}

function cell(value: number, most: number, level: number): string {
  const eighths = Math.round((value / most) * HEIGHT * 8) - level * 8;
  return EIGHTHS[Math.min(8, Math.max(0, eighths))] || ' ';
}
