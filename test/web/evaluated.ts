/** A run with results of several iterations, made on disk, for the pages that show results. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunFolder } from '../../src/ports/run-store.ts';
import type { SampleResult } from '../../src/scenario/result.ts';
import { metricReports } from '../../src/scenario/statistics/metrics.ts';
import { results } from '../report/makers.ts';
import { SAMPLE, TRACE, type Desk } from './desk.ts';

/** Each list is one iteration; the run then waits with another design. */
export async function evaluated(
  desk: Desk,
  id: string,
  iterations: readonly (readonly SampleResult[])[],
): Promise<RunFolder> {
  const run = await desk.waiting(id, [...iterations.map(() => ({})), {}]);
  for (const [index, samples] of iterations.entries()) writeIteration(run, index + 1, samples);
  return run;
}

function writeIteration(run: RunFolder, iteration: number, samples: readonly SampleResult[]): void {
  const dir = join(run.dir, 'execution_outputs', `iteration_${iteration}`);
  for (const folder of ['checkers', 'tools', 'samples', 'traces']) mkdirSync(join(dir, folder), { recursive: true });
  const metrics = metricReports(samples);
  const given = { iteration, round: iteration, ...(metrics.length > 0 && { metrics }) };
  writeFileSync(join(dir, 'results.json'), JSON.stringify(results(samples, given)));
  writeFileSync(
    join(dir, 'checkers/identity.mjs'),
    `export const checker = { id: 'identity' };\n// <b>v${iteration}</b>\n`,
  );
  writeFileSync(join(dir, 'tools/issue_refund.mjs'), 'export const tool = {};\n');
  for (const { id, title, trials } of samples) {
    writeFileSync(join(dir, `samples/${id}.json`), JSON.stringify({ ...SAMPLE, id, title }));
    for (const { trial } of trials) {
      const lines = TRACE.map((line) => JSON.stringify('sample' in line ? { ...line, sample: id, trial } : line));
      writeFileSync(join(dir, `traces/${id}.${trial}.jsonl`), `${lines.join('\n')}\n`);
    }
  }
}
