/** The tutorial, as a reader pastes it: every block in an empty folder, by the real command, with the lines that the page promises. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BIN } from '../support/cli.ts';

/** Why a block is not run here. */
const NOT_RUN = new Set(['needs-key', 'needs-registry']);
const BLOCK = /^```(\w+) ?(.*)\n([\s\S]*?)^```\n(?:```text\n([\s\S]*?)^```$)?/gm;

type Block = { script: string; mark: string; exit: number; shown: string[] };

const page = await readFile('docs/tutorial.md', 'utf8');
const blocks: Block[] = [...page.matchAll(BLOCK)].map(([, language, mark = '', script = '', shown = '']) => {
  expect(language, script).toBe('sh');
  const exit = /^exit=(\d+)$/.exec(mark)?.[1];
  expect(mark === '' || exit !== undefined || NOT_RUN.has(mark), `unknown mark "${mark}"`).toBe(true);
  return { script, mark, exit: Number(exit ?? 0), shown: shown.split('\n').filter((line) => line.trim() !== '') };
});

function paste(script: string, cwd: string): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, USER: 'reader', npm_config_update_notifier: 'false' };
  return new Promise((settle) => {
    execFile('bash', ['-euo', 'pipefail', '-c', script], { cwd, env }, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code ?? -1), output: `${stdout}\n${stderr}` }),
    );
  });
}

/** `…` stands for whatever is between two pieces of one line. */
function holds(output: string, line: string): boolean {
  const pieces = line.split('…').map((piece) => piece.trim());
  return output.split('\n').some((text) => {
    let at = 0;
    return pieces.every((piece) => (at = text.indexOf(piece, at)) >= 0);
  });
}

test('every block of the tutorial does what the page says, from an empty folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-tutorial-'));
  // What `npm install` leaves; that the packed package installs is held by package.test.ts.
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  await symlink(BIN, join(folder, 'node_modules/.bin/tandem'));
  const run = blocks.filter(({ mark }) => !NOT_RUN.has(mark));
  expect(run.length).toBeGreaterThan(10);
  for (const { script, exit, shown } of run) {
    const { code, output } = await paste(script, folder);
    const missing = shown.filter((line) => !holds(output, line));
    expect({ code, missing }, `${script}\n${output}`).toEqual({ code: exit, missing: [] });
  }
});
