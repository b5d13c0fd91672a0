/** One sample of one iteration: its result, what was written for it, and what the subject did in each trial. */
import { readSettledResults } from '../../pipeline/evaluation/settled-results.ts';
import { HarnessError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { ResultSource } from './results/result-source.ts';
import { SAMPLE_ID, SampleId } from '../../scenario/brief.ts';
import type { SampleResult, TrialResult } from '../../scenario/result.ts';
import { Sample } from '../../scenario/sample.ts';
import { TraceLine } from '../../scenario/trace.ts';
import type { TrialCalls } from '../../scenario/trial-calls.ts';
import { findCalls } from '../../evaluation/trial/read-calls.ts';
import { parseFile } from '../../disk/parse-file.ts';

export type SampleView = {
  iteration: number;
  /** `iteration 3`, `subject cheap`. */
  where: string;
  round: number;
  /** The folder of its results, relative. */
  outputDir: string;
  result: SampleResult;
  /** Undefined when the file does not fit: the result is still valid. */
  sample: Sample | undefined;
  trials: readonly { trial: TrialResult; lines: readonly TraceLine[] }[];
};

type Files = Pick<RunFolder, 'read'>;

/** A trace may be very long: the sample's page shows the first of it, the trial's own page all, so many at a time. */
export const MOST_LINES = 400;

/** Contract: `not_found` when the iteration has no result for such a sample. */
export async function readSample(run: ResultSource, iteration: number, id: string): Promise<SampleView> {
  const done = run.columns.find((one) => one.iteration === iteration);
  const isId = SampleId.safeParse(id).success;
  const results = done && isId ? await readSettledResults(run, iteration, done.outputDir) : undefined;
  const result = results?.samples.find((one) => one.id === id);
  if (done === undefined || result === undefined)
    throw new HarnessError('not_found', `Iteration ${iteration} of ${run.key} has no result for such a sample.`);
  const { outputDir, round, where } = done;
  const path = `${outputDir}/samples/${id}.json`;
  const written = await run.read(path);
  return {
    ...{ iteration, where, round, outputDir, result },
    sample: written === undefined ? undefined : parseFile(Sample, written, path),
    trials: await Promise.all(
      result.trials.map(async (trial) => ({ trial, lines: await readTrace(run, outputDir, trial.trace) })),
    ),
  };
}

/** One page of a trace of any length, its beginning and its end; `deciding`: a line that its page must hold, where no page is named. */
export type TracePart = {
  lines: readonly { line: TraceLine; number: number }[];
  total: number;
  page: number;
  pages: number;
  pageOf: (number: number) => number;
};

export async function readTracePart(
  run: Files,
  { outputDir, trace }: { outputDir: string; trace: string },
  { page, line = 1 }: { page?: number | undefined; line?: number | undefined },
): Promise<TracePart> {
  const texts = await traceTexts(run, outputDir, trace);
  const pages = Math.max(1, Math.ceil(texts.length / MOST_LINES));
  const pageOf = (number: number): number => Math.min(pages, Math.max(1, Math.ceil(number / MOST_LINES)));
  const at = Math.min(pages, page ?? pageOf(line));
  const numbered = texts.map((text, index) => ({ text, number: index + 1 }));
  const wanted = numbered.filter(({ number }) => pageOf(number) === at || number === 1 || number === texts.length);
  const lines = wanted.map(({ text, number }) => ({
    number,
    line: parseFile(TraceLine, text, `${outputDir}/${trace}`),
  }));
  return { lines, total: texts.length, page: at, pages, pageOf };
}

/** The model calls of a trial; undefined when they were not recorded. */
export async function readTrialCalls(run: Files, outputDir: string, trace: string): Promise<TrialCalls | undefined> {
  return TRACE_PATH.test(trace) ? findCalls(trace, (path) => run.read(`${outputDir}/${path}`)) : undefined;
}

const TRACE_PATH = new RegExp(String.raw`^traces\/${SAMPLE_ID}\.[1-9]\d{0,3}\.jsonl$`, 'u');

/** The path comes from a file that agents wrote: only a trace of this very iteration is read. */
async function traceTexts(run: Files, outputDir: string, trace: string): Promise<string[]> {
  if (!TRACE_PATH.test(trace)) return [];
  return ((await run.read(`${outputDir}/${trace}`)) ?? '').split('\n').filter((line) => line !== '');
}

async function readTrace(run: Files, outputDir: string, trace: string): Promise<TraceLine[]> {
  const lines = await traceTexts(run, outputDir, trace);
  // The end of a trace says how it came out, so it is never the part that is left out.
  const shown = lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 1), lines.at(-1) ?? ''];
  return shown.map((line) => parseFile(TraceLine, line, `${outputDir}/${trace}`));
}
