/** An evaluation of two subjects on disk, as an earlier version compared them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SampleResult } from '../../src/scenario/result.ts';
import { results } from '../report/makers.ts';
import { SAMPLE, TRACE, type Desk } from './desk.ts';

export async function comparedSubjects(
  desk: Desk,
  subjects: Readonly<Record<string, readonly SampleResult[]>>,
  scenario = 'refund-desk',
): Promise<string> {
  const dir = join(desk.root, 'scenarios', scenario, 'evaluations/comparison-1');
  const played = Object.entries(subjects).map(([name, samples]) => ({ name, results: results(samples) }));
  for (const { name, results: made } of played) {
    await mkdir(join(dir, name, 'traces'), { recursive: true });
    await mkdir(join(dir, name, 'samples'), { recursive: true });
    await writeFile(join(dir, name, 'results.json'), JSON.stringify(made));
    for (const { id, title, trials } of made.samples) {
      await writeFile(join(dir, name, `samples/${id}.json`), JSON.stringify({ ...SAMPLE, id, title }));
      for (const { trial } of trials) {
        const lines = TRACE.map((line) => JSON.stringify('sample' in line ? { ...line, sample: id, trial } : line));
        await writeFile(join(dir, name, `traces/${id}.${trial}.jsonl`), `${lines.join('\n')}\n`);
      }
    }
  }
  const named = played.map(({ name }) => ({ name, subject: 'gold' }));
  const comparison = {
    version: 1,
    components: 'c',
    design: 'd',
    subjects: named,
    compared: { subjects: [], pairs: [], differing: {} },
  };
  await writeFile(join(dir, 'comparison.json'), JSON.stringify(comparison));
  return dir;
}
