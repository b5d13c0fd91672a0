/** `tandem export <format> <run>`: the results for other tools. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { writeNewFile } from '../../disk/named-output.ts';
import { usageError } from '../../errors.ts';
import { exportInspect } from '../../interop/inspect/export.ts';
import { exportJsonLines } from '../../interop/jsonl-export.ts';
import { readNamedTrace } from '../../evaluation/trial/read-trace.ts';
import type { TrialResult } from '../../scenario/result.ts';
import type { TraceLine } from '../../scenario/trace.ts';
import { parseScenarioName } from '../evaluate/compare.ts';
import { type TextFlags, EXIT, type Io } from '../command-context.ts';
import { readIteration, type NamedResults } from '../evaluate/read-iteration.ts';

export async function exportCommand(
  { format, run: name }: { format: string; run: string },
  options: TextFlags<'iteration' | 'out'>,
  io: Io,
): Promise<number> {
  if (format === 'folder') return (await import('../store/copy.ts')).exportFolder(name, options, io);
  if (format !== 'inspect' && format !== 'jsonl')
    throw usageError(`"${format}": expected inspect, jsonl or folder; tandem report --format html writes a page.`);
  const named = await readIteration(name, options.iteration, io);
  const text = format === 'jsonl' ? exportJsonLines(named.results).join('\n') : await inspectText(named);
  if (options.out === undefined) {
    io.out(text);
    return EXIT.met;
  }
  const file = resolve(io.cwd, options.out);
  await writeNewFile({ flag: '--out', path: file, project: findHome(io.cwd).project }, `${text}\n`);
  io.err(`Wrote ${file}`);
  return EXIT.met;
}

async function inspectText({ results, dir, run }: NamedResults): Promise<string> {
  const traces = new Map<string, TraceLine[]>();
  for (const { trace } of results.samples.flatMap(({ trials }) => trials))
    traces.set(trace, await readNamedTrace(dir, trace));
  const created = (await stat(join(dir, 'results.json')).catch(() => undefined))?.mtime ?? new Date(0);
  const traceOf = ({ trace }: TrialResult): readonly TraceLine[] => traces.get(trace) ?? [];
  return JSON.stringify(
    exportInspect({ results, task: parseScenarioName(dir) ?? run, created: created.toISOString(), traceOf }),
  );
}
