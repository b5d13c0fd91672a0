/** `tandem rejudge <what…>`: judges recorded runs again without a model, and compares the verdicts. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { differingTasks } from '../../interop/tau/runs/mismatched-recordings.ts';
import { isOwnTrace } from '../../evaluation/rejudge/own-trace.ts';
import { readNamedText } from '../../disk/read-named-file.ts';
import { parseRecorded } from '../../interop/tau/runs/read-recorded.ts';
import { rejudge, type RejudgedTauSet } from '../../interop/tau/runs/rejudge.ts';
import { HarnessError, usageError } from '../../errors.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { type Call, EXIT, type Io } from '../command-context.ts';
import type { RejudgeOwnOptions, OwnSummary } from './rejudge-own.ts';
import { printSet, toSetJson } from './rejudge-set.ts';

type RejudgeWork = { judged: JudgedRecordings; options: RejudgeOwnOptions };
type JudgedRecordings = { sets: RejudgedTauSet[]; own: OwnSummary[]; lines: Record<string, unknown>[] };

export async function rejudgeCommand(
  names: readonly string[],
  options: RejudgeOwnOptions,
  call: Call,
): Promise<number> {
  const { io } = call;
  if (names.length === 0) throw usageError('Name recorded files, runs or traces: tandem rejudge <what…>.');
  const judged: JudgedRecordings = { sets: [], own: [], lines: [] };
  for (const name of names) await judgeOne(name, { judged, options }, call);
  const { sets, own, lines } = judged;
  const total = [...sets, ...own].reduce((sum, { n }) => sum + n, 0);
  const agreed = [...sets, ...own].reduce((sum, set) => sum + set.agreed, 0);
  const differing = differingTasks(sets);
  const allAgree = sets.every((set) => set.agreed === set.n) && own.every(({ faults }) => faults === 0);
  if (options.json === true) io.out(JSON.stringify({ total, agreed, sets: lines, differing }));
  else printTotal({ total, agreed, differing, isOwn: sets.length === 0 }, io);
  return allAgree ? EXIT.met : EXIT.notMet;
}

/** A file whose first line is not that of a Tandem trace is read as another harness's recording. */
async function judgeOne(name: string, { judged, options }: RejudgeWork, { io, signal }: Call): Promise<void> {
  const path = resolve(io.cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined && /\.jsonl?(\.gz)?$/.test(name))
    throw new HarnessError('not_found', `${name}: cannot be read. Check the path.`);
  const text = found?.isFile() === true ? await readNamedText(path, name) : undefined;
  if (text === undefined || isOwnTrace(text)) {
    const { rejudgeOwnTraces } = await import('./rejudge-own.ts');
    const summary = await rejudgeOwnTraces(name, options, { io, signal });
    const { faults: _faults, ...line } = summary;
    judged.own.push(summary);
    judged.lines.push(line);
    return;
  }
  if (options.scenario !== undefined) io.err(`${name}: carries its own tasks, so --scenario is ignored.`);
  const set = rejudge(name, parseRecorded(text, name));
  if (options.json !== true) printSet(set, io);
  judged.sets.push(set);
  judged.lines.push(toSetJson(set));
}

type RejudgeTotal = { total: number; agreed: number; differing: ReturnType<typeof differingTasks>; isOwn: boolean };

function printTotal({ total, agreed, differing, isOwn }: RejudgeTotal, io: Io): void {
  for (const { domain, files: pair, tasks } of differing) {
    const shown = tasks.slice(0, 5).join(', ');
    io.out(
      terminalText(
        `${tasks.length} tasks of ${domain} are not the same in ${pair.join(' and ')} (${shown}…): do not compare their rates.`,
      ),
    );
  }
  const [what, how] = isOwn ? ['traces', 'outcome'] : ['rows', 'reward'];
  io.out(`${agreed} of ${total} ${what} agree with their recorded ${how}.`);
}
