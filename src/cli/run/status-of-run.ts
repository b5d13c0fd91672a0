/** `tandem status <run>`: shows all details of one run, which the list of runs does not load. */
import { summarise } from '../../pipeline/summarise.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { resultLine } from '../../report/run/result-line.ts';
import { renderStatus } from '../../report/run/status.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { terminalSize, type JsonFlag, EXIT, type Io } from '../command-context.ts';
import { nextSteps } from './next-steps.ts';
import { formatRunReference } from './finish.ts';

export async function statusOfRun(run: RunFolder, options: JsonFlag, io: Io): Promise<number> {
  const summary = await summarise(run);
  if (options.json === true) {
    io.out(JSON.stringify({ ...resultLine(summary), why: summary.why }));
    return EXIT.met;
  }
  for (const line of renderStatus(summary, terminalSize(io, 100))) io.out(line);
  io.out(summary.folder);
  for (const line of nextSteps(await formatRunReference(run, io), await readState(run), await findCarrier(run)))
    io.out(line);
  return EXIT.met;
}
