/** Renders the README's picture from a real run of the main job: `npm run picture`. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand } from '../src/cli/run/run.ts';
import { renderTerminalSvg } from './terminal-svg.ts';

const COLUMNS = 104;
const TARGET = resolve('docs/pictures/run.svg');
/** What a redraw begins with: everything before it is taken away from the screen. */

const REDRAW = /\u001B\[\?2026[hl]|\u001B\[\d+A|\u001B\[[02][JK]/g;

const project = await mkdtemp(join(tmpdir(), 'tandem-picture-'));
await mkdir(join(project, 'scenarios'));
await cp('scenarios/refund-desk', join(project, 'scenarios/refund-desk'), {
  recursive: true,
  filter: (source) => !source.endsWith('/runs'),
});

let frame: string[] = [];
const said: string[] = [];
const code = await runCommand(
  'refund-desk',
  { profile: 'demo', id: 'demo' },
  {
    io: {
      out: () => undefined,
      err: (line) => void said.push(line),
      draw: (text) => {
        frame = text.replace(REDRAW, '').trimEnd().split('\n');
      },
      screen: { columns: () => COLUMNS, color: true, onResize: () => () => undefined },
      ask: undefined,
      env: {},
      cwd: project,
    },
    signal: new AbortController().signal,
  },
);
const shown = [...frame, ...said].map((line) => line.replaceAll(project, '~/tandem'));
await writeFile(TARGET, renderTerminalSvg(['$ npm start', '', ...shown], 'tandem run refund-desk --profile demo'));
await rm(project, { recursive: true, force: true });
console.log(`${TARGET} (exit code ${code})`);
