/** `tandem status <run>`: shows all details of one run, which the list of runs does not load. */
import { summarise } from '../../pipeline/summarise.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { resultLine } from '../../report/run/result-line.ts';
import { judgeSummary } from '../../report/run/run-summary.ts';
import { renderStatus } from '../../report/run/status.ts';
import { readState } from '../../run-folder/snapshot.ts';
import { findCarrier } from '../../run-folder/work-mark.ts';
import { terminalSize, type JsonFlag, printAnswer, type Io } from '../command-context.ts';
import { nextSteps, formatRunReference } from './finish.ts';

export async function statusOfRun(run: RunFolder, options: JsonFlag, io: Io): Promise<number> {
  const [summary, carrier] = [await summarise(run), await findCarrier(run)];
  const lines = [
    ...renderStatus(summary, terminalSize(io, 100)),
    summary.folder,
    ...nextSteps(await formatRunReference(run, io), await readState(run), { carrier, verdict: judgeSummary(summary) }),
  ];
  return printAnswer(io, { json: options.json, value: { ...resultLine(summary), why: summary.why }, lines });
}
