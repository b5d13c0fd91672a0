/** Lets a reviewer edit a copy of a design in their own editor, checks it like an agent's work and shows a patch. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEdit } from '../../gate/commit-edit.ts';
import { currentDesignDir } from '../../run/layout.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { terminalLines, terminalText } from '../../report/text/sanitise.ts';
import type { RunState } from '../../run/state.ts';
import { DESIGN_FILES } from '../../scenario/design.ts';
import type { Io } from '../command-context.ts';

/** Undefined when nothing was changed or the result is no valid design; the reason has then been printed. */
export async function editDesign(
  { run, state }: { run: RunFolder; state: RunState },
  io: Io,
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  const editor = io.env['VISUAL'] ?? io.env['EDITOR'];
  if (editor === undefined || editor.trim() === '') {
    io.err('Set EDITOR to edit here, such as EDITOR=nano; or edit on the page: tandem serve.');
    return undefined;
  }
  const dir = currentDesignDir(state, state.round);
  const place = await mkdtemp(join(tmpdir(), 'tandem-edit-'));
  try {
    for (const name of DESIGN_FILES) await cp(join(run.dir, dir, name), join(place, name));
    const [program = '', ...args] = editor.trim().split(/\s+/);
    const files = DESIGN_FILES.map((name) => join(place, name));
    await once(spawn(program, [...args, ...files], { stdio: 'inherit', signal }), 'close');
    const texts = await Promise.all(
      DESIGN_FILES.map(async (name) => [name, await readFile(join(place, name), 'utf8')] as const),
    );
    const edits = Object.fromEntries(texts);
    const { problems, change } = await checkEdit(run, dir, edits);
    for (const problem of problems) io.err(terminalText(problem));
    if (change === undefined) return undefined;
    for (const line of terminalLines(change.diff)) io.err(line);
    return edits;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
