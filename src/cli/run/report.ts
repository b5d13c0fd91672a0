/** `tandem report <run>`: rebuilds the report of a run or of one iteration from the files on disk. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../../app/open-store.ts';
import { findHome } from '../../config/home.ts';
import { usageError } from '../../errors.ts';
import { summarise } from '../../pipeline/summarise.ts';
import { renderRunHtml } from '../../report/html/run-html.ts';
import { renderIterationMarkdown } from '../../report/run/iteration-markdown.ts';
import { renderJUnit } from '../../report/run/junit.ts';
import { renderRunMarkdown } from '../../report/run/run-markdown.ts';
import type { RunSummary } from '../../report/run/run-summary.ts';
import { renderStepSummary } from '../../report/run/step-summary.ts';
import { EXIT, type Io } from '../command-context.ts';
import { REPORT_STYLE } from '../report-style.ts';

const FORMATS: Record<string, (summary: RunSummary) => string> = {
  md: renderRunMarkdown,
  html: (summary) => renderRunHtml(summary, REPORT_STYLE),
  junit: renderJUnit,
  github: renderStepSummary,
  json: (summary) => JSON.stringify(summary, null, 2),
};

export type ReportOptions = { format?: string | undefined; iteration?: string | undefined };

export async function reportCommand(name: string, options: ReportOptions, io: Io): Promise<number> {
  const run = await openStore(findHome(io.cwd)).store.open(name);
  const summary = await summarise(run);
  if (options.iteration !== undefined) {
    io.out(await iterationReport(summary, Number(options.iteration), options.format));
    return EXIT.met;
  }
  const render = FORMATS[options.format ?? 'md'];
  if (render === undefined)
    throw usageError(`--format "${options.format}": expected ${Object.keys(FORMATS).join(', ')}.`);
  io.out(render(summary));
  return EXIT.met;
}

async function iterationReport(summary: RunSummary, number: number, format: string | undefined): Promise<string> {
  const { run, folder, iterations } = summary;
  const index = iterations.findIndex(({ iteration }) => iteration === number);
  const { results, outputDir = '' } = iterations[index] ?? {};
  if (results === undefined) {
    const known = iterations.flatMap((one) => (one.results === undefined ? [] : [one.iteration]));
    throw usageError(`--iteration ${number}: run ${run} has results of ${known.join(', ') || 'no iteration yet'}.`);
  }
  if (format === 'json') return readFile(join(folder, outputDir, 'results.json'), 'utf8');
  return renderIterationMarkdown(results, iterations[index - 1]?.results, run);
}
