/** The context of a sample besides its trials: its neighbours, other iterations, rules, and the code that judged it. */
import type { BusinessRule } from '../../../scenario/design.ts';
import type { SampleView } from '../read-sample.ts';
import type { ResultSource } from './result-source.ts';
import { findNeighbours, type MatrixCell, type Filter, type Matrix, type Neighbours } from './matrix.ts';

export type SampleContext = {
  neighbours: Neighbours;
  /** Every column that has the sample. */
  iterations: readonly { iteration: number; short: string; cell: MatrixCell }[];
  rules: readonly Pick<BusinessRule, 'id' | 'title' | 'text'>[];
  /** Paths relative to the folder of the iteration. */
  files: readonly string[];
};

const FOLDERS = ['checkers', 'graders', 'tools'];
/** A file that a page may show: code and data that Execute wrote, never a hidden file. */
export const COMPONENT_PATH = /^(?:checkers|graders|tools|samples)(?:\/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]{0,99}){1,3}$/u;

export async function readSampleContext(
  { of, view }: { of: ResultSource; view: SampleView },
  matrix: Matrix,
  filter: Filter,
): Promise<SampleContext> {
  const { iteration, result } = view;
  const cells = matrix.rows.find(({ id }) => id === result.id)?.cells ?? [];
  return {
    neighbours: findNeighbours(matrix, filter, { iteration, sample: result.id }),
    iterations: matrix.columns.flatMap((column, index) => {
      const cell = cells[index];
      return cell === undefined ? [] : [{ iteration: column.iteration, short: column.short, cell }];
    }),
    // The rest of the page is shown even when the design cannot be read.
    rules: (await of.rules(view)).filter(({ id }) => result.covers.includes(id)),
    files: await listSampleFiles(of, view),
  };
}

/** Returns the files of the sample, of its checkers and graders, and of the tools that were called. */
async function listSampleFiles(
  run: ResultSource,
  { outputDir, result, sample, trials }: SampleView,
): Promise<string[]> {
  const called = trials.flatMap(({ lines }) => lines.flatMap((line) => (line.type === 'call' ? [line.tool] : [])));
  const judges = trials.flatMap(({ trial }) => trial.verdicts.map(({ checker }) => checker));
  const listed = [...(sample?.checkers ?? []), ...(sample?.graders ?? [])];
  const wanted = new Set([...called, ...judges, ...listed]);
  const folders = await Promise.all(FOLDERS.map((folder) => run.list(`${outputDir}/${folder}`)));
  const files = folders.flat().map((path) => path.slice(outputDir.length + 1));
  const used = files.filter((path) => COMPONENT_PATH.test(path) && wanted.has(toFileStem(path)));
  return [`samples/${result.id}.json`, ...used.toSorted()];
}

function toFileStem(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\.[a-z]+$/, '');
}
