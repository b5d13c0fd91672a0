/** Reads the traces that a person names: a run, an iteration, a folder of traces, or single files, plain or gzipped. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { usageError } from '../../errors.ts';
import { readNamedText } from '../../disk/read-named-file.ts';
import type { RecordedTrace } from '../../evaluation/rejudge/rejudge.ts';
import type { Results } from '../../scenario/result.ts';
import { outputDir } from '../../run/layout.ts';
import type { Io } from '../io.ts';
import { readResultsFile } from './read-results-file.ts';

export type OwnRecording = {
  /** The name as typed, and which part of it was used. */
  shown: string;
  /** Absolute folder in which its components would lie. */
  dir: string;
  traces: RecordedTrace[];
  /** Digest of the design under which it was recorded, when `results.json` has it. */
  designDigest: string | undefined;
  /** Contents of the `results.json` next to the traces. */
  results: Results | undefined;
};

const TRACE = /^(?<name>[\w-]+\.\d+)\.jsonl(?:\.gz)?$/;

/** Reads the traces without judging them; `not_found` or `usage` says what was expected. */
export async function ownRecording(name: string, iteration: string | undefined, io: Io): Promise<OwnRecording> {
  const path = resolve(io.cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) {
    const folder = dirname(path);
    return fromFolder(basename(folder) === 'traces' ? dirname(folder) : folder, name, [path]);
  }
  if (found === undefined) return fromRun({ run: name, shown: name, iteration }, io);
  const names: string[] = await readdir(path);
  if (names.includes('events')) return fromRun({ run: path, shown: name, iteration }, io);
  const folder = names.includes('traces') ? join(path, 'traces') : path;
  const files = (await readdir(folder)).filter((file) => TRACE.test(file)).map((file) => join(folder, file));
  if (files.length === 0)
    throw usageError(`${name}: holds no traces (<sample>.<trial>.jsonl). Name a run, an iteration or a trace.`);
  return fromFolder(basename(folder) === 'traces' ? dirname(folder) : folder, name, files);
}

type NamedRun = { run: string; shown: string; iteration: string | undefined };

async function fromRun({ run, shown, iteration }: NamedRun, io: Io): Promise<OwnRecording> {
  const { dir, id } = await openStore(findHome(io.cwd)).store.open(run);
  const outputs = join(dir, 'execution_outputs');
  const numbers = (await readdir(outputs).catch((): string[] => []))
    .flatMap((name) => /^iteration_(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
  const number = iteration === undefined ? numbers.at(-1) : Number(iteration);
  if (number === undefined || !numbers.includes(number)) {
    const known = numbers.length === 0 ? 'no iteration yet' : `the iterations ${numbers.join(', ')}`;
    throw usageError(`Run ${id} has ${known}. Name one with --iteration <n>.`);
  }
  const folder = join(dir, outputDir(number));
  const files = (await readdir(join(folder, 'traces')).catch((): string[] => [])).filter((file) => TRACE.test(file));
  if (files.length === 0) throw usageError(`Iteration ${number} of run ${id} has no traces.`);
  return fromFolder(
    folder,
    `${shown}, iteration ${number}`,
    files.map((file) => join(folder, 'traces', file)),
  );
}

async function fromFolder(dir: string, shown: string, files: readonly string[]): Promise<OwnRecording> {
  const file = join(dir, 'results.json');
  const results = (await stat(file).catch(() => undefined)) === undefined ? undefined : await readResultsFile(file);
  const outcomes = new Map<string, RecordedTrace['recorded']>(
    results?.samples.flatMap(({ id, trials }) =>
      trials.map(({ trial, outcome }) => [`${id}.${trial}`, outcome] as const),
    ),
  );
  const traces: RecordedTrace[] = [];
  for (const path of files.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    const name = TRACE.exec(basename(path))?.groups?.['name'];
    const at = files.length === 1 ? shown : relative(dir, path);
    const text = await readNamedText(path, at);
    const recorded = name === undefined ? undefined : outcomes.get(name);
    traces.push({ at, text, ...(name === undefined ? {} : { name }), recorded });
  }
  return { shown, dir, traces, designDigest: results?.designDigest, results };
}
