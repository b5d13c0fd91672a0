/** Compares two to four iterations row by row, each with one baseline, by the statistics of `tandem compare`. */
import { HarnessError } from '../../../errors.ts';
import { readSettledResults } from '../../../pipeline/evaluation/settled-results.ts';
import type { Results, SampleResult } from '../../../scenario/result.ts';
import {
  baselineTallies,
  compareWithBaseline,
  type BaselineComparison,
  type ComparedSample,
} from '../../../scenario/statistics/compare-baseline.ts';
import { metricMeans } from '../../../scenario/statistics/metrics.ts';
import { tallyTrials } from '../../../scenario/statistics/score.ts';
import type { Tally } from '../../../scenario/statistics/pass-k.ts';
import { findResultSource, type ResultDeps } from './result-source.ts';

export const MOST_COMPARED = 4;

export type ComparedRun = {
  /** The name as in the address: `run`, or `run@iteration`. */
  name: string;
  key: string;
  iteration: number;
  scenario: string;
  results: Results;
  /** Undefined for the baseline itself. */
  comparison: BaselineComparison | undefined;
};

export type ComparedRow = {
  id: string;
  title: string;
  /** In the order of the runs. */
  cells: readonly { sample: SampleResult | undefined; tally: Tally; compared: ComparedSample | undefined }[];
};

export type Comparison = { base: number; runs: readonly ComparedRun[]; rows: readonly ComparedRow[] };

/** Contract: `usage` names what is wrong with the names. `base` is one of them; undefined means the first. */
export async function compareRuns(
  deps: ResultDeps,
  names: readonly string[],
  base: string | undefined,
): Promise<Comparison> {
  const wanted = [...new Set(names)];
  if (wanted.length < 2 || wanted.length > MOST_COMPARED)
    throw new HarnessError('not_found', `Name two to ${MOST_COMPARED} runs to compare: tick them in the list of runs.`);
  const read = await Promise.all(wanted.map((name) => readNamed(deps, name)));
  const at = Math.max(0, base === undefined ? 0 : wanted.indexOf(base));
  const baseline = read[at]?.results;
  const runs = read.map((run, index) => ({
    ...run,
    comparison: index === at || baseline === undefined ? undefined : compareResults(baseline, run.results),
  }));
  return { base: at, runs, rows: toComparedRows(runs) };
}

function compareResults(baseline: Results, results: Results): BaselineComparison {
  const { designDigest, componentsDigest } = baseline;
  const held = { samples: baselineTallies(baseline), metrics: metricMeans(baseline.samples) };
  return compareWithBaseline({ designDigest, componentsDigest, ...held }, results);
}

async function readNamed(deps: ResultDeps, name: string): Promise<Omit<ComparedRun, 'comparison'>> {
  const [, key = '', wanted] = /^(.{1,300}?)(?:@([1-9]\d{0,4}))?$/s.exec(name) ?? [];
  const source = await findResultSource(deps, key);
  for (const { iteration, outputDir } of source.columns.toReversed()) {
    if (wanted !== undefined && iteration !== Number(wanted)) continue;
    const results = await readSettledResults(source, iteration, outputDir);
    if (results !== undefined && results.total > 0) return { name, key, iteration, scenario: source.scenario, results };
  }
  const which = wanted === undefined ? ' yet' : ` of iteration ${wanted}`;
  const kind = source.run === undefined ? 'Evaluation' : 'Run';
  throw new HarnessError('not_found', `${kind} ${key} has no results${which}.`);
}

/** Rows on which the runs disagree come first. */
function toComparedRows(runs: readonly ComparedRun[]): ComparedRow[] {
  const sides = runs.map(({ results, comparison }) => ({
    samples: new Map(results.samples.map((sample) => [sample.id, sample])),
    compared: new Map((comparison?.samples ?? []).map((sample) => [sample.id, sample])),
  }));
  const ids = [...new Set(sides.flatMap(({ samples }) => [...samples.keys()]))];
  const rows = ids.map((id) => {
    const cells = sides.map(({ samples, compared }) => {
      const sample = samples.get(id);
      const tally = sample === undefined ? { passed: 0, total: 0 } : tallyTrials(sample);
      return { sample, tally, compared: compared.get(id) };
    });
    return { id, title: cells.findLast(({ sample }) => sample !== undefined)?.sample?.title ?? id, cells };
  });
  return rows.toSorted((one, other) => Number(isSame(one)) - Number(isSame(other)));
}

function isSame({ cells }: ComparedRow): boolean {
  return new Set(cells.map(({ sample, tally }) => `${sample?.outcome} ${tally.passed}/${tally.total}`)).size === 1;
}
