/** Formats one set of rejudged runs of another harness, as JSON and as text. */
import type { RejudgedTauSet } from '../../interop/tau/runs/rejudge.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import type { Io } from '../command-context.ts';

const MOST_LINES = 20;

/** Returns one set as JSON; `refused` rows were not judged and do not count as agreed. */
export function toSetJson(set: RejudgedTauSet): Record<string, unknown> {
  const { file, n, agreed, passK, rows, refused } = set;
  return {
    file,
    n,
    agreed,
    passK,
    refused,
    disagreed: rows.filter(({ agrees }) => !agrees).map(toDisagreement),
    partsThatDiffer: rows.filter(({ partsThatDiffer }) => partsThatDiffer.length > 0).length,
    takenOver: rows.filter(({ carried }) => carried.length > 0).length,
    toolFaults: rows.filter(({ toolFault }) => toolFault !== undefined).map(({ run }) => run.at),
    layers: countLayers(set),
  };
}

function toDisagreement({ run, reward, why }: RejudgedTauSet['rows'][number]): Record<string, unknown> {
  return { at: run.at, task: run.taskId, trial: run.trial, recorded: run.recorded.reward, judged: reward, why };
}

function countLayers({ rows }: RejudgedTauSet): Record<string, number> {
  const count = (layer: number): number => rows.filter((row) => row.layer === layer).length;
  return { '1': count(1), '2': count(2), '3': count(3), '4': count(4) };
}

export function printSet(set: RejudgedTauSet, io: Io): void {
  const { file, n, agreed, passK, rows, refused } = set;
  const powers = passK.map((value, index) => `pass^${index + 1} ${value.toFixed(4)}`).join('  ');
  io.out(`${file}: ${agreed} of ${n} agree  ${powers}`);
  const layers = countLayers(set);
  const failed = rows.filter(({ pass }) => !pass).length;
  const faults = rows.filter(({ toolFault }) => toolFault !== undefined).length;
  io.out(`  ${failed} failed: layer 2 ${layers['2']}, layer 4 ${layers['4']}; a tool fault is in ${faults} rows`);
  const lines = [
    ...refused.map(({ at, code, message }) => `  not judged (${code}) ${at}: ${message}`),
    ...rows
      .filter(({ agrees }) => !agrees)
      .map(
        (row) =>
          `  disagrees ${row.run.at}: recorded ${row.run.recorded.reward}, judged ${row.reward}: ${row.why[0] ?? 'passes'}`,
      ),
    ...rows
      .filter(({ partsThatDiffer }) => partsThatDiffer.length > 0)
      .map(({ run, partsThatDiffer }) => `  other in its parts ${run.at}: ${partsThatDiffer.join(', ')}`),
    ...carriedLine(set),
  ];
  printLines(lines, io);
}

/** Prints only the first lines: a person reads a screen, and a program uses --json. */
export function printLines(lines: readonly string[], io: Io): void {
  for (const line of lines.slice(0, MOST_LINES)) io.out(terminalText(line));
  if (lines.length > MOST_LINES) io.out(`  … and ${lines.length - MOST_LINES} more; --json lists them all.`);
}

function carriedLine({ rows }: RejudgedTauSet): string[] {
  const carried = rows.filter((row) => row.carried.length > 0);
  if (carried.length === 0) return [];
  const parts = [...new Set(carried.flatMap((row) => row.carried))].join(', ');
  return [`  taken over in ${carried.length} rows, because the recording does not hold what it depends on: ${parts}`];
}
