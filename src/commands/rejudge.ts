/** `tandem rejudge <file…>`: recorded runs judged again without a model, and compared with what the recording says. */
import { resolve } from 'node:path';
import { differingTasks } from '../evaluation/recorded/differing-tasks.ts';
import { readRecorded } from '../evaluation/recorded/read-recorded.ts';
import { foreignTo, readReferenceTasks } from '../evaluation/recorded/reference-tasks.ts';
import { rejudge, type RejudgedSet } from '../evaluation/recorded/rejudge.ts';
import type { Doubt } from '../evaluation/recorded/doubts.ts';
import { HarnessError } from '../errors.ts';
import { terminalText } from '../report/sanitise.ts';
import { EXIT } from './exit-code.ts';
import type { Io } from './io.ts';

export type RejudgeOptions = { tasks?: string | undefined; json?: boolean | undefined };

const MOST_LINES = 20;

export async function rejudgeCommand(files: readonly string[], options: RejudgeOptions, io: Io): Promise<number> {
  if (files.length === 0) throw new HarnessError('usage', 'Name at least one recorded file: tandem rejudge <file…>.');
  const foreign = await referenceOf(options.tasks, io.cwd);
  const sets: RejudgedSet[] = [];
  for (const file of files) {
    const set = rejudge(file, await readRecorded(resolve(io.cwd, file), file), foreign);
    if (options.json !== true) printSet(set, io);
    sets.push(set);
  }
  const total = sets.reduce((sum, { n }) => sum + n, 0);
  const agreed = sets.reduce((sum, set) => sum + set.agreed, 0);
  const differing = differingTasks(sets);
  if (options.json === true) {
    io.out(JSON.stringify({ total, agreed, sets: sets.map(setLine), differing }));
    return agreed === total ? EXIT.met : EXIT.notMet;
  }
  for (const { domain, files: pair, tasks } of differing) {
    const shown = tasks.slice(0, 5).join(', ');
    io.out(
      terminalText(
        `${tasks.length} tasks of ${domain} are not the same in ${pair.join(' and ')} (${shown}…): do not compare their rates.`,
      ),
    );
  }
  io.out(`${agreed} of ${total} rows agree with their recorded reward.`);
  return agreed === total ? EXIT.met : EXIT.notMet;
}

async function referenceOf(tasks: string | undefined, cwd: string): Promise<(run: Doubted) => Doubt[]> {
  if (tasks === undefined) return () => [];
  return foreignTo(await readReferenceTasks(resolve(cwd, tasks), tasks), tasks);
}
type Doubted = Parameters<ReturnType<typeof foreignTo>>[0];

/** One set for machines; `refused` rows were not judged and are not among the agreed. */
function setLine(set: RejudgedSet): Record<string, unknown> {
  const { file, n, agreed, passK, rows, refused } = set;
  return {
    file,
    n,
    agreed,
    passK,
    refused,
    disagreed: rows.filter(({ agrees }) => !agrees).map(disagreement),
    partsThatDiffer: rows.filter(({ partsThatDiffer }) => partsThatDiffer.length > 0).length,
    takenOver: rows.filter(({ carried }) => carried.length > 0).length,
    toolFaults: rows.filter(({ toolFault }) => toolFault !== undefined).map(({ run }) => run.at),
    layers: layersOf(set),
  };
}

function disagreement({ run, reward, why }: RejudgedSet['rows'][number]): Record<string, unknown> {
  return { at: run.at, task: run.taskId, trial: run.trial, recorded: run.recorded.reward, judged: reward, why };
}

function layersOf({ rows }: RejudgedSet): Record<string, number> {
  const count = (layer: number): number => rows.filter((row) => row.layer === layer).length;
  return { '1': count(1), '2': count(2), '3': count(3), '4': count(4) };
}

function printSet(set: RejudgedSet, io: Io): void {
  const { file, n, agreed, passK, rows, refused } = set;
  const powers = passK.map((value, index) => `pass^${index + 1} ${value.toFixed(4)}`).join('  ');
  io.out(`${file}: ${agreed} of ${n} agree  ${powers}`);
  const layers = layersOf(set);
  const failed = rows.filter(({ pass }) => !pass).length;
  const faults = rows.filter(({ toolFault }) => toolFault !== undefined).length;
  io.out(`  ${failed} failed: layer 2 ${layers['2']}, layer 4 ${layers['4']}; a tool fault stands in ${faults} rows`);
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
  for (const line of lines.slice(0, MOST_LINES)) io.out(terminalText(line));
  if (lines.length > MOST_LINES) io.out(`  … and ${lines.length - MOST_LINES} more; --json lists them all.`);
}

function carriedLine({ rows }: RejudgedSet): string[] {
  const carried = rows.filter((row) => row.carried.length > 0);
  if (carried.length === 0) return [];
  const parts = [...new Set(carried.flatMap((row) => row.carried))].join(', ');
  return [`  taken over in ${carried.length} rows, because the recording does not hold what it depends on: ${parts}`];
}
