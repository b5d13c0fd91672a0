/** Draws the calls of a session as terminal columns: the size of each request, and where the epochs begin. */
import type { ContextHistory } from '../../context-lab/history.ts';
import { billedInput } from '../../context-lab/history.ts';
import { formatTokens } from '../text/number-format.ts';
import type { RowFormatter } from '../text/terminal-colors.ts';

const HEIGHT = 8;
const AXIS_WIDTH = 9;
const TRIGGER_LINE = '╌';
const EIGHTHS = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

type CallColumn = { input: number; read: number; epoch: boolean };

export function formatCallColumns(history: ContextHistory, width: number, row: RowFormatter): string[] {
  if (history.calls.length === 0) return ['  no call was billed'];
  const columns = groupIntoColumns(history, Math.max(8, width - AXIS_WIDTH - 2));
  const most = Math.max(1, ...columns.map(({ input }) => input));
  const trigger = history.context?.trigger ?? Number.POSITIVE_INFINITY;
  const line = trigger > most ? undefined : Math.min(HEIGHT - 1, Math.floor((trigger / most) * HEIGHT));
  const rows = Array.from({ length: HEIGHT }, (_, index) => {
    const level = HEIGHT - 1 - index;
    const name = index === 0 ? formatTokens(most) : index === HEIGHT - 1 ? '0' : '';
    const drawn = columns.map((one) => drawCell(one.input, most, level)).join('');
    const shown = level === line ? drawn.replaceAll(' ', TRIGGER_LINE) : drawn;
    return row(['dim', `${name.padStart(AXIS_WIDTH - 2)} ┤`], shown);
  });
  const margin = ' '.repeat(AXIS_WIDTH);
  const marks = columns.map(({ epoch }) => (epoch ? '┴' : '─')).join('');
  const cached = columns
    .map(({ read, input }) => EIGHTHS[Math.round((input === 0 ? 0 : read / input) * 8)] || ' ')
    .join('');
  return [
    ...rows,
    row(['dim', `${''.padStart(AXIS_WIDTH - 1)}└`], ['warn', marks]),
    row(['dim', `${'cached'.padStart(AXIS_WIDTH - 2)}  `], ['good', cached]),
    row(['dim', `${margin}┴ a compaction came before this call: a new epoch`]),
    ...(line === undefined
      ? []
      : [row(['dim', `${margin}${TRIGGER_LINE} above ${formatTokens(trigger)} it compacts`])]),
  ];
}

/** Where there are more calls than columns, a column shows the largest of its calls. */
function groupIntoColumns({ calls }: ContextHistory, room: number): CallColumn[] {
  const per = Math.max(1, Math.ceil(calls.length / room));
  return Array.from({ length: Math.ceil(calls.length / per) }, (_, place) => {
    const from = place * per;
    const group = calls.slice(from, from + per);
    const largest = group.reduce((best, call) => (billedInput(call) > billedInput(best) ? call : best));
    const before = calls[from - 1]?.epoch ?? 0;
    return { input: billedInput(largest), read: largest.read, epoch: (group.at(-1)?.epoch ?? 0) > before };
  });
}

function drawCell(value: number, most: number, level: number): string {
  const eighths = Math.round((value / most) * HEIGHT * 8) - level * 8;
  return EIGHTHS[Math.min(8, Math.max(0, eighths))] || ' ';
}
