/** The results of a committed iteration, and its failures as lines for an agent. */
import { parseFile } from '../disk/parse-file.ts';
import type { Attempt } from '../ports/artifacts.ts';
import { renderIterationMarkdown } from '../report/run/iteration-markdown.ts';
import type { RunFolder } from '../ports/run-store.ts';
import { Results, type SampleResult } from '../scenario/result.ts';
import { formatClaim } from '../scenario/attribution/named-causes.ts';
import { listDisputes } from '../scenario/statistics/judge-results.ts';
import { userNotes } from '../scenario/user-notes.ts';
import { outputDir } from '../run/layout.ts';

/** Returns undefined when the iteration was returned before its evaluation. */
export async function readResults(
  run: Pick<RunFolder, 'dir' | 'read'>,
  iteration: number,
  place = outputDir(iteration),
): Promise<Results | undefined> {
  const path = `${place}/results.json`;
  const text = await run.read(path);
  if (text === undefined) return undefined;
  const key = `${run.dir} ${place}`;
  const known = parsed.get(key);
  if (known?.text === text) return known.results;
  const results = parseFile(Results, text, path);
  cacheResults(key, { text, results });
  return results;
}

/** Pages read the same results repeatedly, and validating hundreds of samples takes longer than reading their bytes. */
const parsed = new Map<string, { text: string; results: Results }>();
const MOST_CHARS = 24_000_000;

function cacheResults(key: string, one: { text: string; results: Results }): void {
  parsed.delete(key);
  parsed.set(key, one);
  let chars = [...parsed.values()].reduce((sum, { text }) => sum + text.length, 0);
  for (const [oldest, { text }] of parsed) {
    if (chars <= MOST_CHARS) return;
    parsed.delete(oldest);
    chars -= text.length;
  }
}

/** Writes `results.json`, and the same for people as `report.md`, into the folder that will be committed. */
export async function writeResults(run: RunFolder, attempt: Attempt, results: Results): Promise<void> {
  const previous = results.iteration > 1 ? await readResults(run, results.iteration - 1) : undefined;
  await attempt.write('results.json', `${JSON.stringify(results, null, 2)}\n`);
  await attempt.write('report.md', renderIterationMarkdown(results, previous, run.id));
}

/** Returns one line per failed sample, design failures first: layer, strongest evidence, path of the trace. */
export function failureLines(results: Results, iteration: number): string[] {
  return results.samples
    .filter((sample) => sample.outcome === 'fail')
    .toSorted((one, other) => formatCause(one).localeCompare(formatCause(other), 'en'))
    .map((sample) => {
      const trace = sample.trials.find((trial) => trial.outcome === 'fail')?.trace ?? '';
      const claim = formatClaim(sample);
      const said = claim === undefined ? '' : `; ${claim}`;
      // The first reason says that the end differs, the second where.
      const why = sample.why.slice(0, 2).join('; ') || 'no evidence';
      return `layer ${formatCause(sample)} ${sample.id}: ${why} (${outputDir(iteration)}/${trace})${said}`;
    });
}

/** Lists what the next iteration has to look at: failures, and users that did not do what their samples say. */
export function listOpenLines(results: Results, iteration: number): string[] {
  const disputes = listDisputes(results.samples).map(({ name, text }) => `disputed ${name}: ${text}`);
  return [...failureLines(results, iteration), ...disputes, ...userNotes(results)];
}

function formatCause({ cause, layer = 4 }: SampleResult): string {
  return cause ?? String(layer);
}
