/** Renders the picture of a session from a recording of a real terminal: `node tools/session-picture.ts`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { renderTerminalSvg } from './terminal-svg.ts';
import { KEYS, openTerminal } from '../test/support/terminal.ts';

const TARGET = resolve('docs/pictures/session.svg');
const COLUMNS = 92;

const project = await mkdtemp(join(tmpdir(), 'tandem-picture-'));
await writeFile(join(project, 'notes.md'), 'The desk opens at nine.\n');
const at = await openTerminal(['session'], { cwd: project, columns: COLUMNS });
await at.shows('> ');
for (const words of ['make a plan', 'look at @notes.md and ask a helper']) {
  at.send(`${words}${KEYS.enter}`);
  await at.shows('of $5.00');
  await at.shows('> ');
}
at.send(`/cost${KEYS.enter}`);
await at.shows('turn 2');
await at.shows('> ');
at.send(KEYS.ctrlD);
await at.ended;
const lines = screenOf(at.raw().slice(at.raw().indexOf('@\r\n') + 3));
await writeFile(TARGET, renderTerminalSvg(['$ tandem session', ...lines], 'tandem session'));
await rm(project, { recursive: true, force: true });
console.log(TARGET);

type Cell = { char: string; pen: string };

/** What stands on the screen after all of it: characters, colours, and the movements that a line editor makes. */
function screenOf(raw: string): string[] {
  const rows: Cell[][] = [[]];
  let [row, column, pen] = [0, 0, ''];
  // oxlint-disable-next-line no-control-regex -- what terminals are told
  for (const [part, args, order] of raw.matchAll(/\u001B\[([?\d;]*)([A-Za-z])|[\s\S]/gu)) {
    const line = (rows[row] ??= []);
    const count = Number(args === '' ? 1 : args);
    if (part === '\r') column = 0;
    else if (part === '\n') row += 1;
    else if (order === 'm') pen = part;
    else if (order === 'G') column = count - 1;
    else if (order === 'A') row = Math.max(0, row - count);
    else if (order === 'C') column += count;
    else if (order === 'D') column = Math.max(0, column - count);
    else if (order === 'K') line.splice(args === '2' ? 0 : column);
    else if (order === 'J') {
      line.splice(column);
      rows.length = row + 1;
    } else if (order === undefined) line[column++] = { char: part, pen };
  }
  return rows.map((cells) => textOf(cells)).slice(0, rows.findLastIndex((cells) => cells.length > 0) + 1);
}

function textOf(cells: readonly (Cell | undefined)[]): string {
  let [text, pen] = ['', ''];
  for (const cell of Array.from(cells)) {
    const { char, pen: next } = cell ?? { char: ' ', pen: '' };
    if (next !== pen) text += next === '' ? '\u001B[0m' : next;
    [text, pen] = [text + char, next];
  }
  return text.trimEnd();
}
